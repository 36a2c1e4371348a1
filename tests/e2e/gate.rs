//! Which calls are admitted: the caller's mistakes are tool results with `isError`, and nothing runs.

use serde_json::{Value, json};

use crate::support::{Setup, refuses_to_start};

#[test]
fn only_the_exact_name_is_allowed() {
    let setup = Setup::plain();
    setup.place.script("work/git", "#!/bin/sh\ntouch ran\n");
    let mut client = setup.serve(json!({ "allow": ["git", "rg"] }));
    for near in ["./git", "/usr/bin/git", "git ", " git", "GIT", "git\n", "gitk", "", "git -v"] {
        let answer = client.run(json!({ "command": near }));
        let shown: String = near.escape_debug().collect();
        answer.refused(&[&shown]);
        assert!(near.is_empty() || answer.text.contains("git, rg"), "{answer:?}");
    }
    assert!(!setup.place.has("work/ran"));
    client.run(json!({ "command": "git", "args": ["--version"] })).exited(0);
}

#[test]
fn the_list_is_told_sorted_one_entry_a_line() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "allow": ["rg", "git", "/usr/bin/jq"] }));
    let answer = client.call("sh_allowed", json!({}));
    assert!(!answer.is_error);
    assert_eq!(answer.text, "/usr/bin/jq\ngit\nrg");
}

#[test]
fn without_a_list_one_line_says_so() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let answer = client.call("sh_allowed", json!({}));
    assert_eq!(answer.text.lines().count(), 1, "{answer:?}");
    assert!(answer.text.contains("allow-any"), "{answer:?}");
    client.run(json!({ "command": "true" })).printed("");
}

#[test]
fn numbers_are_taken_as_written_and_absent_arguments_are_none() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let echo = |args: Value| json!({ "command": "echo", "args": args });
    client.run(echo(json!([1, 2.5, "x"]))).printed("1 2.5 x\n");
    client.run(echo(json!([]))).printed("\n");
    client.run(json!({ "command": "echo" })).printed("\n");
}

#[test]
fn a_number_that_json_writes_in_another_way_arrives_in_that_way() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    client.send(
        r#"{"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": {"name": "sh_run",
            "arguments": {"command": "echo", "args": [1e2, 2.50, 18446744073709551615, -0]}}}"#
            .replace('\n', "")
            .as_str(),
    );
    client.result(77).printed("100.0 2.5 18446744073709551615 -0.0\n");
}

#[test]
fn what_is_no_array_of_strings_is_refused() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let wrong = [
        json!([true]),
        json!([null]),
        json!(["a", ["b"]]),
        json!([{ "a": 1 }]),
        json!("a b"),
        json!("[\"a\"]"),
        json!({}),
        json!(5),
    ];
    for args in wrong {
        let answer = client.run(json!({ "command": "echo", "args": args }));
        answer.refused(&["`args", "array of strings"]);
    }
    client.is_alive();
}

#[test]
fn nul_is_refused_with_the_name_of_its_field() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    client.run(json!({ "command": "tou\0ch", "args": ["ran"] })).refused(&["`command`", "NUL"]);
    client.run(json!({ "command": "touch", "args": ["ran", "a\0b"] })).refused(&["`args[1]`"]);
    client.run(json!({ "command": "touch", "args": ["ran"], "cwd": "/\0" })).refused(&["`cwd`"]);
    assert!(!setup.place.has("work/ran"));
    client.is_alive();
}

#[test]
fn arguments_of_the_wrong_type_and_unknown_ones_are_refused() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    client.run(json!({})).refused(&["`command`", "missing"]);
    client.run(json!({ "command": ["echo", "hi"] })).refused(&["`command`"]);
    client.run(json!({ "command": "cat", "stdin": 5 })).refused(&["`stdin`"]);
    client.run(json!({ "command": "ls", "cwd": ["/"] })).refused(&["`cwd`"]);
    client.run(json!({ "command": "env", "env": { "A": "b" } })).refused(&["`env`"]);
    client.run(json!({ "command": "ls", "comand": "x" })).refused(&["`comand`", "`command`"]);
    client.is_alive();
}

#[test]
fn a_whole_shell_line_as_the_name_of_a_program_is_explained() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let answer = client.run(json!({ "command": "ls -la | head" }));
    let text = match answer.is_error {
        true => answer.text,
        false => answer.exited(-1)["stderr"].as_str().unwrap().to_owned(),
    };
    assert!(text.contains("ls -la | head") && text.contains("there is no shell"), "{text}");
}

#[test]
fn two_instances_have_prefixes_and_lists_of_their_own() {
    let setup = Setup::plain();
    let config = json!({ "name": "two", "tools": {
        "Shell#a": { "allow": ["echo"], "prefix": "one", "launcher": "none" },
        "Shell#b": { "allow": ["true"], "prefix": "two", "launcher": "none" },
    } });
    let command = setup.serve_config(&config.to_string());
    let mut client = crate::support::Client::start(command, crate::support::Era::Legacy);
    client.call("one_run", json!({ "command": "echo", "args": ["hi"] })).printed("hi\n");
    client.call("two_run", json!({ "command": "true" })).printed("");
    client.call("two_run", json!({ "command": "echo" })).refused(&["echo", "true"]);
    assert_eq!(client.call("two_allowed", json!({})).text, "true");
}

#[test]
fn a_pattern_admits_what_fits_it_as_a_whole() {
    let setup = Setup::plain();
    setup.place.script("work/true2", "#!/bin/sh\ntouch ran\n");
    let mut client =
        setup.serve(json!({ "allow": ["echo"], "allow-patterns": ["tr.e", "t|true2"] }));
    client.run(json!({ "command": "true" })).exited(0);
    client.run(json!({ "command": "echo" })).exited(0);
    for near in ["xtrue", "true ", "true\n", "./true2", "/usr/bin/true", "TRUE", "tr\ne", "test"] {
        client.run(json!({ "command": near })).refused(&["allowed: echo, /tr.e/, /t|true2/"]);
    }
    assert!(!setup.place.has("work/ran"));
    assert_eq!(client.call("sh_allowed", json!({})).text, "echo\n/tr.e/\n/t|true2/");
}

#[test]
fn a_pattern_alone_is_a_list_and_the_command_line_knows_it() {
    let setup = Setup::plain();
    let mut command = setup.cofferdam(["serve", "--launcher", "none"]);
    command.args(["--allow-pattern", "ec.o", "--allow-pattern", r"python3(\.\d+)?"]);
    let mut client = crate::support::Client::start(command, crate::support::Era::Modern);
    client.run(json!({ "command": "echo", "args": ["hi"] })).printed("hi\n");
    client.run(json!({ "command": "ls" })).refused(&[r"allowed: /ec.o/, /python3(\.\d+)?/"]);
}

#[test]
fn a_pattern_that_cannot_be_used_stops_the_start_with_its_place() {
    let setup = Setup::plain();
    let start = |patterns: Value| {
        setup.serve_command(json!({ "allow": ["git"], "allow-patterns": patterns }))
    };
    let place = "tools.Shell.allow-patterns[1] = \"git(\"";
    refuses_to_start(start(json!(["a", "git("])), &[place, "at character 4", "unclosed group"]);
    refuses_to_start(start(json!([r"\w{9999}"])), &["memory"]);
    refuses_to_start(start(json!(["a".repeat(1001)])), &["1001 bytes", "1000"]);
    refuses_to_start(start(json!([])), &["allow-patterns", "1 to 64"]);
    let both = setup.serve_command(json!({ "allow-patterns": ["a"], "allow-any": true }));
    refuses_to_start(both, &["allow-patterns", "exclude each other"]);
}
