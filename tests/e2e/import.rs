//! `cofferdam import`: what another server did with its settings, ours does with what comes of them.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Client, Era, Ran, Setup, Sleep, finish};

/// What `cofferdam import` prints in an environment with these variables.
fn import(setup: &Setup, whose: &str, variables: &[(&str, &str)]) -> Ran {
    let mut command = setup.cofferdam(["import", whose]);
    command.envs(variables.iter().copied());
    finish(command.spawn().unwrap())
}

/// The command that starts a server with the configuration that comes of these variables.
pub(crate) fn imported(setup: &Setup, whose: &str, variables: &[(&str, &str)]) -> Command {
    let ran = import(setup, whose, variables);
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{ran:?}");
    let file = setup.place.file("tools.toml", &ran.stdout);
    let mut command = setup.cofferdam(["serve", "--config"]);
    command.arg(file);
    command
}

/// A server of what `mcp-shell-server` would read there.
fn shell_server(setup: &Setup, variables: &[(&str, &str)]) -> Client {
    let mut command = imported(setup, "mcp-shell-server", variables);
    command.env("SECRET_TOKEN", "s3").env("COLOUR", "green");
    Client::start(command, Era::Legacy)
}

fn execute(client: &mut Client, arguments: Value) -> (bool, String) {
    let answer = client.call("shell_execute", arguments);
    (answer.is_error, answer.text)
}

#[test]
fn the_calls_of_mcp_shell_server_are_served() {
    let setup = Setup::plain();
    let folder = setup.place.folder("work/folder").display().to_string();
    let mut client = shell_server(
        &setup,
        &[
            ("ALLOW_COMMANDS", "echo,cat, pwd"),
            ("ALLOWED_COMMANDS", "grep,printenv"),
            ("ALLOW_PATTERNS", "l[s]"),
            ("MCP_SHELL_CHILD_ENV_ALLOWLIST", "COLOUR"),
        ],
    );
    let echo = json!({ "command": "echo", "args": ["a", "b c"] });
    assert_eq!(execute(&mut client, echo), (false, "Exit code: 0\n\n=== STDOUT ===\na b c".into()));
    let cat = json!({ "command": "cat", "stdin": "in", "timeout": 5 });
    assert_eq!(execute(&mut client, cat).1, "Exit code: 0\n\n=== STDOUT ===\nin");
    // Absolute, relative and none.
    for (dir, there) in [(json!(folder), &folder), (json!("folder"), &folder)] {
        let text = execute(&mut client, json!({ "command": "pwd", "cwd": dir })).1;
        assert!(text.ends_with(&format!("\n{there}")), "{text}");
    }
    assert!(execute(&mut client, json!({ "command": "pwd" })).1.ends_with("/work"));
    assert!(!execute(&mut client, json!({ "command": "ls" })).0, "by its pattern");
    // An exit other than 0 is an error, and says which.
    let grep = json!({ "command": "grep", "args": ["x"], "stdin": "y" });
    assert_eq!(execute(&mut client, grep), (true, "Exit code: 1".into()));
    // The environment: PATH and what was named.
    let (_, text) = execute(&mut client, json!({ "command": "printenv" }));
    let mut variables: Vec<_> = text.lines().filter(|line| line.contains('=')).collect();
    variables.retain(|line| !line.starts_with("==="));
    variables.sort_unstable();
    let path = "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
    assert_eq!(variables, ["COLOUR=green", path], "{text}");
    // What was refused stays refused.
    for command in ["rm", "/bin/echo", "./ls", "LS", "lsof", "sh", "echo;ls", ""] {
        let (is_error, text) = execute(&mut client, json!({ "command": command }));
        assert!(is_error, "{command}: {text}");
    }
    // What it dropped and refused is data here.
    let signs = ["", "|", ">", "a;b", "`x`", "two\nlines"];
    let (_, text) = execute(&mut client, json!({ "command": "echo", "args": signs }));
    assert!(text.ends_with(" | > a;b `x` two\nlines"), "{text}");
}

#[test]
fn the_limits_of_mcp_shell_server_hold_and_lose_nothing() {
    let setup = Setup::plain();
    let mut client = shell_server(
        &setup,
        &[
            ("ALLOW_COMMANDS", "sleep,seq,yes"),
            ("MCP_SHELL_MAX_TIMEOUT_SECONDS", "1"),
            ("MCP_SHELL_OUTPUT_LIMIT_BYTES", "2048"),
        ],
    );
    let sleep = Sleep::new(861);
    let call = json!({ "command": "sleep", "args": [sleep.seconds()], "timeout": 100 });
    let (is_error, text) = execute(&mut client, call);
    assert!(is_error, "{text}");
    assert_eq!(text, "Exit code: 137\nTimed out: true\nTimeout: 1");
    sleep.await_gone();
    let (is_error, text) = execute(&mut client, json!({ "command": "yes" }));
    assert!(is_error, "{text}");
    assert!(text.starts_with("Exit code: 137\nLimit: max-output-bytes\n"), "{text}");
    assert!(text.contains("\n=== STDOUT ===\ny\ny\n"), "{text}");
}

#[test]
fn the_calls_of_mcp_run_are_served() {
    let setup = Setup::plain();
    let folder = setup.place.folder("work/folder").display().to_string();
    let variables = [
        ("MCP_RUN_ALLOWED_COMMANDS", "bash,printenv"),
        ("MCP_RUN_WORKING_DIRECTORY", &*folder),
        ("MCP_RUN_TIMEOUT", "20"),
        ("MCP_RUN_TOOL_NAME", "execute"),
    ];
    let mut command = imported(&setup, "mcp-run", &variables);
    command.env("COLOUR", "green");
    let mut client = Client::start(command, Era::Legacy);
    let mut line = |line: &str| {
        let answer = client.call("execute", json!({ "command": "bash", "args": ["-c", line] }));
        (answer.is_error, answer.text)
    };
    let (is_error, text) = line("pwd; echo problem >&2; exit 2");
    assert!(is_error, "{text}");
    let sections = format!("Exit code: 2\n\n=== STDOUT ===\n{folder}\n\n=== STDERR ===\nproblem");
    assert_eq!(text, sections);
    assert_eq!(line("echo caf\u{e9}"), (false, "Exit code: 0\n\n=== STDOUT ===\ncaf\u{e9}".into()));
    assert_eq!(line("cat"), (false, "Exit code: 0".into()), "nothing to read");
    let inherited = client.call("execute", json!({ "command": "printenv", "args": ["COLOUR"] }));
    assert!(inherited.text.ends_with("\ngreen"), "{inherited:?}");
    client.call("execute", json!({ "command": "ls" })).refused(&["allowed: bash, printenv"]);
}

#[test]
fn what_differs_stands_in_comments_and_a_mistake_on_stderr() {
    let setup = Setup::plain();
    let ran = import(&setup, "mcp-shell-server", &[("ALLOW_COMMANDS", "ls,python3")]);
    assert!(ran.stdout.starts_with("# The settings of mcp-shell-server"), "{ran:?}");
    assert!(ran.stdout.contains("although they are on it: python3."), "{ran:?}");
    assert!(ran.stdout.contains("launcher = \"none\""), "{ran:?}");
    for (whose, variables, words) in [
        ("mcp-shell-server", [("X", "")], ["ALLOW_COMMANDS", "every call"]),
        ("mcp-run", [("MCP_RUN_TIMEOUT", "0")], ["MCP_RUN_TIMEOUT", "1 to 2147483647"]),
    ] {
        let ran = import(&setup, whose, &variables);
        assert_eq!((ran.code, &*ran.stdout), (Some(1), ""), "{ran:?}");
        ran.said(&words);
    }
    import(&setup, "mcp-server", &[]).exited(2).said(&["mcp-shell-server"]);
}
