//! What crosses into the environment of a command.

use std::collections::BTreeMap;

use serde_json::json;

use crate::support::{Client, Era, Launcher, Setup, confined, everywhere};

/// Variables of a host that no command may see under a profile: secrets, sockets of agents, and what
/// changes the programs that run.
const HOSTILE: [(&str, &str); 9] = [
    ("SECRET_TOKEN", "s3"),
    ("AWS_SECRET_ACCESS_KEY", "s3"),
    ("SSH_AUTH_SOCK", "/run/s3"),
    ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/s3"),
    ("BASH_ENV", "/s3"),
    ("NODE_OPTIONS", "--require=/s3"),
    ("PYTHONSTARTUP", "/s3"),
    ("GIT_SSH_COMMAND", "s3"),
    ("LD_LIBRARY_PATH", "/s3"),
];

/// A server whose own environment holds all of that.
fn serve(setup: &Setup, settings: serde_json::Value) -> Client {
    let mut command = setup.serve_command(settings);
    command.envs(HOSTILE).env("TERM", "xterm-256color").env("COLOUR_OF_THE_DAY", "green");
    Client::start(command, Era::Legacy)
}

fn variables(client: &mut Client) -> BTreeMap<String, String> {
    let answer = client.run(json!({ "command": "env" }));
    let text = answer.exited(0)["stdout"].as_str().unwrap().to_owned();
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn a_profile_lets_nothing_cross_that_it_does_not_name() {
    confined(|setup| {
        let variables = variables(&mut serve(setup, json!({})));
        for (name, _) in HOSTILE {
            assert!(!variables.contains_key(name), "{variables:?}");
        }
        assert!(!variables.values().any(|value| value.contains("s3")), "{variables:?}");
        assert_eq!(variables["LANG"], "C.UTF-8");
        assert_eq!(variables["TERM"], "xterm-256color");
        assert!(variables["PATH"].contains("/usr/bin"));
        for folder in ["HOME", "TMPDIR"] {
            assert_ne!(variables[folder], setup.place.text("home"), "{variables:?}");
        }
    });
}

#[test]
fn the_wrapper_does_not_hold_what_the_command_may_not_see() {
    confined(|setup| {
        let mut client = serve(setup, json!({}));
        let script = "cat /proc/1/environ /proc/$PPID/environ /proc/self/environ 2>/dev/null | \
                      tr '\\0' '\\n'; true";
        let answer = client.sh(script);
        let text = answer.exited(0)["stdout"].as_str().unwrap();
        assert!(text.contains("PATH="), "{text}");
        assert!(!text.contains("SECRET_TOKEN") && !text.contains("AWS_"), "{text}");
    });
}

#[test]
fn without_a_launcher_the_servers_environment_is_inherited() {
    let setup = Setup::plain();
    let variables = variables(&mut serve(&setup, json!({})));
    assert_eq!(variables["SECRET_TOKEN"], "s3");
    assert_eq!(variables["HOME"], setup.place.text("home"));
}

#[test]
fn a_table_starts_from_nothing_without_a_launcher() {
    let setup = Setup::plain();
    let table = json!({ "pass": ["PATH", "HOME", "LANG"], "set": { "EXTRA": "a b" } });
    let variables = variables(&mut serve(&setup, json!({ "environment": table })));
    let names: Vec<_> = variables.keys().map(String::as_str).collect();
    assert_eq!(names, ["EXTRA", "HOME", "LANG", "PATH"]);
    assert_eq!(variables["EXTRA"], "a b");
}

#[test]
fn a_table_adds_to_what_the_profile_lets_cross() {
    confined(|setup| {
        let table = json!({ "pass": ["AWS_*", "COLOUR_*"], "set": { "EXTRA": "a b" } });
        let variables = variables(&mut serve(setup, json!({ "environment": table })));
        assert_eq!(variables["EXTRA"], "a b");
        assert_eq!(variables["COLOUR_OF_THE_DAY"], "green");
        // A wildcard never means a secret; who wants one names it in full.
        assert!(!variables.contains_key("AWS_SECRET_ACCESS_KEY"), "{variables:?}");
        assert!(!variables.contains_key("SECRET_TOKEN"), "{variables:?}");
        assert!(variables.contains_key("TMPDIR"), "{variables:?}");
    });
}

#[test]
fn no_wildcard_carries_what_decides_which_code_runs() {
    everywhere(|setup| {
        let pass = ["LD_*", "DYLD_*", "B*", "PYTHON*", "NODE_*", "GIT_*", "COLOUR_*"];
        let table = json!({ "pass": pass });
        let variables = variables(&mut serve(setup, json!({ "environment": table })));
        for (name, _) in HOSTILE {
            assert!(!variables.contains_key(name), "{variables:?}");
        }
        assert_eq!(variables["COLOUR_OF_THE_DAY"], "green");
    });
}

#[test]
fn no_entry_of_a_path_means_the_current_directory() {
    let setup = Setup::plain();
    setup.place.script("work/mine", "#!/bin/sh\necho mine\n");
    let mut command = setup.serve_command(json!({ "environment": { "pass": ["PATH"] } }));
    command.env("PATH", ":.:/usr/bin:/bin:");
    let mut client = Client::start(command, Era::Legacy);
    client.run(json!({ "command": "mine" })).not_started(&["mine"]);
    assert_eq!(variables(&mut client)["PATH"], "/usr/bin:/bin");

    let table = json!({ "set": { "PATH": "/usr/bin:." } });
    let command = setup.serve_command(json!({ "environment": table }));
    crate::support::refuses_to_start(command, &["environment.set.PATH", "absolute directories"]);
}

#[test]
fn without_a_path_there_is_a_safe_one() {
    let setup = Setup::plain();
    let mut command = setup.serve_command(json!({ "environment": {} }));
    command.env("PATH", format!("{}:/usr/bin:/bin", setup.place.text("work")));
    setup.place.script("work/mine", "#!/bin/sh\necho mine\n");
    let mut client = Client::start(command, Era::Legacy);
    client.run(json!({ "command": "mine" })).not_started(&["mine"]);
    let variables = variables(&mut client);
    assert_eq!(variables.keys().collect::<Vec<_>>(), ["PATH"]);
    assert_eq!(variables["PATH"], "/usr/local/bin:/usr/bin:/bin");
}

#[test]
fn a_caller_sets_no_variable() {
    everywhere(|setup| {
        let mut client = serve(setup, json!({ "environment": { "set": { "MODE": "ours" } } }));
        for name in ["env", "envs", "environment"] {
            let call = json!({ "command": "env", name: { "MODE": "theirs" } });
            client.run(call.clone()).refused(&[&format!("`{name}`")]);
            client.call("sh_start", call).refused(&[&format!("`{name}`")]);
        }
        assert_eq!(variables(&mut client)["MODE"], "ours");
    });
}

#[test]
fn names_and_values_that_no_variable_can_have_stop_the_start() {
    let setup = Setup::plain();
    for (table, words) in [
        (json!({ "pass": ["A=B"] }), ["environment.pass[0]", "name of a variable"]),
        (json!({ "pass": ["*"] }), ["environment.pass[0]", "`inherit`"]),
        (json!({ "set": { "": "x" } }), ["environment.set", "name of a variable"]),
        (json!({ "set": { "A": 5 } }), ["environment.set.A", "must be text"]),
    ] {
        let command = setup.serve_command(json!({ "environment": table }));
        crate::support::refuses_to_start(command, &words);
    }
    let both = json!({ "environment": { "inherit": true }, "launcher": "auto" });
    crate::support::refuses_to_start(setup.serve_command(both), &["environment.inherit"]);
}

#[test]
fn the_command_line_passes_and_sets_single_variables() {
    confined(|setup| {
        let options = ["--env", "SECRET_TOKEN", "--env", "MODE=a=b"];
        let mut command = setup.run_command(&options, ["sh", "-c", "echo $SECRET_TOKEN $MODE"]);
        command.envs(HOSTILE);
        crate::support::finish(command.spawn().unwrap()).printed("s3 a=b\n");
    });
}

#[test]
fn no_pager_starts_and_nothing_is_coloured() {
    everywhere(|setup| {
        let mut client = {
            let mut command = setup.serve_command(json!({}));
            command.env("PAGER", "less").env("TERM", "xterm-256color");
            Client::start(command, Era::Legacy)
        };
        client.run(json!({ "command": "git", "args": ["init", "-q", "-b", "main"] })).printed("");
        let commit = "commit refs/heads/main\ncommitter a <a@b> 0 +0000\ndata 1\nc\n";
        let import = json!({
            "command": "git", "args": ["fast-import", "--quiet"], "stdin": commit.repeat(300),
        });
        client.run(import).printed("");
        let answer = client.run(json!({ "command": "git", "args": ["log", "--oneline"] }));
        let text = answer.exited(0)["stdout"].as_str().unwrap();
        assert_eq!(text.lines().count(), 300, "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert_eq!(setup.launcher == Launcher::None, answer.payload.get("sandbox").is_none());
    });
}
