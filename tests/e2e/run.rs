//! `cofferdam run`: what a person at a shell sees.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{
    Launcher, Setup, Sleep, User, confined, everywhere, finish, ignored, under, users,
};

/// Tries to write a file, and has an exit code of its own for the failure.
const TRY_TO_WRITE: &str = "echo x > \"$1\" || exit 7";

#[test]
fn the_workspace_can_be_written_and_read_and_success_is_silent() {
    let launchers = [Launcher::Landlock, Launcher::Bubblewrap, Launcher::Auto];
    under(&launchers, &users(), |setup| {
        let script = "echo hi > in.txt && cat in.txt";
        setup.run(&["--profile", "workspace"], ["sh", "-c", script]).printed("hi\n");
        assert_eq!(setup.place.read("work/in.txt"), "hi\n");
    });
}

#[test]
fn a_write_outside_fails_as_the_commands_own_failure_and_leaves_nothing() {
    let launchers = [Launcher::Landlock, Launcher::Bubblewrap, Launcher::Auto];
    under(&launchers, &users(), |setup| {
        let outside = setup.place.text("outside/x");
        let command = ["sh", "-c", TRY_TO_WRITE, "sh", &outside];
        setup.run(&[], command).exited(7).said(&["outside/x"]);
        let payload = setup.payload(&["--profile", "workspace"], command);
        assert_eq!(payload["exit"], 7, "{payload}");
        assert_eq!(payload["sandbox"]["active"], true, "{payload}");
        assert!(payload["stderr"].as_str().unwrap().contains("outside/x"), "{payload}");
        assert!(!setup.place.has("outside/x"));
    });
}

#[test]
fn the_home_directory_is_neither_read_nor_written() {
    confined(|setup| {
        setup.place.file("home/.ssh/id_ed25519", "SECRET");
        setup.place.file("home/notes", "SECRET");
        let home = setup.place.text("home");
        for name in [".ssh/id_ed25519", "notes"] {
            let ran = setup.run(&[], ["cat".to_owned(), format!("{home}/{name}")]);
            ran.exited(1);
            assert_eq!(ran.stdout, "");
        }
        let bashrc = setup.place.text("home/.bashrc");
        setup.run(&[], ["sh", "-c", TRY_TO_WRITE, "sh", &bashrc]).exited(7);
        assert!(!setup.place.has("home/.bashrc"));
    });
}

#[test]
fn a_command_has_a_private_home_and_a_temporary_directory_of_its_own() {
    confined(|setup| {
        let script = "cd && echo x > f && cd \"$TMPDIR\" && echo x > f && mktemp > /dev/null";
        setup.sh(script).printed("");
        assert_eq!(setup.place.list("home"), [""; 0], "the real home was written");
        setup.sh("ls -A \"$HOME\"; ls -A \"$TMPDIR\"").printed(".gitconfig\n");
    });
}

#[test]
fn the_streams_are_those_of_the_caller() {
    everywhere(|setup| {
        let mut command = setup.run_command(&[], ["sh", "-c", "cat; echo err >&2"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"a\0b\n").unwrap();
        let ran = finish(child);
        assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (Some(0), "a\0b\n", "err\n"));
    });
}

#[test]
fn the_exit_code_is_the_commands_own() {
    everywhere(|setup| {
        for code in [1, 2, 124, 125, 126, 127, 255] {
            let ran = setup.sh(&format!("exit {code}"));
            assert_eq!((ran.code, &*ran.stderr), (Some(code), ""));
        }
        setup.sh("kill -TERM $$").exited(143);
        setup.sh("kill -KILL $$").exited(137);
    });
}

#[test]
fn a_missing_program_is_127_and_one_that_cannot_be_run_126() {
    everywhere(|setup| {
        setup.run(&[], ["nosuchtool"]).exited(127).said(&["nosuchtool", "not found"]);
        setup.run(&[], ["./nosuchtool"]).exited(127).said(&["nosuchtool"]);
        setup.place.file("work/plain", "#!/bin/sh\n");
        setup.run(&[], ["./plain"]).exited(126).said(&["plain", "permission denied"]);
        setup.run(&[], ["/usr"]).exited(126).said(&["/usr", "is a directory"]);
    });
}

#[test]
fn the_name_of_a_command_is_never_an_option_of_a_wrapper() {
    everywhere(|setup| {
        for name in ["--version", "--help", "--bind", "--", "-"] {
            let ran = setup.run(&[], [name]);
            ran.exited(127).said(&[name]);
            assert_eq!(ran.stdout, "");
        }
    });
}

#[test]
fn time_that_is_up_is_124_and_nothing_is_left() {
    everywhere(|setup| {
        let sleep = Sleep::new(311);
        let script = format!("echo early; sleep {0} & sleep {0}", sleep.seconds());
        let ran = setup.run(&["--timeout", "0.5"], ["sh", "-c", &script]);
        assert_eq!(ran.exited(124).stdout, "early\n");
        sleep.await_gone();

        let payload = setup.payload(&["--timeout", "0.5"], ["sh", "-c", &script]);
        assert_eq!(payload["exit"], 137, "{payload}");
        assert_eq!(payload["timed-out"], true, "{payload}");
        assert_eq!(payload["stdout"], "early\n", "{payload}");
        sleep.await_gone();
    });
}

#[test]
fn a_command_line_that_makes_no_sense_is_2_and_a_failure_of_cofferdam_125() {
    let setup = Setup::plain();
    let run = |words: &[&str]| finish(setup.cofferdam(words).spawn().unwrap());
    run(&["run", "--jsn", "true"]).exited(2).said(&["--jsn", "--json"]);
    run(&["run"]).exited(2).said(&["CMD"]);
    run(&["run", "--launcher", "landlok", "--", "true"]).exited(125).said(&["landlok", "landlock"]);
    run(&["run", "--profile", "worksapce", "--", "true"])
        .exited(125)
        .said(&["worksapce", "workspace"]);
    run(&["run", "--launcher", "none", "--net", "--", "true"]).exited(125).said(&["--net", "none"]);
    run(&["run", "-C", "/no/such", "--", "true"]).exited(125).said(&["/no/such"]);
}

#[test]
fn alone_it_gives_short_help_and_exits_2() {
    let setup = Setup::plain();
    let ran = finish(setup.cofferdam([""; 0]).spawn().unwrap());
    ran.exited(2).said(&["run", "serve", "check"]);
    assert_eq!(ran.stdout, "");
}

#[test]
fn the_payload_has_sorted_keys_and_no_more_than_apply() {
    everywhere(|setup| {
        let ran = setup.run(&["--json"], ["echo", "main"]);
        let Value::Object(payload) = ran.payload() else { panic!("{ran:?}") };
        match setup.launcher {
            Launcher::None => assert_eq!(
                ran.stdout,
                "{\"exit\":0,\"stderr\":\"\",\"stdout\":\"main\\n\",\"timed-out\":false}\n"
            ),
            _ => {
                assert!(ran.stdout.starts_with(r#"{"exit":0,"sandbox":{"active":true"#), "{ran:?}");
                assert_eq!(payload.len(), 5, "{ran:?}");
            }
        }
        let nothing_ran = setup.run(&["--json"], ["nosuchtool"]);
        let payload = nothing_ran.exited(127).payload();
        assert_eq!(payload["exit"], -1, "{payload}");
        assert_eq!(payload.as_object().unwrap().len(), 4, "{payload}");
        assert!(payload["stderr"].as_str().unwrap().contains("nosuchtool"), "{payload}");
    });
}

#[test]
fn signals_are_passed_on_to_the_command() {
    everywhere(|setup| {
        for (signal, name) in [(Signal::TERM, "TERM"), (Signal::HUP, "HUP"), (Signal::INT, "INT")] {
            let sleep = Sleep::new(313);
            let script = format!(
                "trap 'echo got {name}; exit 7' {name}; echo ready; sleep {} & wait",
                sleep.seconds()
            );
            let mut child = setup.run_command(&[], ["sh", "-c", &script]).spawn().unwrap();
            let mut stdout = BufReader::new(child.stdout.take().unwrap());
            let mut line = String::new();
            stdout.read_line(&mut line).unwrap();
            assert_eq!(line, "ready\n");
            kill_process(Pid::from_child(&child), signal).unwrap();
            line.clear();
            stdout.read_line(&mut line).unwrap();
            assert_eq!(line, format!("got {name}\n"));
            finish(child).exited(7);
            sleep.await_gone();
        }
    });
}

#[test]
fn signals_are_passed_on_where_the_session_is_one_from_outside_of_the_pid_namespace() {
    everywhere(|setup| {
        if setup.user == User::Ordinary || !rustix::process::geteuid().is_root() {
            return ignored("only root makes a pid namespace in which all users stay who they are");
        }
        let pipe = setup.place.path("work/pipe");
        let script = format!(
            "mkfifo {0}; \"$@\" > {0} & exec 3< {0}; read line <&3; kill -TERM $!; \
             wait $!; echo \"exit $?\"; cat <&3",
            pipe.display()
        );
        let inner = setup.run_command(
            &[],
            ["sh", "-c", "trap 'echo got TERM; exit 7' TERM; echo ready; sleep 314 & wait"],
        );
        let mut outer = Command::new("unshare");
        outer.args(["--pid", "--fork", "--mount-proc", "sh", "-c", &script, "sh"]);
        outer.arg(inner.get_program()).args(inner.get_args());
        setup.prepared(&mut outer);
        let ran = finish(outer.spawn().unwrap());
        assert!(ran.stdout.contains("exit 7\n") && ran.stdout.contains("got TERM\n"), "{ran:?}");
    });
}

#[test]
fn a_command_dies_with_a_killed_cofferdam() {
    everywhere(|setup| {
        let sleep = Sleep::new(315);
        let mut child = setup.run_command(&[], ["sleep", sleep.seconds()]).spawn().unwrap();
        sleep.await_running(1);
        kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
        child.wait().unwrap();
        sleep.await_gone();
    });
}

#[test]
fn what_a_command_leaves_in_the_background_ends_with_it() {
    everywhere(|setup| {
        let sleep = Sleep::new(317);
        let script = format!("sleep {} > /dev/null 2>&1 & echo hi", sleep.seconds());
        setup.sh(&script).printed("hi\n");
        sleep.await_gone();
        let payload =
            setup.payload(&[], ["sh", "-c", &format!("sleep {} & echo hi", sleep.seconds())]);
        assert_eq!(payload["stdout"], "hi\n", "{payload}");
        sleep.await_gone();
    });
}

#[test]
fn the_scratch_folders_are_removed_at_the_end() {
    confined(|setup| {
        let tmp = setup.place.folder("tmp");
        let mut command = setup.run_command(&[], ["sh", "-c", "echo x > \"$TMPDIR/f\"; exit 3"]);
        finish(command.env("TMPDIR", &tmp).spawn().unwrap()).exited(3);
        assert_eq!(setup.place.list("tmp"), [""; 0]);
    });
}

#[test]
fn what_a_killed_cofferdam_left_behind_is_removed_by_the_next() {
    confined(|setup| {
        let tmp = setup.place.folder("tmp");
        let sleep = Sleep::new(319);
        let mut command = setup.run_command(&[], ["sleep", sleep.seconds()]);
        let mut child = command.env("TMPDIR", &tmp).spawn().unwrap();
        sleep.await_running(1);
        kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
        child.wait().unwrap();
        sleep.await_gone();
        assert_ne!(setup.place.list("tmp"), [""; 0], "there was nothing to remove");
        let mut next = setup.run_command(&[], ["true"]);
        finish(next.env("TMPDIR", &tmp).spawn().unwrap()).printed("");
        assert_eq!(setup.place.list("tmp"), [""; 0]);
    });
}

#[test]
fn the_root_the_home_and_what_holds_cofferdams_own_files_are_no_workspace() {
    confined(|setup| {
        setup.place.folder("home/.config/cofferdam");
        let (home, config) = (setup.place.text("home"), setup.place.text("home/.config"));
        for dir in ["/", &home, &config] {
            let ran = setup.run(&["-C", dir], ["touch", "ran"]);
            ran.exited(125).said(&[dir]);
        }
        assert!(!setup.place.has("home/ran"));
    });
}

#[test]
fn explain_runs_nothing() {
    everywhere(|setup| {
        let launcher = setup.launcher.option();
        let words = ["explain", "--launcher", &launcher, "--", "touch", "ran"];
        let ran = finish(setup.cofferdam(words).spawn().unwrap());
        ran.exited(0);
        assert!(ran.stdout.contains("touch"), "{ran:?}");
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn check_names_every_launcher_and_what_works() {
    for user in users() {
        let setup = Setup::new(Launcher::Auto, user);
        let ran = finish(setup.cofferdam(["check"]).spawn().unwrap());
        let works = setup.launcher.hindrance(user).is_none();
        ran.exited(if works { 0 } else { 1 });
        for launcher in Launcher::CONFINING {
            assert!(ran.stdout.contains(launcher.name()), "{ran:?}");
        }
        let ran = finish(setup.cofferdam(["check", "--json"]).spawn().unwrap());
        assert_ne!(ran.payload(), json!(null));
    }
}
