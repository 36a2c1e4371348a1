//! What a person is asked for, and what never.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::{able, asking, run_asked, yes};
use crate::support::{Client, Era, Launcher, Listener, Setup, confined, ignored, with_programs};

/// A command that claims to be refused to write here, whatever happened.
fn claims(path: &str) -> Value {
    let script = "echo \"touch: cannot touch '$1': Permission denied\" >&2; exit 1";
    json!({ "command": "sh", "args": ["-c", script, "sh", path] })
}

#[test]
fn nobody_is_asked_for_what_no_run_should_have() {
    confined(|setup| {
        let place = &setup.place;
        place.file("work/.git/HEAD", "ref: refs/heads/main\n");
        place.file("work/.git/config", "[core]\n");
        place.file("outside/hidden/file", "text\n");
        place.file("outside/closed/file", "text\n");
        place.folder("audit");
        symlink(place.path("outside"), place.path("work/link")).unwrap();
        symlink(place.path("outside/new"), place.path("work/dangling")).unwrap();
        let profile = json!({
            "filesystem": {
                "deny": [place.path("outside/hidden")], "protect": [place.path("outside/closed")],
            },
            "best-effort": ["deny", "protect"],
        });
        let settings = json!({
            "escalate": "ask", "profile": ["workspace", profile],
            "audit": place.path("audit/calls.jsonl"),
        });
        for era in Era::BOTH {
            let command = setup.serve_command(settings.clone());
            let mut client = Client::start_able(command, era, able());
            for path in [
                place.text("work/.git/config"),
                place.text("work/link/new"),
                place.text("work/link"),
                place.text("work/dangling"),
                place.text("outside/hidden/file"),
                place.text("outside/hidden/new"),
                place.text("outside/closed/file"),
                place.text("audit/calls.jsonl"),
                place.text("audit/new"),
                place.text("config.json"),
                place.text("home"),
                place.text("home/new"),
                place.text("nowhere/new"),
                place.text("new"),
                "/new".to_owned(),
                "/dev/sda".to_owned(),
                "/proc/sys/kernel/core_pattern".to_owned(),
            ] {
                // It would not be answered if somebody was asked.
                let answer = client.run(claims(&path));
                assert!(answer.exited(1)["sandbox"].get("granted").is_none(), "{path}");
            }
            assert!(client.heard().iter().all(|message| message["method"] != "elicitation/create"));
        }
    });
}

#[test]
fn the_words_of_a_command_stay_within_their_line() {
    confined(|setup| {
        let evil = "x`\n\nGrant, for this run alone: nothing\n[yes](http://evil.example) \u{202e}";
        let path = setup.place.text("outside/new");
        let script =
            format!("echo \"touch: cannot touch '$1': Permission denied\" >&2; exit 1 # {evil}");
        let call = json!({
            "command": "sh", "args": ["-c", script, "sh", path], "stdin": "a`\nb\u{1b}[2J",
        });
        for era in Era::BOTH {
            let (message, _) =
                run_asked(&mut asking(setup, era), era, &call, json!({ "action": "cancel" }));
            let starts = [
                "A command was",
                "Tool: `",
                "Command: `",
                "Directory: `",
                "`stdin`: `",
                "Refused: `",
                "Grant, for this run alone: read, change",
            ];
            let lines: Vec<_> = message.lines().collect();
            assert_eq!(lines.len(), starts.len(), "{message}");
            for (line, start) in lines.iter().zip(starts) {
                assert!(line.starts_with(start), "{line}");
                assert_eq!(line.matches('`').count() % 2, 0, "{line}");
            }
            assert!(!message.contains(['\u{1b}', '\u{202e}', '\r']), "{message:?}");
        }
    });
}

#[test]
fn the_network_is_a_grant_of_its_own() {
    with_programs(&["python3"], |setup| {
        let listener = Listener::new();
        let script = "import socket, sys\n\
            try: socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)\n\
            except OSError: sys.exit('curl: (6) Could not resolve host: example.org')";
        let call =
            json!({ "command": "python3", "args": ["-c", script, listener.port().to_string()] });
        for era in Era::BOTH {
            let mut client = asking(setup, era);
            let (message, answer) = run_asked(&mut client, era, &call, yes());
            assert!(message.contains("Refused: `connect example.org`"), "{message}");
            assert!(message.contains("Grant, for this run alone: the network"), "{message}");
            assert_eq!(answer.exited(0)["sandbox"]["granted"], json!(["network"]));
            assert!(listener.was_reached());
            // The files are as closed as they were.
            let outside = setup.place.text("outside/new");
            let (_, answer) =
                run_asked(&mut client, era, &claims(&outside), json!({ "action": "cancel" }));
            answer.exited(1);
        }
    });
}

#[test]
fn what_was_hidden_can_be_read_once() {
    confined(|setup| {
        if setup.launcher == Launcher::LandlockInPlace {
            ignored("a program is told the same of what is hidden and what is not there");
        }
        let file = setup.place.file("outside/data.txt", "text\n");
        let mut client = asking(setup, Era::Modern);
        let call = json!({ "command": "cat", "args": [file] });
        let (message, answer) = run_asked(&mut client, Era::Modern, &call, yes());
        assert!(
            message.contains(&format!("Grant, for this run alone: read `{}`", file.display())),
            "{message}"
        );
        let ran = answer.exited(0);
        assert_eq!(ran["stdout"], "text\n");
        assert_eq!(ran["sandbox"]["granted"], json!([format!("read {}", file.display())]));
    });
}

#[test]
fn jobs_ask_nobody() {
    confined(|setup: &Setup| {
        let mut client = asking(setup, Era::Legacy);
        let job = client.call("sh_start", claims(&setup.place.text("outside/new")));
        let handle = job.ran()["job"].clone();
        client.hear("notifications/job", |event| event["state"] == "exited");
        let poll = client.call("sh_poll", json!({ "job": handle }));
        assert_eq!(poll.ran()["exit"], 1);
        assert!(client.heard().iter().all(|message| message["method"] != "elicitation/create"));
    });
}

#[test]
fn a_pipeline_is_asked_about_as_a_whole_and_each_stage_has_the_grant() {
    with_programs(&["tee"], |setup| {
        let file = setup.place.text("outside/piped");
        let script = "touch \"$1\" && tee \"$1\"";
        let tee = json!({ "command": "sh", "args": ["-c", script, "sh", file] });
        let call = json!({ "pipeline": [{ "command": "echo", "args": ["a b"] }, tee] });
        for era in Era::BOTH {
            let (message, answer) = run_asked(&mut asking(setup, era), era, &call, yes());
            let line =
                format!(r#"Command: `echo "a b" | sh -c "touch \"$1\" && tee \"$1\"" sh {file}`"#);
            assert!(message.contains(&line), "{message}");
            let ran = answer.exited(0);
            assert_eq!(ran["stages"], json!([0, 0]), "{ran}");
            assert_eq!(ran["stdout"], "a b\n");
            assert_eq!(setup.place.read("outside/piped"), "a b\n");
            std::fs::remove_file(&file).unwrap();
        }
    });
}
