//! The network: off means off, whatever the protocol.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Datagrams, Listener, Setup, confined, finish, ignored};

fn python(setup: &Setup, options: &[&str], program: &str) -> Value {
    setup.payload(options, ["python3", "-c", program])
}

/// Says `refused` where every statement fails.
fn all_refused(statements: &[String]) -> String {
    let list: Vec<_> = statements.iter().map(|text| format!("{text:?}")).collect();
    format!(
        "import socket, struct\nS = socket.socket\nfor text in [{}]:\n  try: exec(text)\n  \
         except OSError: print('refused')\n  else: print('done:', text)",
        list.join(", ")
    )
}

#[track_caller]
fn every_line_is_refused(payload: &Value, count: usize) {
    assert_eq!(payload["exit"], 0, "{payload}");
    assert_eq!(payload["sandbox"]["active"], true, "{payload}");
    assert_eq!(payload["stdout"], "refused\n".repeat(count), "{payload}");
}

#[test]
fn nothing_reaches_a_live_listener_of_the_host() {
    confined(|setup| {
        let (tcp, udp) = (Listener::new(), Datagrams::new());
        let (q, p) = (tcp.port(), udp.port());
        let statements = [
            format!("S(socket.AF_INET, socket.SOCK_STREAM).connect(('127.0.0.1', {q}))"),
            format!("S(socket.AF_INET6, socket.SOCK_STREAM).connect(('::ffff:127.0.0.1', {q}))"),
            format!("S(socket.AF_INET, socket.SOCK_STREAM, 262).connect(('127.0.0.1', {q}))"),
            format!(
                "S(socket.AF_INET, socket.SOCK_STREAM).sendto(b'x', 0x20000000, ('127.0.0.1', {q}))"
            ),
        ];
        let program = all_refused(&statements);
        every_line_is_refused(&python(setup, &[], &program), statements.len());
        assert!(!tcp.was_reached());

        // A datagram that is sent into the void of an own network is no error: nothing must arrive.
        let datagrams = format!(
            "import socket\nfor f, a in [(2, '127.0.0.1'), (10, '::ffff:127.0.0.1')]:\n  \
             try: socket.socket(f, 2).sendto(b'x', (a, {p}))\n  except OSError: pass"
        );
        let payload = python(setup, &[], &datagrams);
        assert_eq!(payload["exit"], 0, "{payload}");
        assert!(!udp.was_reached());
    });
}

#[test]
fn names_are_not_resolved() {
    confined(|setup| {
        let statements = ["socket.getaddrinfo('example.org', 80)".to_owned()];
        every_line_is_refused(&python(setup, &[], &all_refused(&statements)), 1);
        let resolver = "S(socket.AF_INET, socket.SOCK_DGRAM).connect(('1.1.1.1', 53))";
        let http = "S(socket.AF_INET, socket.SOCK_STREAM).connect(('1.1.1.1', 80))";
        let program = all_refused(&[resolver.to_owned(), http.to_owned()]);
        every_line_is_refused(&python(setup, &[], &program), 2);
    });
}

#[test]
fn families_that_no_namespace_holds_are_refused() {
    confined(|setup| {
        let families = [
            ("raw", "S(socket.AF_INET, socket.SOCK_RAW, 1)"),
            ("packet", "S(socket.AF_PACKET, socket.SOCK_RAW, 3)"),
            ("vsock", "S(40, socket.SOCK_STREAM)"),
            ("crypto", "S(38, socket.SOCK_SEQPACKET)"),
        ];
        let statements = families.map(|(_, statement)| statement.to_owned());
        every_line_is_refused(&python(setup, &[], &all_refused(&statements)), families.len());
    });
}

#[test]
fn with_the_network_on_the_listeners_are_reached() {
    confined(|setup| {
        let (tcp, udp) = (Listener::new(), Datagrams::new());
        let program = format!(
            "import socket\nsocket.create_connection(('127.0.0.1', {}))\n\
             socket.socket(2, 2).sendto(b'x', ('127.0.0.1', {}))\nprint('sent')",
            tcp.port(),
            udp.port()
        );
        for options in [&["--profile", "online"][..], &["--net"]] {
            let payload = python(setup, options, &program);
            assert_eq!(payload["stdout"], "sent\n", "{payload}");
            assert_eq!(payload["sandbox"]["active"], true, "{payload}");
            assert!(tcp.was_reached() && udp.was_reached());
        }
        let localhost = "import socket; socket.getaddrinfo('localhost', 80); print('found')";
        let mut outside = Command::new("python3");
        setup.prepared(outside.args(["-c", localhost]));
        if finish(outside.spawn().unwrap()).code != Some(0) {
            return ignored("this user finds no `localhost` outside of a sandbox either");
        }
        assert_eq!(python(setup, &["--net"], localhost)["stdout"], "found\n");
    });
}

#[test]
fn the_network_is_part_of_the_profile_and_of_no_call() {
    confined(|setup| {
        let tcp = Listener::new();
        let program =
            format!("import socket; socket.create_connection(('127.0.0.1', {}))", tcp.port());
        let call = json!({ "command": "python3", "args": ["-c", program] });
        let answer = setup.serve(json!({})).run(call.clone());
        assert_eq!(answer.exited(1)["sandbox"]["active"], true);
        assert!(!tcp.was_reached());
        setup.serve(json!({ "profile": "online" })).run(call).exited(0);
        assert!(tcp.was_reached());
    });
}
