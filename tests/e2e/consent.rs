//! A person is asked whether a run that was refused something may run once more.

#[path = "consent/approvals.rs"]
mod approvals;
#[path = "consent/offers.rs"]
mod offers;
#[path = "consent/sdk.rs"]
mod sdk;

use serde_json::{Value, json};

use crate::support::{Answer, Client, Era, Setup, confined, eventually};

/// What a client says that can ask its person.
fn able() -> Value {
    json!({ "elicitation": { "form": {} } })
}

/// A server that asks, and a client that can.
fn asking(setup: &Setup, era: Era) -> Client {
    Client::start_able(setup.serve_command(json!({ "escalate": "ask" })), era, able())
}

/// The arguments of a call that writes a file outside, and says what became of that.
fn writes(setup: &Setup, name: &str) -> Value {
    let path = setup.place.text(&format!("outside/{name}"));
    json!({ "command": "sh", "args": ["-c", "touch \"$1\" && echo text > \"$1\" || exit 9", "sh", path] })
}

fn yes() -> Value {
    json!({ "action": "accept", "content": { "decision": "run-once" } })
}

fn no() -> Value {
    json!({ "action": "accept", "content": { "decision": "deny" } })
}

/// Calls `sh_run`, and answers the question of the server, in whatever way the era has. Gives the
/// message of the question and the answer to the call.
#[track_caller]
fn run_asked(client: &mut Client, era: Era, arguments: &Value, says: Value) -> (String, Answer) {
    let id = client.begin("sh_run", arguments.clone());
    if era == Era::Legacy {
        let (question, params) = client.asked("elicitation/create");
        client.reply(&question, says);
        return (params["message"].as_str().unwrap().to_owned(), client.result(id));
    }
    let answer = client.answer(id);
    let (question, state) = handed_out(&answer);
    let id = complete(client, "sh_run", arguments, &state, &says);
    (question["params"]["message"].as_str().unwrap().to_owned(), client.result(id))
}

/// The question in an answer of the modern era, and the state that comes with it.
#[track_caller]
fn handed_out(answer: &Value) -> (Value, String) {
    let result = &answer["result"];
    assert_eq!(result["resultType"], "input_required", "{answer}");
    let question = result["inputRequests"]["consent"].clone();
    assert_eq!(question["method"], "elicitation/create", "{answer}");
    (question, result["requestState"].as_str().unwrap().to_owned())
}

/// Calls a tool with the answer to a question.
fn complete(client: &mut Client, tool: &str, arguments: &Value, state: &str, says: &Value) -> u64 {
    let responses = json!({ "consent": says });
    let params = json!({
        "name": tool, "arguments": arguments, "requestState": state, "inputResponses": responses,
    });
    client.request("tools/call", params)
}

#[test]
fn a_run_that_a_person_agrees_to_has_what_it_lacked_and_the_next_one_has_not() {
    confined(|setup| {
        for era in Era::BOTH {
            let mut client = asking(setup, era);
            let name = format!("{era:?}");
            let file = format!("outside/{name}");
            let (message, answer) = run_asked(&mut client, era, &writes(setup, &name), no());
            let denied = answer.exited(9);
            assert_eq!(denied["sandbox"]["verdict"], "denied", "{denied}");
            assert!(!setup.place.has(&file));
            let outside = setup.place.text("outside");
            assert!(message.contains(&format!("Directory: `{}`", setup.place.text("work"))));
            assert!(message.contains(&format!("Refused: `write {outside}/{name}`")), "{message}");
            assert!(message.contains(&format!("read, change and remove `{outside}`")), "{message}");

            let (_, answer) = run_asked(&mut client, era, &writes(setup, &name), yes());
            let ran = answer.exited(0);
            assert_eq!(ran["sandbox"]["granted"], json!([format!("write {outside}")]), "{ran}");
            assert_eq!(ran["sandbox"]["active"], true, "{ran}");
            assert_eq!(setup.place.read(&file), "text\n");

            // It was for once.
            let other = format!("{name}-other");
            let (_, answer) = run_asked(&mut client, era, &writes(setup, &other), no());
            answer.exited(9);
            assert!(!setup.place.has(&format!("outside/{other}")));
            client.closed().exited(0);
        }
    });
}

#[test]
fn whatever_is_no_clear_yes_is_a_no_and_the_answer_is_that_of_the_run() {
    confined(|setup| {
        for era in Era::BOTH {
            let mut client = asking(setup, era);
            for says in [
                json!({ "action": "decline" }),
                json!({ "action": "cancel" }),
                json!({ "action": "accept" }),
                json!({ "action": "accept", "content": { "decision": "always" } }),
                json!({ "action": "sure", "content": { "decision": "run-once" } }),
                json!({}),
            ] {
                let (_, answer) = run_asked(&mut client, era, &writes(setup, "never"), says);
                assert_eq!(answer.exited(9)["sandbox"]["verdict"], "denied");
                assert!(!setup.place.has("outside/never"));
            }
            client.is_alive();
        }
    });
}

#[test]
fn a_client_that_cannot_ask_is_told_so_and_nothing_is_opened() {
    confined(|setup| {
        for era in Era::BOTH {
            for can in [json!({}), json!({ "elicitation": { "url": {} } })] {
                let command = setup.serve_command(json!({ "escalate": "ask" }));
                let mut client = Client::start_able(command, era, can);
                let answer = client.run(writes(setup, "never"));
                let sandbox = &answer.exited(9)["sandbox"];
                let told = sandbox["consent"].as_str().unwrap();
                assert!(told.contains("this client has no elicitation"), "{sandbox}");
                assert!(!setup.place.has("outside/never"));
                let fine = client.run(json!({ "command": "true" }));
                assert!(fine.exited(0)["sandbox"].get("consent").is_none());
            }
        }
    });
}

#[test]
fn nobody_is_asked_where_the_settings_do_not_say_so() {
    confined(|setup| {
        for (era, settings) in
            [(Era::Legacy, json!({})), (Era::Modern, json!({ "escalate": "off" }))]
        {
            let mut client = Client::start_able(setup.serve_command(settings), era, able());
            let answer = client.run(writes(setup, "never"));
            assert!(answer.exited(9)["sandbox"].get("consent").is_none());
            let id = complete(&mut client, "sh_run", &writes(setup, "never"), "x", &yes());
            client.result(id).refused(&["this answers no question"]);
            assert!(!setup.place.has("outside/never"));
        }
    });
}

#[test]
fn other_calls_have_no_part_in_a_grant_while_it_is_used() {
    confined(|setup| {
        let mut client = asking(setup, Era::Legacy);
        let path = setup.place.text("outside/slow");
        let script = "touch \"$1\" || exit 9; until [ -e go ]; do sleep 0.05; done";
        let slow =
            client.begin("sh_run", json!({ "command": "sh", "args": ["-c", script, "sh", path] }));
        let (question, _) = client.asked("elicitation/create");
        client.reply(&question, yes());
        assert!(eventually(|| setup.place.has("outside/slow")));
        let (_, answer) = run_asked(&mut client, Era::Legacy, &writes(setup, "other"), no());
        answer.exited(9);
        assert!(!setup.place.has("outside/other"));
        client.run(json!({ "command": "touch", "args": ["go"] })).exited(0);
        client.result(slow).exited(0);
        std::fs::remove_file(setup.place.path("work/go")).unwrap();
    });
}

#[test]
fn a_call_that_is_cancelled_waits_for_nobody() {
    confined(|setup| {
        let mut client = asking(setup, Era::Legacy);
        let id = client.begin("sh_run", writes(setup, "never"));
        let (question, _) = client.asked("elicitation/create");
        client.notify("notifications/cancelled", json!({ "requestId": id }));
        client.hear("notifications/cancelled", |params| params["requestId"] == question);
        // An answer that comes too late opens nothing.
        client.reply(&question, yes());
        client.is_alive();
        client.closed().exited(0);
        assert!(!setup.place.has("outside/never"));
    });
}
