//! The protocol as bytes: clients that do not read, that hang up while they are told something, and
//! that send what no library would.

use std::io::{PipeReader, Write};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Client, Era, Setup, Sleep, eventually, finish};

/// A server whose client does not read a byte.
struct Unread {
    child: Child,
    stdout: PipeReader,
}

impl Unread {
    fn start(mut command: Command) -> Self {
        let (stdout, theirs) = std::io::pipe().unwrap();
        command.stdin(Stdio::piped()).stdout(theirs);
        Unread { child: command.spawn().unwrap(), stdout }
    }

    fn send(&mut self, message: &Value) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// Opens a session.
    fn initialize(&mut self) {
        self.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "tests", "version": "1" },
        }}));
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    }

    fn call(&mut self, id: u32, tool: &str, script: &str, meta: &Value) {
        let arguments = json!({ "command": "sh", "args": ["-c", script] });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    }

    /// The server ends in order although its client never read.
    fn ends(self) {
        finish(self.child).exited(0);
        drop(self.stdout);
    }
}

/// A request without a session that wants to be told of everything.
fn told() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/logLevel": "debug",
        "progressToken": 1,
    })
}

/// Prints more than a pipe and all queues hold, without an end.
const FLOOD: &str = "while :; do seq 1000; sleep 0.01; done";

#[test]
fn a_job_ends_when_it_is_done_although_nobody_reads_what_is_told_of_it() {
    let setup = Setup::plain();
    let mut server = Unread::start(setup.serve_command(json!({})));
    server.initialize();
    for number in 0..6 {
        let script = format!("for i in $(seq 300); do seq 1000; done; echo > done-{number}");
        server.call(number + 1, "sh_start", &script, &json!({}));
    }
    let all_done = || (0..6).all(|number| setup.place.has(&format!("work/done-{number}")));
    assert!(eventually(all_done), "a job was held up");
    drop(server.child.stdin.take());
    server.ends();
}

#[test]
fn a_run_that_floods_a_client_that_does_not_read_ends_with_either_way_to_say_so() {
    for says_so in [Signal::TERM, Signal::HUP, Signal::INT] {
        let setup = Setup::plain();
        let mut server = Unread::start(setup.serve_command(json!({})));
        let sleep = Sleep::new(630);
        let script = format!("sleep {} & {FLOOD}", sleep.seconds());
        server.call(1, "sh_run", &script, &told());
        sleep.await_running(1);
        kill_process(Pid::from_child(&server.child), says_so).unwrap();
        server.ends();
        sleep.await_gone();
    }
    let setup = Setup::plain();
    let mut server = Unread::start(setup.serve_command(json!({})));
    let sleep = Sleep::new(631);
    server.call(1, "sh_run", &format!("sleep {} & {FLOOD}", sleep.seconds()), &told());
    sleep.await_running(1);
    drop(server.child.stdin.take());
    server.ends();
    sleep.await_gone();
}

#[test]
fn a_run_that_is_told_and_about_to_end_is_answered_after_the_input_is_over() {
    let setup = Setup::plain();
    let mut client = Client::start(setup.serve_command(json!({})), Era::Modern);
    let id = client.request(
        "tools/call",
        json!({
            "name": "sh_run", "arguments": { "command": "echo", "args": ["hi"] },
            "_meta": { "io.modelcontextprotocol/logLevel": "info", "progressToken": 1 },
        }),
    );
    client.hang_up();
    client.result(id).printed("hi\n");
    client.ended().exited(0);
}

#[test]
fn a_run_that_is_told_and_lasts_is_killed_when_the_input_is_over() {
    let setup = Setup::plain();
    let mut client = Client::start(setup.serve_command(json!({})), Era::Modern);
    let sleep = Sleep::new(632);
    let script = format!("echo begun; sleep {}", sleep.seconds());
    let arguments = json!({ "command": "sh", "args": ["-c", script] });
    let meta = json!({ "io.modelcontextprotocol/logLevel": "info", "progressToken": 1 });
    let params = json!({ "name": "sh_run", "arguments": arguments, "_meta": meta });
    client.request("tools/call", params);
    client.hear("notifications/message", |params| params["data"]["text"] == "begun\n");
    client.closed().exited(0);
    sleep.is_gone();
}

#[test]
fn the_end_of_a_job_that_ends_with_the_server_is_still_told() {
    let setup = Setup::plain();
    let mut client = Client::start(setup.serve_command(json!({})), Era::Legacy);
    let sleep = Sleep::new(633);
    let call = json!({ "command": "sleep", "args": [sleep.seconds()] });
    client.call("sh_start", call).ran();
    sleep.await_running(1);
    client.signal(Signal::TERM);
    let event = client.hear("notifications/job", |params| params["state"] != "started");
    assert_eq!((&event["state"], &event["exit"]), (&json!("killed"), &json!(137)), "{event}");
    client.ended().exited(0);
    sleep.is_gone();
}

#[test]
fn a_client_that_discovers_first_may_open_a_session_all_the_same() {
    let setup = Setup::plain();
    let mut client = Client::start(setup.serve_command(json!({})), Era::Modern);
    let id = client.request("server/discover", json!({}));
    assert!(client.answer(id)["result"]["supportedVersions"].is_array());
    client.send(
        &json!({ "jsonrpc": "2.0", "id": 100, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "tests", "version": "1" },
        }})
        .to_string(),
    );
    assert_eq!(client.answer(100)["result"]["protocolVersion"], "2025-11-25");
    client.notify("notifications/initialized", json!({}));
    let params = json!({ "name": "sh_start", "arguments": { "command": "true" } });
    let call = json!({ "jsonrpc": "2.0", "id": 101, "method": "tools/call", "params": params });
    client.send(&call.to_string());
    client.result(101).ran();
    client.hear("notifications/job", |params| params["state"] == "exited");
}

#[test]
fn a_line_that_is_too_long_costs_its_own_request_and_no_other() {
    let setup = Setup::plain();
    let mut client = Client::start(setup.serve_command(json!({})), Era::Modern);
    let long = "x".repeat(17 << 20);
    client.begin("sh_run", json!({ "command": "cat", "stdin": long }));
    client.sh("echo on").printed("on\n");
    let big = "x".repeat(8 << 20);
    let answer = client.run(json!({ "command": "wc", "args": ["-c"], "stdin": big }));
    assert_eq!(answer.exited(0)["stdout"].as_str().unwrap().trim(), (8 << 20).to_string());
}

#[test]
fn the_same_id_twice_at_once_leaves_the_server_alive() {
    let setup = Setup::plain();
    let mut client = Client::start(setup.serve_command(json!({})), Era::Modern);
    for _ in 0..2 {
        let params = json!({
            "name": "sh_run", "arguments": { "command": "sleep", "args": ["0.2"] }, "_meta": told(),
        });
        let call = json!({ "jsonrpc": "2.0", "id": 500, "method": "tools/call", "params": params });
        client.send(&call.to_string());
    }
    client.result(500).exited(0);
    client.sh("echo on").printed("on\n");
}

#[test]
fn wrong_shapes_of_what_is_served_are_wrong_parameters() {
    let setup = Setup::plain();
    for era in Era::BOTH {
        let mut client = Client::start(setup.serve_command(json!({})), era);
        for (method, params) in [
            ("tools/call", json!({ "name": "sh_poll", "arguments": [] })),
            ("tools/call", json!({ "name": 5 })),
            ("tools/call", json!({})),
            // There is one page, and no cursor to another one.
            ("tools/list", json!({ "cursor": "2" })),
        ] {
            let id = client.request(method, params.clone());
            let answer = client.answer(id);
            assert_eq!(answer["error"]["code"], -32602, "{method} {params}: {answer}");
        }
        let id = client.request("tools/fetch", json!({}));
        assert_eq!(client.answer(id)["error"]["code"], -32601);
    }
}

#[test]
fn text_and_structure_of_every_tool_say_the_same_and_every_modern_result_is_signed() {
    let setup = Setup::plain();
    let mut client = Client::start(setup.serve_command(json!({})), Era::Modern);
    let call = |client: &mut Client, tool: &str, arguments: Value| {
        let id = client.begin(tool, arguments);
        let answer = client.answer(id);
        let result = &answer["result"];
        let signed = &result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"];
        assert_eq!(
            (signed, &result["resultType"]),
            (&json!("tests"), &json!("complete")),
            "{tool}"
        );
        let text = result["content"][0]["text"].as_str().unwrap();
        if tool == "sh_allowed" {
            return Value::Null;
        }
        let structure = result["structuredContent"].clone();
        assert_eq!(text, structure.to_string(), "{tool}");
        let keys: Vec<_> = structure.as_object().unwrap().keys().cloned().collect();
        assert!(keys.is_sorted(), "{tool}: {keys:?}");
        structure
    };
    let job = call(&mut client, "sh_start", json!({ "command": "true" }))["job"].clone();
    for tool in ["sh_poll", "sh_output", "sh_kill"] {
        call(&mut client, tool, json!({ "job": job }));
    }
    call(&mut client, "sh_run", json!({ "command": "true" }));
    call(&mut client, "sh_allowed", json!({}));
}
