//! What a call may take at most: time, and output.

use serde_json::{Value, json};

use crate::support::{Setup, Sleep, confined, everywhere, refuses_to_start};

/// A script that fills a stream and would then go on for ever.
fn flood(stream: &str, sleep: &Sleep) -> Value {
    let script = format!("seq 1 100000 >&{stream}; exec sleep {}", sleep.seconds());
    json!({ "command": "sh", "args": ["-c", script] })
}

#[test]
fn a_longer_timeout_is_lowered_and_the_payload_says_so() {
    everywhere(|setup| {
        let sleep = Sleep::new(811);
        let mut client = setup.serve(json!({ "timeout": 2, "max-timeout": 2.5 }));
        let call = json!({ "command": "sleep", "args": [sleep.seconds()], "timeout": 600 });
        let payload = client.run(call).exited(137).clone();
        assert_eq!(payload["timed-out"], true, "{payload}");
        assert_eq!(payload["timeout"], 2.5, "{payload}");
        sleep.await_gone();
        let mut client = setup.serve(json!({ "max-timeout": 60 }));
        for timeout in [json!(60), json!(59.5), Value::Null] {
            let payload = client.run(json!({ "command": "true", "timeout": timeout }));
            assert!(payload.exited(0).get("timeout").is_none(), "{payload:?}");
        }
    });
}

#[test]
fn a_whole_number_of_seconds_is_written_as_one() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-timeout": 60 }));
    let answer = client.run(json!({ "command": "true", "timeout": 61 }));
    assert_eq!(answer.text, r#"{"exit":0,"stderr":"","stdout":"","timed-out":false,"timeout":60}"#);
    let missing = client.run(json!({ "command": "nosuchtool", "timeout": 61 }));
    assert_eq!(missing.exited(-1)["timeout"], 60);
}

#[test]
fn a_job_ends_at_the_longest_timeout_as_well() {
    everywhere(|setup| {
        let sleep = Sleep::new(821);
        let mut client = setup.serve(json!({ "timeout": 2, "max-timeout": 2.5 }));
        // A job without a timeout asks for the longest of all.
        for timeout in [json!(600), Value::Null] {
            let call = json!({ "command": "sleep", "args": [sleep.seconds()], "timeout": timeout });
            let started = client.call("sh_start", call).ran().clone();
            assert_eq!(started["timeout"], 2.5, "{started}");
            let ended = client.await_over(started["job"].as_str().unwrap());
            assert_eq!(ended["timed-out"], true, "{ended}");
        }
        sleep.await_gone();
        let call = json!({ "command": "true", "timeout": 2.5 });
        let started = client.call("sh_start", call).ran().clone();
        assert!(started.get("timeout").is_none(), "{started}");
    });
}

#[test]
fn a_command_that_writes_too_much_is_killed_and_nothing_of_it_is_lost() {
    everywhere(|setup| {
        let settings = json!({ "max-output-bytes": 1024, "on-output-limit": "kill" });
        let mut client = setup.serve(settings);
        for (stream, name) in [("1", "stdout"), ("2", "stderr")] {
            let sleep = Sleep::new(831);
            let payload = client.run(flood(stream, &sleep)).exited(137).clone();
            assert_eq!(payload["limit"], "max-output-bytes", "{payload}");
            assert_eq!(payload["timed-out"], false, "{payload}");
            let text = payload[name].as_str().unwrap();
            assert!(text.starts_with("1\n2\n3\n") && text.contains(" dropped ...]\n"), "{text}");
            assert!(payload["truncated"][name]["bytes"].as_u64().unwrap() > 0, "{payload}");
            sleep.await_gone();
        }
        let small = client.run(json!({ "command": "seq", "args": [100] }));
        assert!(small.exited(0).get("limit").is_none(), "{small:?}");
    });
}

#[test]
fn the_limit_that_was_reached_first_is_named() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({
        "max-output-bytes": 1024, "max-output-lines": 10, "on-output-limit": "kill",
    }));
    let payload = client.run(flood("1", &Sleep::new(841))).exited(137).clone();
    assert_eq!(payload["limit"], "max-output-lines", "{payload}");
    let long = "printf %05000d 1; exec sleep 841";
    let payload = client.sh(long).exited(137).clone();
    assert_eq!(payload["limit"], "max-output-bytes", "{payload}");
}

#[test]
fn a_job_that_writes_too_much_is_killed_and_its_output_stays() {
    everywhere(|setup| {
        let sleep = Sleep::new(851);
        let settings = json!({ "max-output-bytes": 1024, "on-output-limit": "kill" });
        let mut client = setup.serve(settings);
        let started = client.call("sh_start", flood("1", &sleep)).ran().clone();
        let ended = client.await_over(started["job"].as_str().unwrap());
        assert_eq!((&ended["state"], &ended["exit"]), (&json!("killed"), &json!(137)), "{ended}");
        assert_eq!(ended["limit"], "max-output-bytes", "{ended}");
        let output = client.call("sh_output", json!({ "job": started["job"] })).ran().clone();
        assert!(output["stdout"].as_str().unwrap().starts_with("1\n2\n3\n"), "{output}");
        assert_eq!(output["eof"], true, "{output}");
        sleep.await_gone();
    });
}

#[test]
fn without_it_a_command_that_writes_too_much_runs_on() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-output-bytes": 1024 }));
    let answer = client.sh("seq 1 100000; exit 7");
    let payload = answer.exited(7);
    assert!(payload.get("limit").is_none(), "{payload}");
    assert!(payload["stdout"].as_str().unwrap().ends_with("99999\n100000\n"), "{payload}");
}

#[test]
fn limits_that_make_no_sense_stop_the_start() {
    let setup = Setup::plain();
    let start = |settings: Value| setup.serve_command(settings);
    refuses_to_start(
        start(json!({ "timeout": 10, "max-timeout": 5 })),
        &["max-timeout", "`timeout`"],
    );
    refuses_to_start(start(json!({ "max-timeout": 0 })), &["max-timeout", "greater than 0"]);
    let words = ["on-output-limit", "did you mean `kill`", "`truncate`"];
    refuses_to_start(start(json!({ "on-output-limit": "kil" })), &words);
}

#[test]
fn the_limit_of_a_profile_that_ended_a_run_is_named() {
    confined(|setup| {
        let limits = json!({ "cpu-seconds": 1, "file-size": 1024 });
        let profile = json!({ "extends": "workspace", "limits": limits });
        let mut client = setup.serve(json!({ "profile": profile }));
        for (script, exit, limit) in [
            ("while :; do :; done", 152, "cpu-seconds"),
            // As a shell tells it.
            ("sh -c 'while :; do :; done'; exit $?", 152, "cpu-seconds"),
            ("exec head -c 4096 /dev/zero > large", 153, "file-size"),
        ] {
            let answer = client.sh(script);
            let payload = answer.exited(exit);
            assert_eq!(payload["limit"], limit, "{script}: {payload}");
            assert!(payload["sandbox"].get("verdict").is_none(), "{script}: {payload}");
        }
        let small = client.sh("echo x > small; exit 3");
        assert!(small.exited(3).get("limit").is_none(), "{small:?}");
    });
}
