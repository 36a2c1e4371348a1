//! A command and its arguments arrive as they are, whatever they look like; its end is told as it was.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::promise::{Class, Promise, works};
use crate::report::Said;
use crate::scene::Scene;
use crate::verdict::{At, Judged, Verdict};

pub(super) const CLASS: Class = Class {
    name: "commands",
    about: "commands, arguments and exit codes are as they are without a sandbox",
    rules: &[],
    promises: PROMISES,
};

const PROMISES: &[Promise] = &[
    works("arguments_arrive_byte_for_byte", |scene| {
        arguments(scene, &[b"", b" ", b"a b", b"\xff\xfe", b"\n", b"'\"`\\", b"$HOME", b"*"])
    }),
    works("arguments_that_look_like_options_are_arguments", |scene| {
        arguments(scene, &[b"--", b"-", b"--bind", b"--cwd", b"--help", b"-c", b"{command}"])
    }),
    works("an_argument_of_a_hundred_thousand_bytes_arrives", |scene| {
        let long = vec![b'x'; 100_000];
        arguments(scene, &[&long])
    }),
    works("a_thousand_arguments_arrive", |scene| arguments(scene, &[b"argument".as_slice(); 1000])),
    works("a_command_named_like_an_option_of_a_sandbox_is_a_command", |scene| {
        named(scene, "./--bind")
    }),
    works("a_command_with_a_blank_in_its_name_is_a_command", |scene| named(scene, "./a command")),
    works("a_command_with_a_line_break_in_its_name_is_a_command", |scene| {
        named(scene, "./a\ncommand")
    }),
    works("a_command_knows_the_name_by_which_it_was_called", |scene| {
        link(scene, "./other-name")?;
        let verdict = scene.probe("tell-own-name").named("./other-name").run()?.did()?;
        Ok(match verdict {
            Verdict::Held(name) if name != "./other-name" => {
                Verdict::Broken(format!("it was called {name}"))
            }
            verdict => verdict,
        })
    }),
    works("a_command_starts_in_the_workspace", |scene| {
        let expected = scene.world.workspace().display().to_string();
        Ok(match scene.probe("tell-folder").run()?.did()? {
            Verdict::Held(folder) if folder != expected => {
                Verdict::Broken(format!("it starts in {folder}"))
            }
            verdict => verdict,
        })
    }),
    works("an_exit_code_is_the_commands_own", |scene| exits(scene, "exit-with", "42", 42)),
    works("the_highest_exit_code_arrives", |scene| exits(scene, "exit-with", "255", 255)),
    works("a_death_by_a_polite_signal_is_told", |scene| {
        exits(scene, "die-by-signal", "TERM", 128 + 15)
    }),
    works("a_death_by_a_kill_is_told", |scene| exits(scene, "die-by-signal", "KILL", 128 + 9)),
    works("an_abort_is_told", |scene| exits(scene, "die-by-signal", "ABRT", 128 + 6)),
];

fn arguments(scene: &Scene<'_>, all: &[&[u8]]) -> Judged {
    let hex = |bytes: &&[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let expected = all.iter().map(hex).collect::<Vec<_>>().join(".");
    let task = all
        .iter()
        .fold(scene.probe("tell-arguments"), |task, word| task.arg(OsStr::from_bytes(word)));
    let report = task.run()?;
    Ok(match &report.said {
        Said::Did(told) if *told == expected => Verdict::Held("as they are".to_owned()),
        Said::Did(_) => Verdict::Broken("other bytes arrived".to_owned()),
        _ => return report.did(),
    })
}

/// Another name of the probe.
fn link(scene: &Scene<'_>, name: &str) -> Result<(), crate::verdict::Trouble> {
    let path = scene.inside(name);
    fs::hard_link(scene.world.probe(), &path)
        .or_else(|_| fs::copy(scene.world.probe(), &path).map(drop))
        .at("give the probe another name")
}

fn named(scene: &Scene<'_>, name: &str) -> Judged {
    link(scene, name)?;
    scene.probe("write-streams").named(name).run()?.did()
}

/// The runner ends as a shell tells it. Without a runner the signal itself is seen.
fn exits(scene: &Scene<'_>, word: &str, arg: &str, code: i32) -> Judged {
    use std::os::unix::process::ExitStatusExt;
    let output = scene.probe(word).arg(arg).output()?;
    let status = output.status;
    let told = status.code().or(status.signal().map(|signal| 128 + signal));
    Ok(match told == Some(code) {
        true => Verdict::Held(format!("told as {code}")),
        false => Verdict::Broken(format!("told as {status}")),
    })
}
