//! What stands for a consent between two calls of the era without sessions, and what it is good for.

use std::process::Command;

use serde_json::{Value, json};

use super::{able, asking, complete, handed_out, writes, yes};
use crate::support::{Client, Era, Setup, confined};

/// Asks for a file outside, and gives the state that came with the question.
#[track_caller]
fn state(client: &mut Client, arguments: &Value) -> String {
    let id = client.begin("sh_run", arguments.clone());
    handed_out(&client.answer(id)).1
}

#[test]
fn an_approval_is_good_once() {
    confined(|setup| {
        let mut client = asking(setup, Era::Modern);
        let call = writes(setup, "once");
        let state = state(&mut client, &call);
        let id = complete(&mut client, "sh_run", &call, &state, &yes());
        client.result(id).exited(0);
        std::fs::remove_file(setup.place.path("outside/once")).unwrap();
        let id = complete(&mut client, "sh_run", &call, &state, &yes());
        client.result(id).refused(&["this approval is not known", "nothing was run"]);
        assert!(!setup.place.has("outside/once"));
    });
}

#[test]
fn a_no_uses_an_approval_up_as_well() {
    confined(|setup| {
        let mut client = asking(setup, Era::Modern);
        let call = writes(setup, "never");
        let state = state(&mut client, &call);
        let id = complete(&mut client, "sh_run", &call, &state, &json!({ "action": "decline" }));
        client.result(id).exited(9);
        let id = complete(&mut client, "sh_run", &call, &state, &yes());
        client.result(id).refused(&["this approval is not known"]);
        assert!(!setup.place.has("outside/never"));
    });
}

#[test]
fn a_forged_approval_opens_nothing() {
    confined(|setup| {
        let mut client = asking(setup, Era::Modern);
        let call = writes(setup, "never");
        let state = state(&mut client, &call);
        let other_sign = |sign: char| if sign == '0' { '1' } else { '0' };
        let last = state.chars().last().unwrap();
        let nearly = format!("{}{}", &state[..state.len() - 1], other_sign(last));
        for forged in ["", "x", &"0".repeat(64), &nearly, &format!("{state}0"), &state[..32]] {
            let id = complete(&mut client, "sh_run", &call, forged, &yes());
            client.result(id).refused(&["this approval is not known"]);
        }
        // Answers without a state are none, and a state without an answer is a no.
        let responses = json!({ "consent": yes() });
        let params = json!({ "name": "sh_run", "arguments": call, "inputResponses": responses });
        let id = client.request("tools/call", params);
        client.result(id).refused(&["this answers no question"]);
        assert!(!setup.place.has("outside/never"));
        let params = json!({ "name": "sh_run", "arguments": call, "requestState": state });
        let id = client.request("tools/call", params);
        client.result(id).exited(9);
        assert!(!setup.place.has("outside/never"));
    });
}

#[test]
fn an_approval_for_another_call_opens_nothing() {
    confined(|setup| {
        let mut client = asking(setup, Era::Modern);
        let call = writes(setup, "never");
        setup.place.folder("work/sub");
        let altered = |key: &str, value: Value| {
            let mut altered = call.clone();
            altered[key] = value;
            altered
        };
        for other in [
            writes(setup, "another"),
            altered("command", json!("bash")),
            altered("cwd", json!("sub")),
            altered("stdin", json!("")),
            altered("timeout", json!(5)),
        ] {
            let state = state(&mut client, &call);
            let id = complete(&mut client, "sh_run", &other, &state, &yes());
            client.result(id).refused(&["given for another call", "nothing was run"]);
            // It is used up: whoever alters one does not get to try again.
            let id = complete(&mut client, "sh_run", &call, &state, &yes());
            client.result(id).refused(&["this approval is not known"]);
        }
        let state = state(&mut client, &call);
        let id = complete(&mut client, "sh_start", &call, &state, &yes());
        client.result(id).refused(&["this answers no question"]);
        assert!(!setup.place.has("outside/never") && !setup.place.has("outside/another"));
    });
}

/// A server with two instances that ask.
fn two(setup: &Setup) -> Command {
    let instance = |prefix: &str| {
        json!({
            "allow-any": true, "cwd": setup.place.path("work"), "prefix": prefix,
            "launcher": setup.launcher.setting(), "escalate": "ask",
        })
    };
    let tools = json!({ "Shell": instance("sh"), "Shell#other": instance("other") });
    setup.serve_config(&json!({ "name": "tests", "tools": tools }).to_string())
}

#[test]
fn an_approval_for_another_instance_opens_nothing() {
    confined(|setup| {
        let mut client = Client::start_able(two(setup), Era::Modern, able());
        let call = writes(setup, "never");
        let state = state(&mut client, &call);
        let id = complete(&mut client, "other_run", &call, &state, &yes());
        client.result(id).refused(&["this approval is not known"]);
        assert!(!setup.place.has("outside/never"));
    });
}

#[test]
fn an_approval_does_not_outlive_its_server() {
    confined(|setup| {
        let mut client = asking(setup, Era::Modern);
        let call = writes(setup, "never");
        let state = state(&mut client, &call);
        client.closed().exited(0);
        let mut client = asking(setup, Era::Modern);
        let id = complete(&mut client, "sh_run", &call, &state, &yes());
        client.result(id).refused(&["this approval is not known"]);
        assert!(!setup.place.has("outside/never"));
    });
}

#[test]
fn a_directory_that_is_another_one_by_now_is_not_run_in() {
    use std::os::unix::fs::symlink;
    confined(|setup| {
        setup.place.folder("work/sub");
        setup.place.folder("work/elsewhere");
        let mut client = asking(setup, Era::Modern);
        let mut call = writes(setup, "never");
        call["cwd"] = json!("sub");
        let state = state(&mut client, &call);
        std::fs::remove_dir(setup.place.path("work/sub")).unwrap();
        symlink("elsewhere", setup.place.path("work/sub")).unwrap();
        let id = complete(&mut client, "sh_run", &call, &state, &yes());
        client.result(id).refused(&["a person agreed, and it was not run", "no longer"]);
        assert!(!setup.place.has("outside/never"));
    });
}

#[test]
fn a_path_that_leads_elsewhere_by_now_is_not_opened() {
    use std::os::unix::fs::symlink;
    confined(|setup| {
        setup.place.folder("outside/a");
        setup.place.folder("outside/b");
        let mut client = asking(setup, Era::Modern);
        let call = writes(setup, "a/never");
        let state = state(&mut client, &call);
        std::fs::remove_dir(setup.place.path("outside/a")).unwrap();
        symlink("b", setup.place.path("outside/a")).unwrap();
        let id = complete(&mut client, "sh_run", &call, &state, &yes());
        client.result(id).refused(&["a person agreed, and it was not run", "it leads to"]);
        assert!(!setup.place.has("outside/b/never"));
    });
}

#[test]
fn the_audit_tells_who_was_asked_for_what_and_under_which_policy_it_ran() {
    confined(|setup| {
        setup.place.folder("audit");
        let file = setup.place.path("audit/calls.jsonl");
        let settings = json!({ "escalate": "ask", "audit": file, "audit-required": true });
        let mut client = Client::start_able(setup.serve_command(settings), Era::Modern, able());
        let call = writes(setup, "file");
        let first = state(&mut client, &call);
        let id = complete(&mut client, "sh_run", &call, &first, &json!({ "action": "decline" }));
        client.result(id).exited(9);
        let second = state(&mut client, &call);
        let id = complete(&mut client, "sh_run", &call, &second, &yes());
        client.result(id).exited(0);
        let third = state(&mut client, &call_denied(setup));
        let id = complete(&mut client, "sh_run", &call, &third, &yes());
        client.result(id).refused(&["given for another call"]);
        client.closed().exited(0);

        let text = setup.place.read("audit/calls.jsonl");
        let records: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let outcomes: Vec<_> = records.iter().map(|one| one["outcome"].as_str().unwrap()).collect();
        let expected = [
            "started", "success", "asked", "denied", // a person said no
            "started", "success", "asked", "granted", "started", "success", // and yes
            "started", "success", "asked", "denied", // and for another call
        ];
        assert_eq!(outcomes, expected, "{text}");
        let grants = json!([format!("write {}", setup.place.text("outside"))]);
        for (place, reason) in
            [(2, None), (3, Some("a person declined")), (6, None), (7, Some("a person agreed"))]
        {
            assert_eq!(records[place]["grants"], grants, "{text}");
            assert_eq!(records[place]["directory"], setup.place.text("work"), "{text}");
            let told = records[place]["reason"].as_str();
            assert_eq!(told.is_some(), reason.is_some(), "{text}");
            assert!(told.unwrap_or_default().starts_with(reason.unwrap_or_default()), "{text}");
        }
        assert_eq!(records[6]["id"], records[7]["id"]);
        assert!(records[13]["reason"].as_str().unwrap().contains("another call"), "{text}");
        assert_eq!(records[1]["policy"], records[5]["policy"], "{text}");
        assert_ne!(records[5]["policy"], records[9]["policy"], "{text}");
        assert_eq!(records[1]["policy"], records[11]["policy"], "{text}");
        assert!(records[9].get("grants").is_none());
    });
}

fn call_denied(setup: &Setup) -> Value {
    writes(setup, "another")
}
