//! One test for each promise, for a launcher's own conformance test.
//!
//! The test binary is everything at once: the harness, the runner (`run` as its first argument), the
//! probe (`probe`), and, where root runs the tests, the same once more for an ordinary user.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};
use rustix::process::getuid;

use crate::{CLASSES, Class, Found, Kind, Promise, Stage, Subject, Unpromised, attempt, find};

/// A launcher as the battery tries it.
#[derive(Debug, Clone, Copy)]
pub struct Launcher {
    /// The name in the tests.
    pub name: &'static str,
    /// What makes the runner use it, with a profile.
    pub options: &'static [&'static str],
    /// Whether rules can be added to what it enforces.
    pub takes_profile: bool,
    /// What it does not promise.
    pub unpromised: &'static [Unpromised],
}

/// The word after which a launcher and a promise stand, for one attempt as whoever runs this.
const ATTEMPT: &str = "attempt";
/// An ordinary user, whom nobody needs to have made.
const ORDINARY: u32 = 65534;

/// The whole test binary. `runner` does what the program does with `run` and `probe`.
pub fn main(launchers: &'static [Launcher], runner: fn() -> ExitCode) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    match words.first().and_then(|word| word.to_str()) {
        Some("run") => runner(),
        Some("probe") => crate::probe::main(&words[1..]),
        Some(ATTEMPT) => single(launchers, &words[1..]),
        _ => libtest_mimic::run(&Arguments::from_args(), trials(launchers)).exit_code(),
    }
}

/// One attempt in a process of its own, by the names of the launcher and the promise.
fn single(launchers: &[Launcher], words: &[OsString]) -> ExitCode {
    let named = |index: usize| words.get(index).and_then(|word| word.to_str()).unwrap_or_default();
    let launcher = launchers.iter().find(|launcher| launcher.name == named(0));
    let (Some(launcher), Some((class, promise)), Ok(stage)) =
        (launcher, find(named(1)), Stage::own())
    else {
        return ExitCode::from(2);
    };
    match judge(launcher, class, promise, &stage) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            say(&failed);
            ExitCode::FAILURE
        }
    }
}

fn trials(launchers: &'static [Launcher]) -> Vec<Trial> {
    let stage: Arc<OnceLock<Stage>> = Arc::default();
    let users = if getuid().is_root() { &["root", "ordinary"][..] } else { &["ordinary"] };
    let mut trials = Vec::new();
    for launcher in launchers {
        for class in CLASSES {
            for promise in class.promises {
                for user in users {
                    let name =
                        format!("{}::{user}::{}::{}", launcher.name, class.name, promise.name);
                    let stage = stage.clone();
                    trials.push(Trial::test(name, move || {
                        let as_other = *user == "ordinary" && getuid().is_root();
                        run(launcher, class, promise, &stage, as_other)
                    }));
                }
            }
        }
    }
    trials
}

fn run(
    launcher: &Launcher,
    class: &Class,
    promise: &Promise,
    stage: &OnceLock<Stage>,
    as_other: bool,
) -> Result<(), Failed> {
    if stage.get().is_none() {
        let made = Stage::new()?;
        if getuid().is_root() {
            // So that this user, too, may link it into a workspace, and not have to copy it.
            std::os::unix::fs::chown(made.program(), Some(ORDINARY), Some(ORDINARY))?;
        }
        // Where two threads come here at once, one of the copies is dropped again.
        let _ = stage.set(made);
    }
    let stage = stage.get().ok_or("there is no stage")?;
    if !as_other {
        return judge(launcher, class, promise, stage).map_err(Failed::from);
    }
    let output = Command::new(stage.program())
        .args([ATTEMPT, launcher.name, promise.name])
        .uid(ORDINARY)
        .gid(ORDINARY)
        .current_dir("/")
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.success() {
        true => {
            say(said.trim());
            Ok(())
        }
        false => Err(format!("{}{}", said, String::from_utf8_lossy(&output.stderr)).into()),
    }
}

/// Whether the launcher keeps its word.
fn judge(
    launcher: &Launcher,
    class: &Class,
    promise: &Promise,
    stage: &Stage,
) -> Result<(), String> {
    let listed = launcher.unpromised.iter().find(|entry| entry.covers(class, promise));
    if let Some(Unpromised { because, instead, .. }) = listed {
        say(&format!("ignored, because {because}; {instead} promises it"));
        return Ok(());
    }
    let subject = Subject::new(launcher.name, launcher.options, launcher.takes_profile);
    match attempt(class, promise, &subject, stage, &BTreeSet::new()) {
        Found::Held(how) => {
            say(&how);
            Ok(())
        }
        Found::Untried(why) => {
            say(&format!("ignored, because {why}"));
            Ok(())
        }
        Found::Excused(rules) => {
            say(&format!("ignored, because there is no {}", rules.join(", ")));
            Ok(())
        }
        Found::Refused(why) => Err(format!("the rule is refused: {why}")),
        Found::Broken(how) => Err(match promise.kind {
            Kind::Forbidden => format!("broken: {how}"),
            Kind::Works => format!("it does not work: {how}"),
        }),
        Found::Failed(why) => Err(format!("the battery failed: {why}")),
    }
}

#[expect(clippy::print_stdout, reason = "a test tells what it met")]
fn say(text: &str) {
    println!("{text}");
}
