//! A real client: the Python SDK of the protocol drives whole sessions.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Setup, Sleep, confined, finish, ignored};

/// A Python that has the SDK: the one that `COFFERDAM_TEST_PYTHON` names, or the one on PATH.
pub(crate) fn python() -> Option<String> {
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

/// The command line of a server, as its user.
pub(crate) fn words_of(setup: &Setup, command: &Command) -> Vec<String> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words = words.map(|word| word.to_str().unwrap().to_owned());
    setup.user.words().into_iter().chain(words).collect()
}

/// Runs sessions with this server and these calls: each a tool, its arguments, and how long the client
/// waits.
fn sessions(python: &str, setup: &Setup, server: &Command, calls: &Value) -> Value {
    let mut command = Command::new(python);
    command.args(["-c", include_str!("sdk.py"), &calls.to_string()]);
    command.args(words_of(setup, server)).current_dir(setup.place.path("work"));
    command.env("HOME", setup.place.path("home"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = finish(command.spawn().unwrap());
    ran.exited(0).payload()
}

/// The payload in a result that is none of the caller's mistakes.
pub(crate) fn payload(result: &Value) -> Value {
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
        let server = setup.serve_command(json!({}));
        let came = sessions(&python, setup, &server, &calls);
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

/// The only text of a result.
fn text(result: &Value) -> &str {
    assert_eq!(result["structuredContent"], Value::Null, "{result}");
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn the_python_sdk_reads_answers_of_another_shape() {
    let Some(python) = python() else { return };
    let setup = Setup::plain();
    let server = setup.serve_command(json!({
        "names": { "run": "shell_execute" }, "descriptions": { "run": "Ours." },
        "format": "text", "nonzero-is-error": true,
    }));
    let calls = json!([
        ["shell_execute", { "command": "sh", "args": ["-c", "echo out; echo err >&2; exit 3"] }],
        ["shell_execute", { "command": "true" }],
        ["sh_poll", { "job": "j1-000000" }],
    ]);
    let came = sessions(&python, &setup, &server, &calls);
    for mode in ["auto", "legacy"] {
        let results = &came[mode]["results"];
        assert_eq!(results[0]["isError"], true, "{came}");
        let sections = "Exit code: 3\n\n=== STDOUT ===\nout\n\n=== STDERR ===\nerr";
        assert_eq!(text(&results[0]), sections);
        assert_eq!(results[1]["isError"], false, "{came}");
        assert_eq!(text(&results[1]), "Exit code: 0");
        assert_eq!(results[2]["isError"], true, "{came}");
        let tools = came[mode]["tools"].as_array().unwrap();
        assert_eq!(tools[0], "shell_execute");
        assert!(!tools.contains(&json!("sh_run")), "{came}");
    }
}

#[test]
fn the_python_sdk_calls_an_imported_server_as_it_called_the_old_one() {
    let Some(python) = python() else { return };
    let setup = Setup::plain();
    let server =
        crate::import::imported(&setup, "mcp-shell-server", &[("ALLOW_COMMANDS", "echo,pwd")]);
    let inside = setup.place.folder("work/inside").display().to_string();
    let calls = json!([
        ["shell_execute", { "command": "echo", "args": ["a b", "", "|"], "timeout": 5 }],
        ["shell_execute", { "command": "pwd", "cwd": inside }],
        ["shell_execute", { "command": "rm", "args": ["-rf", "/"] }],
    ]);
    let came = sessions(&python, &setup, &server, &calls);
    for mode in ["auto", "legacy"] {
        let results = &came[mode]["results"];
        assert_eq!(text(&results[0]), "Exit code: 0\n\n=== STDOUT ===\na b  |");
        assert_eq!(text(&results[1]), format!("Exit code: 0\n\n=== STDOUT ===\n{inside}"));
        assert_eq!(results[2]["isError"], true, "{came}");
        assert!(text(&results[2]).contains("allowed: echo, pwd"), "{came}");
    }
}
