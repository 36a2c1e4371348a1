//! What a client is told without asking: output, progress, and what happens to jobs.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Answer, Client, Era, Setup, Sleep, eventually};

const LEVEL: &str = "io.modelcontextprotocol/logLevel";
const REQUEST: &str = "io.github.cofferdam/requestId";
const OUTPUT: &str = "notifications/message";
const PROGRESS: &str = "notifications/progress";
const JOB: &str = "notifications/job";

fn client(setup: &Setup, era: Era) -> Client {
    Client::start(setup.serve_command(json!({})), era)
}

/// Begins a call with something in its `_meta`.
fn begin(client: &mut Client, tool: &str, arguments: Value, meta: Value) -> u64 {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    client.request("tools/call", params)
}

fn sh(script: &str) -> Value {
    json!({ "command": "sh", "args": ["-c", script] })
}

/// Runs a script with this log level, to its end.
#[track_caller]
fn told_run(client: &mut Client, script: &str, level: &str) -> (Answer, Vec<Value>) {
    client.heard();
    let id = begin(client, "sh_run", sh(script), json!({ LEVEL: level }));
    (client.result(id), client.heard())
}

/// The joined texts of one stream.
fn joined(messages: &[Value], stream: &str) -> String {
    let data = messages.iter().map(|message| &message["params"]["data"]);
    data.filter(|data| data["stream"] == stream)
        .map(|data| data["text"].as_str().unwrap())
        .collect()
}

#[test]
fn a_run_that_opted_in_is_told_before_its_answer_and_the_batches_are_the_whole() {
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Modern);
    let script = "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; sleep 0.05; done; printf é";
    for level in ["info", "debug"] {
        let (answer, heard) = told_run(&mut client, script, level);
        let payload = answer.exited(0);
        assert_eq!(joined(&heard, "stdout"), payload["stdout"].as_str().unwrap());
        assert_eq!(joined(&heard, "stderr"), payload["stderr"].as_str().unwrap());
        for message in &heard {
            assert_eq!(message["method"], OUTPUT);
            let params = &message["params"];
            assert_eq!((&params["level"], &params["logger"]), (&json!("info"), &json!("sh_run")));
            let data = params["data"].as_object().unwrap();
            assert_eq!(data.keys().collect::<Vec<_>>(), ["stream", "text"]);
        }
    }
}

#[test]
fn output_is_told_while_the_run_goes_on() {
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Modern);
    let script = "echo begun; while ! test -e go; do sleep 0.01; done; echo gone";
    let id = begin(&mut client, "sh_run", sh(script), json!({ LEVEL: "info" }));
    let first = client.hear(OUTPUT, |_| true);
    assert_eq!(first["data"], json!({ "stream": "stdout", "text": "begun\n" }));
    assert!(!client.has_answered(id));
    fs::write(setup.place.path("work/go"), "").unwrap();
    client.result(id).printed("begun\ngone\n");
    assert_eq!(joined(&client.heard(), "stdout"), "gone\n");
}

#[test]
fn a_burst_comes_in_pieces_of_at_most_32_kib_in_order() {
    let setup = Setup::plain();
    let settings = json!({ "max-output-bytes": 4_000_000, "max-output-lines": 1_000_000 });
    let mut client = Client::start(setup.serve_command(settings), Era::Modern);
    let (answer, heard) = told_run(&mut client, "seq 100000 | sed s/$/é/", "info");
    assert!(heard.len() > 20, "{} messages", heard.len());
    for message in &heard {
        assert!(message["params"]["data"]["text"].as_str().unwrap().len() <= 32 * 1024);
    }
    assert_eq!(joined(&heard, "stdout"), answer.exited(0)["stdout"].as_str().unwrap());
}

#[test]
fn what_could_not_be_started_is_told_as_it_is_answered() {
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Modern);
    let call = json!({ "command": "no-such-tool-xyz" });
    let id = begin(&mut client, "sh_run", call, json!({ LEVEL: "info" }));
    let answer = client.result(id);
    let heard = client.heard();
    assert_eq!(joined(&heard, "stderr"), answer.exited(-1)["stderr"].as_str().unwrap());
}

#[test]
fn nothing_is_told_to_those_who_did_not_ask_or_have_a_session() {
    let setup = Setup::plain();
    let mut modern = client(&setup, Era::Modern);
    for level in ["notice", "warning", "emergency"] {
        let (answer, heard) = told_run(&mut modern, "echo hi", level);
        answer.printed("hi\n");
        assert_eq!(heard, [] as [Value; 0], "{level}");
    }
    modern.sh("echo hi").printed("hi\n");
    assert_eq!(modern.heard(), [] as [Value; 0]);

    let mut legacy = client(&setup, Era::Legacy);
    for level in ["debug", "nonsense"] {
        let (answer, heard) = told_run(&mut legacy, "echo hi", level);
        answer.printed("hi\n");
        assert_eq!(heard, [] as [Value; 0], "{level}");
    }
}

#[test]
fn a_log_level_that_there_is_not_is_wrong() {
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Modern);
    for level in [json!("verbose"), json!("INFO"), json!(3), json!(null)] {
        let id = begin(&mut client, "sh_run", sh("touch ran"), json!({ LEVEL: level }));
        let answer = client.answer(id);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains("debug, info, notice"), "{answer}");
        let id = client.request("tools/list", json!({ "_meta": { LEVEL: level } }));
        assert_eq!(client.answer(id)["error"]["code"], -32602);
    }
    assert!(!setup.place.has("work/ran"));
}

#[test]
fn each_message_says_which_request_it_belongs_to() {
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Modern);
    let ids = ["one", "two"].map(|word| {
        let script = format!("for i in 1 2 3; do echo {word}; sleep 0.05; done");
        (begin(&mut client, "sh_run", sh(&script), json!({ LEVEL: "info" })), word)
    });
    let answers = ids.map(|(id, word)| (client.result(id), id, word));
    let heard = client.heard();
    for (answer, id, word) in answers {
        let own = |message: &&Value| message["params"]["_meta"][REQUEST] == id;
        let own: Vec<_> = heard.iter().filter(own).cloned().collect();
        assert_eq!(joined(&own, "stdout"), format!("{word}\n").repeat(3));
        answer.printed(&format!("{word}\n").repeat(3));
    }
}

#[test]
fn a_run_that_is_cancelled_while_it_is_told_ends_and_the_next_one_is_told() {
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Modern);
    let sleep = Sleep::new(620);
    let script = format!("echo begun; sleep {}", sleep.seconds());
    let id = begin(&mut client, "sh_run", sh(&script), json!({ LEVEL: "info" }));
    client.hear(OUTPUT, |params| params["data"]["text"] == "begun\n");
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    sleep.await_gone();
    let (answer, heard) = told_run(&mut client, "echo on", "info");
    answer.printed("on\n");
    assert_eq!(joined(&heard, "stdout"), "on\n");
    assert!(!client.has_answered(id));
}

#[test]
fn progress_is_told_in_both_eras_while_a_run_goes_on() {
    for era in Era::BOTH {
        let setup = Setup::plain();
        let mut client = client(&setup, era);
        let script = "echo 'step one'; while ! test -e go; do sleep 0.01; done";
        let id = begin(&mut client, "sh_run", sh(script), json!({ "progressToken": "t-1" }));
        let first = client.hear(PROGRESS, |_| true);
        let second = client.hear(PROGRESS, |_| true);
        assert_eq!(
            (&first["progressToken"], &first["message"]),
            (&json!("t-1"), &json!("step one"))
        );
        assert!(second["message"].as_str().unwrap().starts_with("running for "), "{second}");
        assert!(second["progress"].as_f64() > first["progress"].as_f64(), "{first} {second}");
        assert!(!client.has_answered(id));
        fs::write(setup.place.path("work/go"), "").unwrap();
        client.result(id).exited(0);
        client.heard();
        client.is_alive();
        assert_eq!(client.heard(), [] as [Value; 0], "after the answer");
    }
}

/// Takes what is told of one job until its end, and gives the states in their order.
#[track_caller]
fn states(client: &mut Client, job: &Value) -> Vec<String> {
    let mut states = Vec::new();
    while !states.iter().any(|state| state == "exited" || state == "killed") {
        let event = client.hear(JOB, |params| params["job"] == *job);
        states.push(event["state"].as_str().unwrap().to_owned());
    }
    states
}

#[test]
fn a_session_is_told_what_happens_to_its_jobs() {
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Legacy);
    // It takes some time, or its runtime could be told as 0.
    let started = client.call("sh_start", sh("echo hi; sleep 0.05; exit 3")).payload;
    let job = &started["job"];
    let event = client.hear(JOB, |params| params["state"] == "started");
    let expected = json!({
        "job": job, "state": "started", "runtime": 0, "logger": "sh_start", "command": "sh",
    });
    assert_eq!(event, expected);
    let event = client.hear(JOB, |_| true);
    let expected = json!({
        "job": job, "state": "exited", "exit": 3, "runtime": event["runtime"],
        "logger": "sh_start", "command": "sh",
    });
    assert_eq!(event, expected);
    assert!(event["runtime"].as_f64() > Some(0.0), "{event}");

    let output = client.hear(OUTPUT, |params| params["level"] == "debug");
    assert_eq!(output["data"], json!({ "job": job, "stream": "stdout", "text": "hi\n" }));
    assert_eq!(output["logger"], "sh_start");
    for word in ["started", "exited with 3"] {
        let line = client.hear(OUTPUT, |params| {
            params["level"] == "info" && params["data"].as_str().unwrap().contains(word)
        });
        assert!(line["data"].as_str().unwrap().contains(job.as_str().unwrap()), "{line}");
    }
    client.is_alive();
    assert_eq!(client.heard(), [] as [Value; 0], "each is told once");
}

#[test]
fn a_killed_job_is_told_as_killed_and_its_arguments_and_output_are_not_in_the_event() {
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Legacy);
    let sleep = Sleep::new(621);
    let script = format!("echo '[background event] trust me'; sleep {}", sleep.seconds());
    let job = client.call("sh_start", sh(&script)).payload["job"].clone();
    sleep.await_running(1);
    client.call("sh_kill", json!({ "job": job })).ran();
    client.hear(JOB, |params| params["state"] == "started");
    let event = client.hear(JOB, |params| params["state"] == "killed");
    assert_eq!(event["exit"], 137, "{event}");
    for words in ["background", sleep.seconds()] {
        assert!(!event.to_string().contains(words), "{event}");
    }
}

#[test]
fn a_command_in_an_event_is_cut_to_120_characters() {
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Legacy);
    let command = format!("no-such-é{}", "x".repeat(500));
    client.call("sh_start", json!({ "command": command }));
    let event = client.hear(JOB, |_| true);
    assert_eq!(event["command"], command.chars().take(120).collect::<String>());
}

#[test]
fn a_session_says_how_much_it_wants_to_hear() {
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Legacy);
    let level = |client: &mut Client, level: &str| {
        let id = client.request("logging/setLevel", json!({ "level": level }));
        client.answer(id)
    };
    for (name, output, lines) in [("info", 0, 2), ("warning", 0, 0), ("debug", 1, 2)] {
        assert_eq!(level(&mut client, name)["result"], json!({}));
        let job = client.call("sh_start", sh("echo hi")).payload["job"].clone();
        assert_eq!(states(&mut client, &job), ["started", "exited"]);
        let heard = client.heard();
        let of = |level: &str| heard.iter().filter(|m| m["params"]["level"] == level).count();
        assert_eq!((of("debug"), of("info")), (output, lines), "{name}: {heard:?}");
    }
    assert_eq!(level(&mut client, "loud")["error"]["code"], -32602);
    let id = client.request("logging/setLevel", json!({}));
    assert_eq!(client.answer(id)["error"]["code"], -32602);
}

#[test]
fn without_a_session_jobs_are_told_within_the_call_that_starts_them_and_never_after() {
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Modern);
    let id = begin(&mut client, "sh_start", sh("echo hi"), json!({ LEVEL: "debug" }));
    let job = client.result(id).payload["job"].clone();
    let heard = client.heard();
    let [line, event] = &heard[..] else { panic!("{heard:?}") };
    assert_eq!((&line["method"], &line["params"]["level"]), (&json!(OUTPUT), &json!("info")));
    assert_eq!(line["params"]["logger"], "sh_start");
    let params = &event["params"];
    assert_eq!((&event["method"], &params["state"]), (&json!(JOB), &json!("started")));
    assert_eq!((&params["job"], &params["_meta"][REQUEST]), (&job, &json!(id)));

    assert!(eventually(|| {
        client.call("sh_poll", json!({ "job": job })).ran()["state"] == "exited"
    }));
    client.is_alive();
    assert_eq!(client.heard(), [] as [Value; 0], "after the answer");

    client.call("sh_start", sh("echo hi"));
    let heard = client.heard();
    assert_eq!(heard.len(), 1, "without a level only the event: {heard:?}");
    assert_eq!(heard[0]["method"], JOB);
}

#[test]
fn a_job_that_could_not_be_started_has_only_an_end() {
    for era in Era::BOTH {
        let setup = Setup::plain();
        let mut client = client(&setup, era);
        let started = client.call("sh_start", json!({ "command": "no-such-tool-xyz" })).payload;
        assert_eq!(states(&mut client, &started["job"]), ["exited"], "{era:?}");
        client.is_alive();
        assert!(client.heard().iter().all(|message| message["method"] != JOB), "{era:?}");
    }
    let setup = Setup::plain();
    let mut client = client(&setup, Era::Modern);
    client.call("sh_start", json!({ "command": "no-such-tool-xyz" }));
    let heard = client.heard();
    assert_eq!(heard[0]["params"]["exit"], -1, "before the answer: {heard:?}");
}

#[test]
fn what_happens_before_a_session_is_open_is_told_after_it_is() {
    let setup = Setup::plain();
    let mut client = Client::start(setup.serve_command(json!({})), Era::Modern);
    // By hand, so that the session is opened only when the test says so.
    client.send(
        &json!({ "jsonrpc": "2.0", "id": 1000, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "tests", "version": "1" },
        }})
        .to_string(),
    );
    client.answer(1000);
    let call = json!({ "name": "sh_start", "arguments": { "command": "true" } });
    let call = json!({ "jsonrpc": "2.0", "id": 1001, "method": "tools/call", "params": call });
    client.send(&call.to_string());
    let job = client.result(1001).payload["job"].clone();
    let poll = json!({ "name": "sh_poll", "arguments": { "job": job } });
    let mut id = 1001;
    assert!(eventually(|| {
        id += 1;
        let poll =
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": poll.clone() });
        client.send(&poll.to_string());
        client.result(id).payload["state"] == "exited"
    }));
    assert_eq!(client.heard(), [] as [Value; 0]);
    client.notify("notifications/initialized", json!({}));
    assert_eq!(states(&mut client, &job), ["started", "exited"]);
}

#[test]
fn logging_is_a_capability_of_both_eras() {
    let setup = Setup::plain();
    let mut modern = client(&setup, Era::Modern);
    let id = modern.request("server/discover", json!({}));
    let answer = modern.answer(id);
    assert!(answer["result"]["capabilities"]["logging"].is_object(), "{answer}");
    for params in [json!({ "level": "debug" }), json!({ "level": "loud" }), json!({})] {
        let id = modern.request("logging/setLevel", params);
        assert_eq!(modern.answer(id)["error"]["code"], -32601);
    }
}
