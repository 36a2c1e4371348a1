//! The life of the MCP server, and every way to its end: no run is left, and the exit is 0.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Client, Era, Setup, Sleep, confined, everywhere, finish};

fn sh(script: &str) -> Value {
    json!({ "command": "sh", "args": ["-c", script], "timeout": 600 })
}

/// A run of two sleeps that would go on for longer than the test.
fn two_sleeps(sleep: &Sleep) -> Value {
    sh(&format!("sleep {0} & sleep {0}", sleep.seconds()))
}

/// What a request of the modern era carries, so that it needs no session.
fn modern() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn a_cancelled_call_ends_its_tree_and_no_other() {
    everywhere(|setup| {
        for era in Era::BOTH {
            let mut client = Client::start(setup.serve_command(json!({})), era);
            let (cancelled, beside) = (Sleep::new(751), Sleep::new(753));
            let other = client.begin("sh_run", two_sleeps(&beside));
            let id = client.begin("sh_run", two_sleeps(&cancelled));
            cancelled.await_running(2);
            beside.await_running(2);
            client.notify("notifications/cancelled", json!({ "requestId": id }));
            cancelled.await_gone();
            client.is_alive();
            client.run(json!({ "command": "echo", "args": ["on"] })).printed("on\n");
            assert_eq!(beside.running().len(), 2, "the call beside it has ended");
            assert!(!client.has_answered(other));
            if client.has_answered(id) {
                let payload = client.result(id).payload;
                assert!(payload["exit"] != 0 && payload["timed-out"] != true, "{payload}");
            }
            client.closed().exited(0);
            beside.is_gone();
        }
    });
}

#[test]
fn when_the_client_goes_the_server_and_all_runs_go() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(761);
        client.begin("sh_run", two_sleeps(&sleep));
        client.begin("sh_run", sh(&format!("yes & sleep {}", sleep.seconds())));
        sleep.await_running(3);
        client.closed().exited(0);
        sleep.is_gone();
    });
}

#[test]
fn a_polite_signal_ends_the_server_and_all_runs_while_its_input_is_open() {
    everywhere(|setup| {
        for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
            let mut client = setup.serve(json!({}));
            let sleep = Sleep::new(763);
            client.begin("sh_run", two_sleeps(&sleep));
            sleep.await_running(2);
            client.signal(signal);
            client.ended_with_input_open().exited(0);
            sleep.is_gone();
        }
    });
}

#[test]
fn a_killed_server_leaves_no_command() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(765);
        client.begin("sh_run", sh(&format!("exec sleep {}", sleep.seconds())));
        sleep.await_running(1);
        client.signal(Signal::KILL);
        sleep.await_gone();
    });
}

#[test]
fn an_answer_that_is_due_when_the_input_ends_still_comes() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    client.begin("sh_run", json!({ "command": "echo", "args": ["late"] }));
    let ran = client.closed();
    ran.exited(0);
    assert!(ran.stdout.contains(r#"\"stdout\":\"late\\n\""#), "{ran:?}");
}

#[test]
fn requests_from_a_file_are_answered() {
    let setup = Setup::plain();
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "sh_run", "arguments": { "command": "echo", "args": ["from a file"] },
        "_meta": modern(),
    } });
    let requests = setup.place.file("requests.jsonl", format!("{call}\n"));
    let mut command = setup.serve_command(json!({}));
    command.stdin(File::open(requests).unwrap());
    let ran = finish(command.spawn().unwrap());
    assert!(ran.exited(0).stdout.contains("from a file"), "{ran:?}");
}

#[test]
fn an_empty_input_is_an_orderly_end() {
    let setup = Setup::plain();
    let ran = finish(setup.serve_command(json!({})).spawn().unwrap());
    ran.exited(0);
    assert_eq!(ran.stdout, "");
}

#[test]
fn socket_pairs_as_node_gives_them_work_like_pipes() {
    everywhere(|setup| {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let mut command = setup.serve_command(json!({}));
        command.stdin(Stdio::from(OwnedFd::from(theirs.try_clone().unwrap())));
        command.stdout(Stdio::from(OwnedFd::from(theirs)));
        let child = command.spawn().unwrap();
        drop(command);
        let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "tests", "version": "1" },
        } });
        ours.write_all(format!("{initialize}\n").as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\n") {
            let mut byte = [0];
            ours.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        assert!(String::from_utf8(answer).unwrap().contains("2025-11-25"));
        // Nobody closes anything: the signal alone must do.
        let pid = Pid::from_child(&child);
        kill_process(pid, Signal::TERM).unwrap();
        finish(child).exited(0);
    });
}

#[test]
fn a_client_that_reads_nothing_does_not_keep_the_server() {
    let setup = Setup::plain();
    let (ours, theirs) = std::io::pipe().unwrap();
    let mut command = setup.serve_command(json!({ "max-output-bytes": 4_000_000 }));
    command.stdin(Stdio::piped()).stdout(theirs);
    let mut child = command.spawn().unwrap();
    drop(command);
    let flood = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "sh_run", "arguments": sh("head -c 3000000 /dev/zero | tr '\\0' x"), "_meta": modern(),
    } });
    let sleep = Sleep::new(771);
    let sleeps = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "sh_run", "arguments": two_sleeps(&sleep), "_meta": modern(),
    } });
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("{flood}\n{sleeps}\n").as_bytes()).unwrap();
    sleep.await_running(2);
    drop(stdin);
    finish(child).exited(0);
    sleep.is_gone();
    drop(ours);
}

#[test]
fn a_server_whose_stderr_is_closed_ends_in_order() {
    let setup = Setup::plain();
    let (read, write) = std::io::pipe().unwrap();
    drop(read);
    let mut command = setup.serve_command(json!({}));
    command.stdin(Stdio::piped()).stderr(write);
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let list = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": modern() },
    });
    stdin.write_all(format!("{list}\n").as_bytes()).unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    assert!(answer.contains("sh_run"), "{answer}");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    finish(child).exited(0);
    drop(stdin);
}

#[test]
fn the_scratch_folders_of_a_server_last_as_long_as_it_does() {
    confined(|setup| {
        let tmp = setup.place.folder("tmp");
        let mut command = setup.serve_command(json!({}));
        command.env("TMPDIR", &tmp);
        let mut client = Client::start(command, Era::Legacy);
        client.sh("echo x > \"$TMPDIR/f\"; echo x > ~/f").printed("");
        client.sh("cat \"$TMPDIR/f\" ~/f").printed("x\nx\n");
        client.closed().exited(0);
        assert_eq!(setup.place.list("tmp"), [""; 0]);

        let mut command = setup.serve_command(json!({ "scratch": "run" }));
        command.env("TMPDIR", &tmp);
        let mut client = Client::start(command, Era::Legacy);
        client.sh("echo x > \"$TMPDIR/f\"").printed("");
        client.sh("ls \"$TMPDIR\"").printed("");
    });
}

#[test]
fn a_slow_call_holds_up_no_other() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(741);
        let slow: Vec<_> = (0..4).map(|_| client.begin("sh_run", two_sleeps(&sleep))).collect();
        sleep.await_running(8);
        client.is_alive();
        assert!(!client.call("sh_allowed", json!({})).is_error);
        client.run(json!({ "command": "echo", "args": ["quick"] })).printed("quick\n");
        for id in &slow {
            assert!(!client.has_answered(*id), "a sleep has ended");
        }
        client.closed().exited(0);
        sleep.is_gone();
    });
}
