//! The life of the MCP server: both eras of the protocol, and every way to its end.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    Client, Era, Launcher, Setup, Sleep, confined, eventually, everywhere, finish, refuses_to_start,
};

fn sh(script: &str) -> Value {
    json!({ "command": "sh", "args": ["-c", script], "timeout": 600 })
}

/// A run of two sleeps that would go on for longer than the test.
fn two_sleeps(sleep: &Sleep) -> Value {
    sh(&format!("sleep {0} & sleep {0}", sleep.seconds()))
}

#[test]
fn both_eras_are_spoken() {
    for era in Era::BOTH {
        let setup = Setup::plain();
        let mut client = Client::start(setup.serve_command(json!({})), era);
        let list = client.request("tools/list", json!({}));
        let answer = client.answer(list);
        let tools = answer["result"]["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert!(names.contains(&"sh_run") && names.contains(&"sh_allowed"), "{names:?}");
        client.run(json!({ "command": "echo", "args": ["a b"] })).printed("a b\n");
        client.run(json!({ "command": "nosuchtool" })).not_started(&["nosuchtool"]);
        client.run(json!({})).refused(&["`command`"]);
        client.closed().exited(0);
    }
}

#[test]
fn a_modern_client_discovers_and_gets_signed_results() {
    let setup = Setup::plain();
    let mut client = Client::start(setup.serve_command(json!({})), Era::Modern);
    let discover = client.request("server/discover", json!({}));
    let answer = client.answer(discover);
    let versions = answer["result"]["supportedVersions"].as_array().expect("versions");
    assert!(versions.contains(&json!("2026-07-28")), "{answer}");
    let call = client.begin("sh_run", json!({ "command": "true" }));
    let answer = client.answer(call);
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    let server = &answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server["name"], "tests", "{answer}");
}

#[test]
fn the_list_of_tools_is_small_and_says_what_is_enforced() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let id = client.request("tools/list", json!({}));
        let answer = client.answer(id);
        let result = &answer["result"];
        assert!(result.to_string().len() <= 6 * 1024, "{} bytes", result.to_string().len());
        let tools = result["tools"].as_array().unwrap();
        let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
        let run = tool("sh_run");
        assert_eq!(run.get("annotations"), None, "{run}");
        let description = run["description"].as_str().unwrap();
        match setup.launcher {
            Launcher::None => assert!(description.contains("No sandbox"), "{description}"),
            launcher => assert!(description.contains(launcher.name()), "{description}"),
        }
        let hints = &tool("sh_allowed")["annotations"];
        assert!(hints["readOnlyHint"] == true && hints["idempotentHint"] == true, "{hints}");
    });
}

#[test]
fn an_unknown_tool_and_a_wrong_shape_are_errors_of_the_protocol() {
    for era in Era::BOTH {
        let setup = Setup::plain();
        let mut client = Client::start(setup.serve_command(json!({})), era);
        let id = client.begin("sh_nothing", json!({}));
        assert_eq!(client.answer(id)["error"]["code"], -32602);
        let id = client.begin("sh_run", json!([]));
        assert_eq!(client.answer(id)["error"]["code"], -32602);
        let id = client.request("no/such/method", json!({}));
        assert_eq!(client.answer(id)["error"]["code"], -32601);
        client.is_alive();
    }
}

#[test]
fn lines_that_are_no_messages_do_not_end_the_server() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    for line in ["", "not json", "{\"jsonrpc\":\"2.0\"", "[]", "null", "\u{feff}"] {
        client.send(line);
    }
    client.is_alive();
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
    let modern = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "sh_run", "arguments": { "command": "echo", "args": ["from a file"] },
        "_meta": modern,
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
        command.stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs.try_clone().unwrap())));
        command.stdout(Stdio::from(std::os::fd::OwnedFd::from(theirs)));
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
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, Signal::TERM).unwrap();
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
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let flood = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "sh_run", "arguments": sh("head -c 3000000 /dev/zero | tr '\\0' x"), "_meta": meta,
    } });
    let sleep = Sleep::new(771);
    let sleeps = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "sh_run", "arguments": two_sleeps(&sleep), "_meta": meta,
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
    let stdin = child.stdin.take().unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    // It runs once its notice about the missing launcher could not be written.
    assert!(eventually(|| !std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .unwrap_or_default()
        .contains(" R ")));
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    finish(child).exited(0);
    drop(stdin);
}

#[test]
fn only_the_protocol_is_on_stdout_and_diagnostics_are_on_stderr() {
    // The client checks every line of every test; here the commands do their best.
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let answer = client.sh("echo out; echo err >&2; echo tty > /dev/tty");
        let payload = answer.ran();
        assert_eq!(payload["stdout"], "out\n", "{payload}");
        let stderr = payload["stderr"].as_str().unwrap();
        assert!(stderr.starts_with("err\n"), "{payload}");
        let ran = client.closed();
        assert_eq!(ran.exited(0).stdout, "");
    });
}

#[test]
fn a_server_without_a_launcher_says_so_in_one_line_with_the_remedy() {
    let setup = Setup::plain();
    let config = r#"{"name": "x", "tools": {"Shell": {"allow": ["true"]}}}"#;
    let ran = finish(setup.serve_config(config).spawn().unwrap());
    ran.exited(0).said(&["launcher", "auto"]);
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_confined_server_is_silent() {
    confined(|setup| {
        let mut client = setup.serve(json!({}));
        client.run(json!({ "command": "true" })).exited(0);
        let ran = client.closed();
        assert_eq!(ran.exited(0).stderr, "");
    });
}

#[test]
fn options_of_the_command_line_make_the_same_server() {
    let setup = Setup::plain();
    let words = ["serve", "--allow", "echo", "--allow", "git", "--launcher", "auto"];
    let mut client = Client::start(setup.cofferdam(words), Era::Legacy);
    assert_eq!(client.call("sh_allowed", json!({})).text, "echo\ngit");
    client.run(json!({ "command": "echo", "args": ["hi"] })).printed("hi\n");
    let tool = r#"Shell#git={"allow": ["git"], "launcher": "none", "prefix": "git"}"#;
    let mut client = Client::start(setup.cofferdam(["serve", "--tool", tool]), Era::Legacy);
    assert_eq!(client.call("git_allowed", json!({})).text, "git");
    refuses_to_start(setup.cofferdam(["serve"]), &["allow"]);
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
