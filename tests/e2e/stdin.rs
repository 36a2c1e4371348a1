//! What a command reads from its standard input.

use serde_json::json;

use crate::support::{Launcher, User, everywhere, under};

#[test]
fn without_stdin_a_command_reads_an_immediate_end_and_steals_no_frame() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        // The calls behind it are in the server's own stdin while `cat` reads.
        let cat = client.begin("sh_run", json!({ "command": "cat" }));
        let list = client.request("tools/list", json!({}));
        let echo = client.begin("sh_run", json!({ "command": "echo", "args": ["next"] }));
        client.result(cat).printed("");
        assert!(client.answer(list)["result"]["tools"].is_array());
        client.result(echo).printed("next\n");
    });
}

#[test]
fn without_stdin_it_is_dev_null_and_no_empty_pipe() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        client
            .sh("[ -p /dev/stdin ] && echo pipe; [ -c /dev/stdin ] && echo device")
            .printed("device\n");
    });
}

#[test]
fn eight_megabytes_go_in_and_come_out() {
    under(&Launcher::EVERY, &[User::Own], |setup| {
        let mut client = setup.serve(json!({ "max-output-bytes": 1_048_576 }));
        let answer = client.run(json!({
            "command": "cat", "stdin": "x".repeat(8_000_000), "timeout": 50,
        }));
        let payload = answer.exited(0);
        let kept = payload["stdout"].as_str().unwrap().matches('x').count() as u64;
        let dropped = payload["truncated"]["stdout"]["bytes"].as_u64().unwrap();
        assert_eq!(kept + dropped, 8_000_000);
    });
}

#[test]
fn a_command_that_never_reads_its_input_is_no_failure() {
    under(&Launcher::EVERY, &[User::Own], |setup| {
        let mut client = setup.serve(json!({}));
        let answer = client.run(json!({ "command": "true", "stdin": "x".repeat(8_000_000) }));
        assert_eq!(answer.exited(0)["stderr"], "");
        client.run(json!({ "command": "echo", "args": ["alive"] })).printed("alive\n");
    });
}

#[test]
fn an_empty_input_is_an_end_and_nul_is_a_byte_like_any_other() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        for (stdin, count) in [("", "0"), ("a\0b", "3"), ("é", "2")] {
            let answer = client.run(json!({ "command": "wc", "args": ["-c"], "stdin": stdin }));
            assert_eq!(answer.exited(0)["stdout"].as_str().unwrap().trim(), count);
        }
    });
}
