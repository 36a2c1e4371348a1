//! A real client: the Python SDK of the protocol drives whole sessions.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Setup, Sleep, confined, finish, ignored};

/// A Python that has the SDK: the one that `COFFERDAM_TEST_PYTHON` names, or the one on PATH.
fn python() -> Option<String> {
    let python = std::env::var("COFFERDAM_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut probe = Command::new(&python);
    probe.args(["-c", "from mcp import Client, MCPError"]).stdin(Stdio::null());
    match probe.output() {
        Ok(output) if output.status.success() => Some(python),
        _ => {
            ignored(format!("`{python}` has no Python package `mcp` with a `Client`"));
            None
        }
    }
}

/// The server's command line, as its user.
fn server(setup: &Setup) -> Vec<String> {
    let command = setup.serve_command(json!({}));
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words = words.map(|word| word.to_str().unwrap().to_owned());
    setup.user.words().into_iter().chain(words).collect()
}

/// Runs sessions with these calls: each a tool, its arguments, and how long the client waits.
fn sessions(python: &str, setup: &Setup, calls: &Value) -> Value {
    let mut command = Command::new(python);
    command.args(["-c", include_str!("sdk.py"), &calls.to_string()]);
    command.args(server(setup)).current_dir(setup.place.path("work"));
    command.env("HOME", setup.place.path("home"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = finish(command.spawn().unwrap());
    ran.exited(0).payload()
}

/// The payload in a result that is none of the caller's mistakes.
fn payload(result: &Value) -> Value {
    assert_eq!(result["isError"], false, "{result}");
    let payload: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(result["structuredContent"], payload, "{result}");
    payload
}

#[test]
fn a_session_of_the_python_sdk_in_both_modes() {
    let Some(python) = python() else { return };
    confined(|setup| {
        let outside = setup.place.text("outside/x");
        let sleep = Sleep::new(781);
        let calls = json!([
            ["sh_allowed", {}],
            ["sh_run", { "command": "echo", "args": ["a b", "$HOME"] }],
            ["sh_run", { "command": "ls -la | head" }],
            ["sh_run", { "command": "echo", "args": "not an array" }],
            ["sh_run", { "command": "sh", "args": ["-c", "echo x > \"$1\" || exit 7", "sh", outside] }],
            ["sh_run", { "command": "nosuchtool" }],
            ["sh_run", { "command": "sleep", "args": [sleep.seconds()], "timeout": 600 }, 1],
            ["sh_run", { "command": "echo", "args": ["still here"] }],
        ]);
        let came = sessions(&python, setup, &calls);
        for (mode, version) in [("auto", "2026-07-28"), ("legacy", "2025-11-25")] {
            let came = &came[mode];
            assert_eq!(came["version"], version, "{came}");
            assert_eq!(came["server"], "tests", "{came}");
            let tools = came["tools"].as_array().unwrap();
            assert!(tools.contains(&json!("sh_run")), "{came}");

            let results = came["results"].as_array().unwrap();
            assert_eq!(payload(&results[1])["stdout"], "a b $HOME\n");
            let explained = results[2]["isError"] == true || payload(&results[2])["exit"] == -1;
            assert!(explained, "{}", results[2]);
            assert_eq!(results[3]["isError"], true, "{}", results[3]);
            let confined = payload(&results[4]);
            assert_eq!(confined["exit"], 7, "{confined}");
            assert_eq!(confined["sandbox"]["active"], true, "{confined}");
            let missing = payload(&results[5]);
            assert_eq!(missing["exit"], -1, "{missing}");
            assert!(results[6]["error"].is_string(), "the client gave up: {}", results[6]);
            assert_eq!(payload(&results[7])["stdout"], "still here\n");
        }
        sleep.await_gone();
        assert!(!setup.place.has("outside/x"));
    });
}
