//! What the tools of an instance look like: their names, their descriptions, their answers.

use serde_json::{Value, json};

use crate::support::{Client, Era, Setup, eventually, refuses_to_start};

/// The list of tools, by name.
fn listed(client: &mut Client) -> Vec<Value> {
    let id = client.request("tools/list", json!({}));
    client.answer(id)["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn a_renamed_tool_has_its_name_everywhere() {
    let setup = Setup::plain();
    let command = setup.serve_command(json!({
        "names": { "run": "shell_execute", "start": "launch" },
        "descriptions": { "run": "Runs our programs." },
    }));
    for era in Era::BOTH {
        let mut client = Client::start(clone(&command), era);
        let tools = listed(&mut client);
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let all = ["shell_execute", "launch", "sh_poll", "sh_output", "sh_kill", "sh_allowed"];
        assert_eq!(names, all);
        assert_eq!(tools[0]["description"], "Runs our programs.");
        // What others say about it goes by its name, too.
        let start = tools[1]["description"].as_str().unwrap();
        assert!(start.contains("those of shell_execute"), "{start}");
        client.call("shell_execute", json!({ "command": "echo", "args": ["hi"] })).printed("hi\n");
        let id = client.begin("sh_run", json!({ "command": "true" }));
        let unknown = client.answer(id);
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
    let mut client = Client::start(command, Era::Legacy);
    client.call("launch", json!({ "command": "true" })).ran();
    let told = client.hear("notifications/job", |event| event["state"] == "exited");
    assert_eq!(told["logger"], "launch", "{told}");
}

/// Commands cannot be cloned.
fn clone(command: &std::process::Command) -> std::process::Command {
    let mut clone = std::process::Command::new(command.get_program());
    clone.args(command.get_args()).stdout(std::process::Stdio::piped());
    clone.stderr(std::process::Stdio::piped());
    clone
}

#[test]
fn names_that_clients_would_drop_or_confuse_stop_the_start() {
    let setup = Setup::plain();
    let start = |settings: Value| setup.serve_command(settings);
    refuses_to_start(start(json!({ "names": { "run": "a b" } })), &["names.run", "1 to 40"]);
    refuses_to_start(start(json!({ "names": { "rn": "a" } })), &["names.rn", "did you mean `run`"]);
    let same = json!({ "names": { "run": "a", "kill": "a" } });
    refuses_to_start(start(same), &["names.kill", "`a` is there already"]);
    let absent = json!({ "tools": ["run"], "names": { "kill": "a" } });
    refuses_to_start(start(absent), &["names.kill", "`tools`"]);
    let long = json!({ "descriptions": { "run": "x".repeat(1001) } });
    refuses_to_start(start(long), &["descriptions.run", "1 to 1000 bytes"]);
    let instance = |prefix: &str| json!({ "allow": ["true"], "prefix": prefix, "launcher": "none", "names": { "run": "run" } });
    let config =
        json!({ "name": "x", "tools": { "Shell#a": instance("a"), "Shell#b": instance("b") } });
    let command = setup.serve_config(&config.to_string());
    refuses_to_start(command, &["Shell#b", "names.run", "`run` is there already, from `Shell#a`"]);
}

#[test]
fn text_is_an_exit_code_and_sections_without_any_structure() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "format": "text", "timeout": 20 }));
    for tool in listed(&mut client) {
        assert!(tool.get("outputSchema").is_none(), "{tool}");
    }
    let id = client.begin("sh_run", json!({ "command": "sh", "args": ["-c", "echo a; exit 4"] }));
    let result = client.answer(id)["result"].clone();
    assert!(result.get("structuredContent").is_none(), "{result}");
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(result["content"][0]["text"], "Exit code: 4\n\n=== STDOUT ===\na");

    let missing = client.run(json!({ "command": "nosuchtool" }));
    assert!(
        missing.text.starts_with("Exit code: -1\n\n=== STDERR ===\n`nosuchtool`"),
        "{missing:?}"
    );

    let started = client.call("sh_start", json!({ "command": "echo", "args": ["out"] }));
    let job = started.text.lines().find_map(|line| line.strip_prefix("Job: ")).unwrap().to_owned();
    assert!(eventually(|| {
        client.call("sh_poll", json!({ "job": job })).text.contains("\nState: exited\n")
    }));
    let output = client.call("sh_output", json!({ "job": job }));
    assert!(output.text.ends_with("\n\n=== STDOUT ===\nout"), "{output:?}");
}

#[test]
fn an_exit_other_than_0_is_an_error_where_that_was_chosen() {
    let setup = Setup::plain();
    let (mut usual, mut strict) =
        (setup.serve(json!({})), setup.serve(json!({ "nonzero-is-error": true })));
    for (script, fails) in [("exit 0", false), ("echo kept; exit 1", true), ("kill -9 $$", true)] {
        assert!(!usual.sh(script).is_error, "{script}");
        let answer = strict.sh(script);
        assert_eq!(answer.is_error, fails, "{script}: {answer:?}");
        assert_eq!(answer.text, usual.sh(script).text, "nothing else is different");
    }
    assert!(strict.run(json!({ "command": "nosuchtool" })).is_error);
}
