//! What is kept of a command's output, and what is said about the rest.

use serde_json::{Value, json};

use crate::support::{Client, Setup};

fn python(program: &str) -> Value {
    json!({ "command": "python3", "args": ["-c", program], "timeout": 50 })
}

/// What was kept of a stream, without the marker.
#[derive(Debug)]
struct Kept {
    head: String,
    tail: String,
    /// As the marker says it.
    dropped: (u64, u64),
}

impl Kept {
    /// Takes a stream apart, and checks that the marker and the report have the same numbers.
    #[track_caller]
    fn of(payload: &Value, stream: &str) -> Self {
        let text = payload[stream].as_str().unwrap();
        let (head, rest) = text.split_once("[... ").expect("a marker");
        let (marker, tail) = rest.split_once(" dropped ...]\n").expect("a marker on its own line");
        let (bytes, lines) = marker.split_once(" bytes / ").expect("two numbers");
        let number = |text: &str| text.parse::<u64>().unwrap();
        let dropped = (number(bytes), number(lines.split(' ').next().unwrap()));
        let report = &payload["truncated"][stream];
        assert_eq!(*report, json!({ "bytes": dropped.0, "lines": dropped.1 }), "{payload}");
        assert!(head.is_empty() || head.ends_with('\n'), "the marker is not on its own line");
        Kept { head: head.to_owned(), tail: tail.to_owned(), dropped }
    }

    /// The bytes that were kept, where the newline before the marker was put in.
    fn bytes_of_one_line(&self) -> u64 {
        (self.head.trim_end_matches('\n').len() + self.tail.len()) as u64
    }
}

#[test]
fn a_cut_falls_between_characters() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-output-bytes": 1024 }));
    let answer = client.run(python("print('中'*4000)"));
    let kept = Kept::of(answer.exited(0), "stdout");
    assert!(!kept.head.contains('\u{fffd}') && !kept.tail.contains('\u{fffd}'), "{kept:?}");
    assert_eq!(kept.bytes_of_one_line() + kept.dropped.0, 12_001);
    assert!(kept.bytes_of_one_line() <= 1024, "{kept:?}");
    assert_eq!(kept.dropped.1, 0);
    client.is_alive();
}

#[test]
fn bytes_that_are_no_text_are_data() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let answer = client.run(json!({ "command": "printf", "args": ["ok\\n\\x85\\xff\\nend\\n"] }));
    answer.printed("ok\n\u{fffd}\u{fffd}\nend\n");
}

#[test]
fn of_one_huge_line_head_and_tail_are_kept() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-output-bytes": 4096, "max-output-lines": 1000 }));
    let program = "import sys; sys.stdout.write('a' * 100000 + 'z' * 100000)";
    let answer = client.run(python(program));
    let kept = Kept::of(answer.exited(0), "stdout");
    assert!(kept.head.starts_with('a') && kept.tail.ends_with('z'), "{kept:?}");
    assert!(kept.bytes_of_one_line() <= 4096);
    assert_eq!(kept.dropped, (200_000 - kept.bytes_of_one_line(), 0));
}

#[test]
fn the_memory_of_the_server_does_not_grow_with_the_output() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    client.run(python("print()")).exited(0);
    let before = resident(&client);
    let program = "import sys\nfor _ in range(2000): sys.stdout.write('x' * 65536)";
    client.run(python(program)).exited(0);
    let grown = resident(&client).saturating_sub(before);
    assert!(grown < 16 << 20, "{grown} bytes more after 131 MB of output");
}

/// The resident memory of the server, in bytes.
fn resident(client: &Client) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

#[test]
fn as_many_lines_as_are_allowed_are_all_kept() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-output-lines": 10 }));
    let ten: String = (1..=10).map(|number| format!("{number}\n")).collect();
    let answer = client.run(json!({ "command": "seq", "args": ["10"] }));
    answer.printed(&ten);
    assert!(answer.payload.get("truncated").is_none(), "{answer:?}");
}

#[test]
fn one_line_too_many_is_dropped_from_the_middle() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-output-lines": 10 }));
    let answer = client.run(json!({ "command": "seq", "args": ["11"] }));
    let kept = Kept::of(answer.exited(0), "stdout");
    assert!(kept.head.starts_with("1\n") && kept.tail.ends_with("\n11\n"), "{kept:?}");
    assert!(kept.dropped.1 >= 1);
    assert_eq!(kept.head.len() as u64 + kept.tail.len() as u64 + kept.dropped.0, 24);
}

#[test]
fn an_unfinished_line_counts_as_one() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-output-lines": 10 }));
    let eleven = "import sys\nfor n in range(1, 11): print(n)\nsys.stdout.write('11')";
    for _ in 0..3 {
        let answer = client.run(python(eleven));
        let kept = Kept::of(answer.exited(0), "stdout");
        assert!(kept.tail.ends_with("\n11"), "{kept:?}");
        assert_eq!(kept.head.len() as u64 + kept.tail.len() as u64 + kept.dropped.0, 23);
    }
}

#[test]
fn a_progress_bar_is_one_line_and_handed_over_as_written() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-output-lines": 10 }));
    let program = "import sys\nfor n in range(500): sys.stdout.write('\\r%d%%' % n)\nprint()";
    let expected: String = (0..500).map(|number| format!("\r{number}%")).collect();
    client.run(python(program)).printed(&format!("{expected}\n"));
}

#[test]
fn both_streams_are_drained_all_the_time() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let program = "import sys\nsys.stderr.write('e' * 2000000)\nsys.stdout.write('o' * 2000000)\n\
                   sys.exit(4)";
    let answer = client.run(python(program));
    let payload = answer.exited(4);
    assert_eq!(payload["timed-out"], false);
    for stream in ["stdout", "stderr"] {
        let kept = Kept::of(payload, stream);
        assert_eq!(kept.bytes_of_one_line() + kept.dropped.0, 2_000_000);
    }
}

#[test]
fn a_run_within_its_bounds_has_exactly_the_four_keys() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let answer = client.run(json!({ "command": "echo", "args": ["main"] }));
    assert_eq!(answer.text, r#"{"exit":0,"stderr":"","stdout":"main\n","timed-out":false}"#);
}
