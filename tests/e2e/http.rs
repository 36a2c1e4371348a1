//! The server over HTTP: whom it answers, what a hang-up means, and how it ends.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::process::Signal;
use serde_json::json;

use crate::support::{
    HttpServer, HttpSession, Reply, Setup, Sleep, confined, eventually, finish, http_run,
};

fn mode(path: impl AsRef<Path>) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn only_who_shows_the_token_is_answered() {
    let setup = Setup::plain();
    let server = setup.serve_http(&[]);
    let list = |token: Option<&str>| {
        let request = server.request("POST").without("Authorization");
        let request = match token {
            Some(token) => request.header("Authorization", format!("Bearer {token}")),
            None => request,
        };
        request.modern("tools/list", json!({})).reply()
    };
    let token = server.token.as_deref().unwrap();
    let shorter = &token[1..];
    for (shown, challenge) in [
        (None, "Bearer realm=\"cofferdam\""),
        (Some("wrong"), "Bearer realm=\"cofferdam\", error=\"invalid_token\""),
        (Some(shorter), "Bearer realm=\"cofferdam\", error=\"invalid_token\""),
    ] {
        let reply = list(shown);
        assert_eq!(reply.status, 401);
        assert_eq!(reply.header("www-authenticate"), Some(challenge));
    }
    let mut reply = list(Some(token));
    assert_eq!(reply.status, 200);
    assert!(reply.message()["result"]["tools"].is_array());
}

#[test]
fn the_token_is_for_its_owner_alone_and_goes_with_the_server() {
    let setup = Setup::plain();
    let server = setup.serve_http(&[]);
    let file = server.token_file.clone().unwrap();
    assert_eq!(mode(&file), 0o600);
    let other = setup.serve_http(&[]);
    assert_ne!(server.token, other.token);
    server.stopped().exited(0);
    assert!(!Path::new(&file).exists());
    assert!(Path::new(other.token_file.as_ref().unwrap()).exists());
    other.stopped().exited(0);
}

#[test]
fn the_token_of_a_killed_server_is_removed_by_the_next_one_of_either_kind() {
    let setup = Setup::plain();
    for next in ["stdio", "http"] {
        let server = setup.serve_http(&[]);
        let file = server.token_file.clone().unwrap();
        let alive = setup.serve_http(&[]);
        server.signal(Signal::KILL);
        server.ended();
        assert!(Path::new(&file).exists());
        match next {
            "stdio" => assert_eq!(setup.serve(json!({})).closed().code, Some(0)),
            _ => drop(setup.serve_http(&[])),
        }
        assert!(!Path::new(&file).exists(), "{next}");
        assert!(Path::new(alive.token_file.as_ref().unwrap()).exists(), "{next}");
    }
}

#[test]
fn a_token_of_the_operators_own_is_taken_and_left() {
    let setup = Setup::plain();
    let file = setup.place.file("token", "0123456789abcdef\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let server = setup.serve_http(&["--token-file", file.to_str().unwrap()]);
    assert_eq!(server.token.as_deref(), Some("0123456789abcdef"));
    assert_eq!(server.run("echo", &["hi"]).reply().payload()["stdout"], "hi\n");
    server.stopped().exited(0);
    assert!(file.exists());
}

#[test]
fn a_token_file_that_is_no_secret_stops_the_start() {
    let setup = Setup::plain();
    let missing = setup.place.path("missing");
    let file = |name, text, mode| {
        let path = setup.place.file(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let text = "0123456789abcdef\n";
    for (path, words) in [
        (missing, &["missing", "make one with", "umask 077"][..]),
        (file("empty", "", 0o600), &["empty", "fewer than 16 characters", "/dev/urandom"]),
        (file("short", "secret\n", 0o600), &["short", "fewer than 16 characters"]),
        (file("group", text, 0o640), &["group", "others can use it", "640", "chmod 600"]),
        (file("other", text, 0o602), &["other", "others can use it", "602", "chmod 600"]),
        (setup.place.path("work"), &["no regular file"]),
    ] {
        let options = ["--http", "127.0.0.1:0", "--token-file", path.to_str().unwrap()];
        let ran = finish(setup.http_command(&options).spawn().unwrap());
        assert_eq!(ran.exited(1).said(words).stdout, "");
    }
}

#[test]
fn a_workspace_that_holds_the_token_file_is_refused() {
    confined(|setup| {
        let file = setup.place.file("work/token", "0123456789abcdef\n");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let options = ["--http", "127.0.0.1:0", "--token-file", file.to_str().unwrap()];
        let ran = finish(setup.http_command(&options).spawn().unwrap());
        ran.exited(1).said(&["workspace", "holds Cofferdam's own", "token"]);
    });
}

#[test]
fn without_a_token_only_this_machine_is_let_in() {
    let setup = Setup::plain();
    for address in ["0.0.0.0:0", "[::]:0"] {
        let options = ["--http", address, "--no-auth"];
        let ran = finish(setup.http_command(&options).spawn().unwrap());
        let words = ["must show a token", "leave out `--no-auth`", "loopback"];
        assert_eq!(ran.exited(1).said(&words).stdout, "");
    }
    let server = setup.serve_http(&["--no-auth"]);
    assert_eq!(server.token_file, None);
    assert_eq!(server.run("echo", &["hi"]).reply().payload()["stdout"], "hi\n");
}

#[test]
fn a_public_address_is_told_to_be_readable_on_the_way() {
    let setup = Setup::plain();
    let mut server = HttpServer::start(setup.http_command(&["--http", "0.0.0.0:0"]));
    server.address.set_ip([127, 0, 0, 1].into());
    // It cannot know its own name there.
    let request = server.request("POST").header("Host", "build.example.org");
    let mut reply = request.modern("tools/list", json!({})).reply();
    assert!(reply.message()["result"]["tools"].is_array());
    server.stopped().exited(0).said(&["there is no TLS", "the token included"]);
}

#[test]
fn an_address_that_is_taken_is_named() {
    let setup = Setup::plain();
    let first = setup.serve_http(&[]);
    let address = first.address.to_string();
    let second = finish(setup.http_command(&["--http", &address]).spawn().unwrap());
    second.exited(1).said(&["cannot listen on", &address]);
    drop(first.stopped());
}

#[test]
fn only_pages_of_this_machine_are_answered() {
    let setup = Setup::plain();
    for options in [&[][..], &["--no-auth"]] {
        let server = setup.serve_http(options);
        let status = |name, value: &str| {
            let request = server.request("POST").header(name, value);
            request.modern("tools/list", json!({})).reply().status
        };
        for origin in ["https://example.org", "null", "http://127.0.0.1.example.org:80", "file://"]
        {
            assert_eq!(status("Origin", origin), 403, "{origin}");
        }
        for origin in
            ["http://localhost:6274", "http://127.0.0.1", "http://[::1]:5", "https://localhost"]
        {
            assert_eq!(status("Origin", origin), 200, "{origin}");
        }
        for host in ["example.org", "127.0.0.1.example.org"] {
            assert_eq!(status("Host", host), 403, "{host}");
        }
        assert_eq!(status("Host", "localhost:1234"), 200);
    }
}

#[test]
fn other_paths_are_not_there_for_anybody() {
    let setup = Setup::plain();
    let server = setup.serve_http(&[]);
    for path in ["/", "/mcp/", "/.well-known/oauth-protected-resource"] {
        let mut stream = server.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        assert_eq!(Reply::read(stream).status, 404, "{path}");
    }
}

#[test]
fn a_request_of_up_to_16_mib_is_read() {
    const LIMIT: usize = 16 * 1024 * 1024;
    let setup = Setup::plain();
    let server = setup.serve_http(&[]);
    let mut params = http_run("wc", &["-c"]);
    params["arguments"]["stdin"] = "x".repeat(LIMIT - 1000).into();
    let payload = server.modern("tools/call", params.clone()).reply().payload();
    assert_eq!(payload["stdout"].as_str().unwrap().trim(), (LIMIT - 1000).to_string());
    params["arguments"]["stdin"] = "x".repeat(LIMIT).into();
    let reply = server.modern("tools/call", params).reply();
    assert_eq!(reply.status, 413);
    assert!(reply.text().contains("16777216"));
    // A client that asks first is told before it has sent anything.
    let asking = server.request("POST").header("Expect", "100-continue");
    let stream = asking.header("Content-Length", (LIMIT + 1).to_string()).head();
    assert_eq!(Reply::read(stream).status, 413);
}

#[test]
fn streams_and_ends_belong_to_sessions_and_those_to_one_era() {
    let setup = Setup::plain();
    let server = setup.serve_http(&[]);
    for method in ["GET", "DELETE"] {
        let request = server.request(method).header("MCP-Protocol-Version", "2026-07-28");
        assert_eq!(request.send("").reply().status, 405, "{method}");
    }
    let session = server.session();
    let stream = session.request("GET").send("").reply();
    assert_eq!((stream.status, stream.header("content-type")), (200, Some("text/event-stream")));
    assert!(session.send("tools/list", json!({})).reply().message()["result"]["tools"].is_array());
    assert!(session.request("DELETE").send("").reply().status < 300);
    assert_eq!(session.send("tools/list", json!({})).reply().status, 404);
    stream.text();
}

#[test]
fn who_hangs_up_without_a_session_has_cancelled_the_run_and_all_it_started() {
    let setup = Setup::plain();
    let server = setup.serve_http(&[]);
    let sleep = Sleep::new(1000);
    let script = format!("sleep {0} & sleep {0} | sleep {0}", sleep.seconds());
    // No byte of an answer comes before the run has ended.
    let sent = server.run("sh", &["-c", &script]);
    sleep.await_running(3);
    drop(sent);
    sleep.await_gone();
    assert_eq!(server.run("echo", &["next"]).reply().payload()["stdout"], "next\n");
}

#[test]
fn who_hangs_up_while_the_run_is_being_told_has_cancelled_it_as_well() {
    let setup = Setup::plain();
    let server = setup.serve_http(&[]);
    let sleep = Sleep::new(1000);
    let script = format!("echo one; exec sleep {}", sleep.seconds());
    let mut params = http_run("sh", &["-c", &script]);
    params["_meta"] = json!({ "progressToken": "p" });
    let mut reply = server.modern("tools/call", params).reply();
    assert_eq!(reply.notification("notifications/progress")["params"]["progressToken"], "p");
    sleep.await_running(1);
    drop(reply);
    sleep.await_gone();
}

#[test]
fn who_hangs_up_within_a_session_lets_the_run_end() {
    let setup = Setup::plain();
    let server = setup.serve_http(&[]);
    let session = server.session();
    let script = "echo > begun; until [ -e go ]; do sleep 0.01; done; echo > done";
    let reply = session.send("tools/call", http_run("sh", &["-c", script])).reply();
    assert!(eventually(|| setup.place.has("work/begun")));
    drop(reply);
    // When this one is gone, the server has noticed that the other client has hung up as well.
    let sleep = Sleep::new(1000);
    let later = server.run("sleep", &[sleep.seconds()]);
    sleep.await_running(1);
    drop(later);
    sleep.await_gone();
    setup.place.file("work/go", "");
    assert!(eventually(|| setup.place.has("work/done")));
}

#[test]
fn a_run_within_a_session_ends_when_it_is_cancelled_and_when_the_session_is_deleted() {
    let setup = Setup::plain();
    let server = setup.serve_http(&[]);
    let session = server.session();
    let ends: [fn(&HttpSession<'_>); 2] = [
        |session| {
            let params = json!({ "requestId": 1 });
            assert_eq!(session.notify("notifications/cancelled", params).reply().status, 202);
        },
        |session| assert!(session.request("DELETE").send("").reply().status < 300),
    ];
    for end in ends {
        let sleep = Sleep::new(1000);
        let _run = session.send("tools/call", http_run("sleep", &[sleep.seconds()]));
        sleep.await_running(1);
        end(&session);
        sleep.await_gone();
    }
}

#[test]
fn a_signal_ends_the_server_after_its_runs_were_killed_and_answered() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let setup = Setup::plain();
        let server = setup.serve_http(&[]);
        let session = server.session();
        let stream = session.request("GET").send("").reply();
        let sleep = Sleep::new(1000);
        let params = || http_run("sleep", &[sleep.seconds()]);
        let modern = server.modern("tools/call", params());
        let legacy = session.send("tools/call", params());
        sleep.await_running(2);
        server.signal(signal);
        assert_eq!(modern.reply().payload()["exit"], 137);
        assert_eq!(legacy.reply().payload()["exit"], 137);
        sleep.is_gone();
        stream.text();
        let file = server.token_file.clone().unwrap();
        assert_eq!(server.ended().exited(0).stdout, "");
        assert!(!Path::new(&file).exists());
    }
}

#[test]
fn connections_that_do_nothing_keep_nobody_out() {
    let setup = Setup::plain();
    let server = setup.serve_http(&[]);
    let idle: Vec<_> = (0..300)
        .map(|number| {
            let mut stream = server.connect();
            // The older ones are closed one by one.
            let _ = stream.write_all(&b"POST /mcp HTTP/1.1\r\nHost: "[..number % 26]);
            stream
        })
        .collect();
    assert_eq!(server.run("echo", &["hi"]).reply().payload()["stdout"], "hi\n");
    drop(idle);
    server.stopped().exited(0);
}

#[test]
fn a_body_that_does_not_come_holds_up_nobody() {
    let setup = Setup::plain();
    let server = setup.serve_http(&[]);
    let mut slow = server.request("POST").header("Content-Length", "1000").head();
    slow.write_all(b"{").unwrap();
    assert_eq!(server.run("echo", &["hi"]).reply().payload()["stdout"], "hi\n");
    server.stopped().exited(0);
}
