//! Calls of any size and shape leave the server up, and are answered briefly.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Answer, Client, Setup};

/// More than a kernel takes as one argument, and than a thread has stack for.
const LONG: usize = 1024 * 1024;

/// As many arguments as a kernel takes, and more than a thread has stack for.
const MANY: usize = 100_000;

/// What could be read by calling oneself, or by looking at the rest again and again.
const PIECES: [&str; 9] =
    ["a://", "a:b@", "nohup ", "-eyJ.", "token: ", "{\"password\":\"", "../", "\u{1b}", "é"];

/// A server with everything on that looks at what callers send.
fn server(setup: &Setup) -> Client {
    let audit = setup.place.folder("audit").join("calls.jsonl");
    setup.serve(json!({ "audit": audit, "guard": "leaf-tools", "compress": true }))
}

/// It is a result, and does not send back what was sent.
#[track_caller]
fn is_brief(answer: &Answer, what: &str) {
    let is_result = answer.is_error || answer.payload["exit"].is_number();
    assert!(is_result || answer.payload["job"].is_string(), "{what}: {answer:?}");
    // The most that is kept of both streams, as JSON.
    assert!(answer.text.len() < 256 * 1024, "{what}: {} bytes", answer.text.len());
}

/// Each record is one line that can be read, and there is one of every call.
#[track_caller]
fn is_recorded(setup: &Setup, calls: usize) {
    let text = fs::read_to_string(setup.place.path("audit/calls.jsonl")).unwrap();
    let records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ends = records.iter().filter(|record| record["outcome"] != "started").count();
    assert_eq!(ends, calls);
    let longest = text.lines().map(str::len).max().unwrap_or(0);
    assert!(longest < 256 * 1024, "{longest} bytes");
}

#[test]
fn texts_of_a_megabyte_are_answered_and_recorded() {
    let setup = Setup::plain();
    let mut client = server(&setup);
    let mut calls = 0;
    for piece in PIECES {
        let long = piece.repeat(LONG / piece.len());
        for arguments in [
            json!({ "command": long }),
            json!({ "command": format!("./{long}"), "args": [long] }),
            json!({ "command": "git", "args": ["log", long, "-u", long] }),
            json!({ "command": "sed", "args": ["-n", long] }),
            json!({ "command": "true", "cwd": long }),
            json!({ "command": "cat", "stdin": long }),
            json!({ "command": "cat", "stdin-file": long }),
            json!({ "command": "true", "stdout-append": long }),
            json!({ "pipeline": [{ "command": "true" }, { "command": long, "args": [long] }] }),
        ] {
            let answer = client.run(arguments.clone());
            is_brief(&answer, piece);
            calls += 1;
        }
        is_brief(&client.call("sh_start", json!({ "command": long, "args": [long] })), piece);
        calls += 1;
        // These are malformed.
        is_brief(&client.run(json!({ "command": "true", "env": { "TOKEN": long } })), piece);
        is_brief(&client.run(json!({ "command": "true", (long.as_str()): 1 })), piece);
        is_brief(&client.run(json!({ "command": "true", "args": long })), piece);
        for tool in ["sh_poll", "sh_kill", "sh_output"] {
            is_brief(&client.call(tool, json!({ "job": long })), piece);
        }
    }
    client.run(json!({ "command": "echo", "args": ["alive"] })).printed("alive\n");
    assert!(client.closed().exited(0).stderr.len() < LONG);
    is_recorded(&setup, calls + 1);
}

#[test]
fn a_hundred_thousand_arguments_are_answered_and_recorded() {
    let setup = Setup::plain();
    let mut client = server(&setup);
    let none: [&str; 0] = [];
    let rows = [
        ("true", &none[..], "x"),
        ("true", &["-c"], ""),
        ("true", &none, "--token"),
        ("true", &none, "-u"),
        ("nohup", &none, "nohup"),
        ("env", &none, "env"),
        ("env", &none, "A=b"),
        ("timeout", &["1"], "--"),
        ("xargs", &none, "-0"),
        ("sudo", &none, "sudo"),
        ("git", &none, "-C"),
        ("git", &["log"], "--grep"),
        ("sort", &none, "-k"),
        ("sort", &none, "--"),
        ("sed", &none, "-e"),
        ("awk", &none, "{print}"),
        ("tar", &none, "a:b"),
        ("curl", &none, "-u"),
        ("python3", &["-m"], "-m"),
        ("cargo", &none, "+x"),
    ];
    for (command, first, arg) in rows {
        let args = first.iter().copied().chain(std::iter::repeat_n(arg, MANY));
        let answer = client.run(json!({ "command": command, "args": args.collect::<Vec<_>>() }));
        is_brief(&answer, &format!("{command} {arg}"));
        if command == "true" {
            answer.exited(0);
        }
    }
    let many = json!({ "command": "nohup", "args": vec!["nohup"; MANY / 16] });
    is_brief(&client.run(json!({ "pipeline": vec![many; 16] })), "many in each stage");
    let answer = client.run(json!({ "pipeline": vec![json!({ "command": "true" }); MANY] }));
    answer.refused(&["at most 16 stages"]);
    is_brief(&answer, "many stages");
    client.run(json!({ "command": "echo", "args": ["alive"] })).printed("alive\n");
    client.closed().exited(0);
    is_recorded(&setup, rows.len() + 3);
}
