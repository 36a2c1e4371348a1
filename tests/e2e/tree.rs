//! The whole tree of a run ends with it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Launcher, Sleep, User, everywhere, under, with_namespaces};

fn sh(script: &str, timeout: f64) -> Value {
    json!({ "command": "sh", "args": ["-c", script], "timeout": timeout })
}

#[test]
fn a_background_child_that_keeps_the_pipe_holds_nobody_up() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(600);
        let script = format!("sleep {} & echo hi", sleep.seconds());
        // The sleep would hold the pipe for longer than the test waits for an answer.
        let answer = client.run(sh(&script, 300.0));
        answer.printed("hi\n");
        assert_eq!(answer.payload["timed-out"], false);
        sleep.await_gone();
    });
}

#[test]
fn a_timeout_takes_grandchildren_too() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(611);
        let script = format!("sleep {0} & sleep {0}", sleep.seconds());
        let answer = client.run(sh(&script, 1.0));
        assert_eq!(answer.exited(137)["timed-out"], true, "{answer:?}");
        sleep.await_gone();
    });
}

#[test]
fn whoever_ignores_the_polite_signals_ends_as_well() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(616);
        let script = format!("trap '' TERM INT HUP; sleep {0}; sleep {0}", sleep.seconds());
        let answer = client.run(sh(&script, 0.5));
        assert_eq!(answer.exited(137)["timed-out"], true, "{answer:?}");
        sleep.await_gone();
    });
}

#[test]
fn in_a_pid_namespace_even_a_daemon_ends_with_its_run() {
    with_namespaces(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(613);
        let script = format!("setsid sleep {0} & sleep {0}", sleep.seconds());
        let answer = client.run(sh(&script, 1.0));
        assert_eq!(answer.exited(137)["timed-out"], true, "{answer:?}");
        sleep.await_gone();
        let daemon = format!("setsid sleep {} > /dev/null 2>&1 & echo hi", sleep.seconds());
        client.run(sh(&daemon, 30.0)).printed("hi\n");
        sleep.await_gone();
    });
}

#[test]
fn what_an_endless_program_printed_is_kept() {
    under(&Launcher::EVERY, &[User::Own], |setup| {
        let mut client = setup.serve(json!({}));
        let program = "import time\nprint('ready')\nwhile 1: time.sleep(1)";
        let call = json!({ "command": "python3", "args": ["-u", "-c", program], "timeout": 3 });
        let answer = client.run(call);
        let payload = answer.exited(137);
        assert_eq!(payload["timed-out"], true, "{payload}");
        assert_eq!(payload["stdout"], "ready\n", "{payload}");
    });
}

#[test]
fn a_flood_does_not_hold_up_the_timeout() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let answer = client.run(json!({ "command": "yes", "timeout": 0.5 }));
        assert_eq!(answer.exited(137)["timed-out"], true, "{answer:?}");
    });
}

#[test]
fn the_answer_waits_for_what_is_written_late_but_not_for_ever() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        // The pipe stays open; what was written before the end must be there all the same.
        let sleep = Sleep::new(600);
        let script = format!("sleep {} & head -c 100000 /dev/zero | tr '\\0' x", sleep.seconds());
        let begun = Instant::now();
        let answer = client.run(sh(&script, 300.0));
        let payload = answer.exited(0);
        let kept = payload["stdout"].as_str().unwrap().matches('x').count() as u64;
        let dropped = payload["truncated"]["stdout"]["bytes"].as_u64().unwrap();
        assert_eq!(kept + dropped, 100_000);
        assert!(begun.elapsed() < Duration::from_secs(300), "it waited for the sleep");
        sleep.await_gone();
    });
}
