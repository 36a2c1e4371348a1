//! How a run ended: the command's own status, or −1 where nothing ran.

use serde_json::{Value, json};

use crate::support::{Launcher, Setup, User, everywhere, ignored, under, users};

fn sh(script: &str) -> Value {
    json!({ "command": "sh", "args": ["-c", script] })
}

#[test]
fn a_signal_of_its_own_is_128_and_its_number() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        for (signal, exit) in [("KILL", 137), ("SEGV", 139), ("TERM", 143), ("ABRT", 134)] {
            let answer = client.run(sh(&format!("kill -{signal} $$")));
            let payload = answer.exited(exit);
            assert_eq!(payload["timed-out"], false, "{payload}");
            assert_eq!(payload.get("sandbox").is_some(), setup.launcher != Launcher::None);
        }
    });
}

#[test]
fn every_ordinary_code_is_the_commands_own() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        for code in [1, 2, 64, 65, 71, 125, 126, 127, 128, 137, 255] {
            let answer = client.run(sh(&format!("exit {code}")));
            let payload = answer.exited(code);
            assert_eq!(payload["timed-out"], false, "{payload}");
            assert_eq!(payload["stderr"], "", "{payload}");
        }
    });
}

#[test]
fn a_missing_program_is_minus_one_with_its_name_and_where_it_was_searched() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let answer = client.run(json!({ "command": "no-such-tool-xyz" }));
        answer.not_started(&["no-such-tool-xyz", "/usr/bin"]);
        assert_eq!(answer.payload["timed-out"], false);
        client.run(json!({ "command": "/no/such/tool" })).not_started(&["/no/such/tool"]);
        client.is_alive();
    });
}

#[test]
fn what_cannot_be_run_is_minus_one_with_the_reason() {
    everywhere(|setup| {
        setup.place.file("work/plain", "#!/bin/sh\ntouch ran\n");
        setup.place.script("work/no-interpreter", "#!/no/such/interpreter\n");
        let mut client = setup.serve(json!({}));
        client.run(json!({ "command": "/usr" })).not_started(&["/usr", "directory"]);
        client.run(json!({ "command": "./plain" })).not_started(&["plain", "permission denied"]);
        client.run(json!({ "command": "./no-interpreter" })).not_started(&["no-interpreter"]);
        assert!(!setup.place.has("work/ran"));
        client.is_alive();
    });
}

#[test]
fn a_file_without_a_format_is_minus_one_and_no_shell_reads_it() {
    everywhere(|setup| {
        setup.place.script("work/no-format", "touch ran\n");
        let mut client = setup.serve(json!({}));
        client.run(json!({ "command": "./no-format" })).not_started(&["no-format", "format"]);
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_program_behind_a_closed_door_is_minus_one() {
    if users() == [User::Own] {
        return ignored("only root can close a door to another user");
    }
    under(&[Launcher::None], &[User::Ordinary], |setup| {
        use std::os::unix::fs::{PermissionsExt, chown};
        setup.place.script("locked/tool", "#!/bin/sh\n");
        let locked = setup.place.path("locked");
        chown(&locked, Some(0), Some(0)).unwrap();
        std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o700)).unwrap();
        let mut client = setup.serve(json!({}));
        let tool = setup.place.text("locked/tool");
        client.run(json!({ "command": tool })).not_started(&[&tool, "permission denied"]);
    });
}

#[test]
fn an_argument_that_is_too_long_is_minus_one_with_the_reason() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({ "max-output-bytes": 1_048_576 }));
        let echo = |args: Vec<String>| json!({ "command": "echo", "args": args });
        let answer = client.run(echo(vec!["x".repeat(131_071)]));
        assert_eq!(answer.exited(0)["stdout"].as_str().unwrap().len(), 131_072);
        let too_long = client.run(echo(vec!["x".repeat(131_072)]));
        too_long.not_started(&["rgument list too long"]);
        let too_many = client.run(echo(vec!["x".repeat(100_000); 22]));
        too_many.not_started(&["rgument list too long"]);
        client.is_alive();
    });
}

#[test]
fn a_timeout_is_a_positive_number_or_the_callers_mistake() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let run = |timeout: &str| {
        let timeout: Value = serde_json::from_str(timeout).unwrap();
        json!({ "command": "true", "timeout": timeout })
    };
    for wrong in ["-1", "0", "-0.0", "\"5\"", "true", "[]"] {
        client.run(run(wrong)).refused(&["`timeout`"]);
    }
    for right in ["null", "0.5", "1e18", "1e300", "18446744073709551615"] {
        client.run(run(right)).printed("");
    }
    let answer = client.run(run("1e-9"));
    let payload = answer.ran();
    assert!(payload["timed-out"] == true || payload["exit"] == 0, "{payload}");
    client.is_alive();
}

#[test]
fn no_call_gets_more_time_than_the_settings_allow() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "timeout": 0.2, "max-timeout": 0.3 }));
    for timeout in [json!(null), json!(600)] {
        let call = json!({ "command": "sleep", "args": ["60"], "timeout": timeout });
        assert_eq!(client.run(call).exited(137)["timed-out"], true);
    }
}
