//! Files in place of standard streams, as an MCP client and a host of the library have them.

#[path = "files/rights.rs"]
mod rights;

use std::fs;
use std::os::unix::fs::MetadataExt;

use cofferdam::Request;
use serde_json::{Value, json};

use crate::library::{runner, under_each};
use crate::support::{Answer, Client, Launcher, Setup, Sleep, User, everywhere};

/// Runs a program with these other arguments of a call.
#[track_caller]
fn run(client: &mut Client, argv: &[&str], more: Value) -> Answer {
    let mut call = json!({ "command": argv[0], "args": argv[1..] });
    call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.run(call)
}

/// Waits for the end of a job, and gives its last poll.
#[track_caller]
fn ended(client: &mut Client, call: Value) -> Value {
    let started = client.call("sh_start", call);
    let job = started.ran()["job"].as_str().expect("a handle").to_owned();
    client.await_over(&job)
}

#[test]
fn a_file_is_read_and_files_are_written_and_appended_to() {
    everywhere(|setup| {
        setup.place.file("work/in.txt", "b\na\n");
        let mut client = setup.serve(json!({}));
        let files = json!({ "stdin-file": "in.txt", "stdout-file": "out.txt" });
        let answer = run(&mut client, &["sort"], files.clone());
        answer.printed("");
        assert_eq!(answer.payload["stdout-bytes"], 4, "{answer:?}");
        assert_eq!(setup.place.read("work/out.txt"), "a\nb\n");
        let append = json!({ "stdout-append": setup.place.text("work/out.txt") });
        let answer = run(&mut client, &["echo", "c"], append);
        assert_eq!(answer.exited(0)["stdout-bytes"], 2, "{answer:?}");
        assert_eq!(setup.place.read("work/out.txt"), "a\nb\nc\n");

        let call = json!({ "command": "sort", "stdin-file": "in.txt", "stdout-file": "out.txt" });
        let over = ended(&mut client, call);
        assert_eq!((&over["exit"], &over["stdout-bytes"]), (&json!(0), &json!(4)), "{over}");
        assert_eq!(setup.place.read("work/out.txt"), "a\nb\n", "what was there before is gone");
        let call = json!({ "command": "echo", "args": ["d"], "stdout-append": "new/../out.txt" });
        client.call("sh_start", call).refused(&["`stdout-append`", "without `..`"]);
        let over = ended(&mut client, json!({ "command": "echo", "stdout-append": "new.txt" }));
        assert_eq!(over["exit"], 0, "{over}");
        assert_eq!(setup.place.read("work/new.txt"), "\n");

        setup.place.folder("work/sub");
        let there = json!({ "cwd": "sub", "stdout-file": "deep.txt" });
        run(&mut client, &["echo", "x"], there).exited(0);
        assert_eq!(setup.place.read("work/sub/deep.txt"), "x\n");
        let mode = fs::metadata(setup.place.path("work/new.txt")).unwrap().mode();
        assert_eq!(mode & 0o7777 & !0o644, 0, "{mode:o}");
    });
}

#[test]
fn a_pipeline_reads_a_file_first_and_writes_one_last() {
    everywhere(|setup| {
        setup.place.file("work/in.txt", "b\na\nb\n");
        let mut client = setup.serve(json!({}));
        let stages = json!([{ "command": "sort" }, { "command": "uniq" }]);
        let call = json!({ "pipeline": stages, "stdin-file": "in.txt", "stdout-file": "out.txt" });
        let answer = client.run(call);
        assert_eq!(answer.exited(0)["stages"], json!([0, 0]), "{answer:?}");
        assert_eq!(setup.place.read("work/out.txt"), "a\nb\n");
    });
}

#[test]
fn a_stream_has_one_place() {
    let setup = Setup::plain();
    setup.place.file("work/in.txt", "x");
    let mut client = setup.serve(json!({}));
    for (files, words) in [
        (json!({ "stdin": "", "stdin-file": "in.txt" }), ["`stdin`", "`stdin-file`"]),
        (json!({ "stdout-file": "a", "stdout-append": "b" }), ["`stdout-file`", "`stdout-append`"]),
        (
            json!({ "stdin-file": "in.txt", "stdout-append": "in.txt" }),
            ["in.txt", "`stdin-file` too"],
        ),
        (
            json!({ "stdin-file": "in.txt", "stdout-file": "./in.txt" }),
            ["in.txt", "`stdin-file` too"],
        ),
    ] {
        run(&mut client, &["cat"], files).refused(&words);
    }
    assert_eq!(setup.place.list("work"), ["in.txt"]);
    assert_eq!(setup.place.read("work/in.txt"), "x");
}

#[test]
fn a_run_that_does_not_start_leaves_files_as_they_were() {
    everywhere(|setup| {
        setup.place.script("work/broken", "#!/no/such/interpreter\n");
        setup.place.file("work/old", "old");
        let mut client = setup.serve(json!({ "allow": ["./broken", "no-such-tool", "cat"] }));
        for path in ["old", "new"] {
            for key in ["stdout-file", "stdout-append"] {
                run(&mut client, &["rm"], json!({ key: path })).refused(&["not on the allow list"]);
                run(&mut client, &["no-such-tool"], json!({ key: path })).not_started(&[]);
                let answer = run(&mut client, &["./broken"], json!({ key: path }));
                answer.not_started(&["broken"]);
                assert!(answer.payload.get("stdout-bytes").is_none(), "{answer:?}");
                let lost = json!({ "stdin-file": "no-such-file", key: path });
                run(&mut client, &["cat"], lost).refused(&["`stdin-file`", "no such file"]);
            }
        }
        assert_eq!(setup.place.read("work/old"), "old");
        assert!(!setup.place.has("work/new"), "it was made for nothing");
        let empty = json!({ "stdout-file": "old" });
        run(&mut client, &["cat"], empty).exited(0);
        assert_eq!(
            setup.place.read("work/old"),
            "",
            "a command that writes nothing leaves nothing"
        );
    });
}

#[test]
fn a_file_keeps_what_it_holds_until_something_is_written() {
    everywhere(|setup| {
        setup.place.file("work/old", "b\na\n");
        let mut client = setup.serve(json!({}));
        run(&mut client, &["sort", "old"], json!({ "stdout-file": "old" })).exited(0);
        assert_eq!(setup.place.read("work/old"), "a\nb\n");
    });
}

#[test]
fn a_file_is_never_larger_than_its_cap() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({ "max-file-bytes": 5000 }));
        let lines: &[&str] = &["seq", "1", "10000"];
        let answer = run(&mut client, lines, json!({ "stdout-file": "out" }));
        let payload = answer.exited(0);
        assert_eq!(payload["stdout-bytes"], 5000, "{payload}");
        let all = (1..=10_000).map(|number| format!("{number}\n")).collect::<String>();
        let dropped = &all[5000..];
        let expected = json!({ "bytes": dropped.len(), "lines": dropped.lines().count() });
        assert_eq!(payload["truncated"]["stdout"], expected, "{payload}");
        assert_eq!(setup.place.read("work/out"), all[..5000]);

        setup.place.file("work/log", "x".repeat(4990));
        let answer = run(&mut client, lines, json!({ "stdout-append": "log" }));
        assert_eq!(answer.exited(0)["stdout-bytes"], 10, "{answer:?}");
        assert_eq!(setup.place.read("work/log").len(), 5000);

        let settings = json!({ "max-file-bytes": 5000, "on-output-limit": "kill" });
        let mut client = setup.serve(settings);
        let answer = run(&mut client, &["yes"], json!({ "stdout-file": "flood" }));
        let payload = answer.exited(137);
        assert_eq!(payload["limit"], "max-file-bytes", "{payload}");
        assert_eq!(setup.place.read("work/flood"), "y\n".repeat(2500));
        let over = ended(&mut client, json!({ "command": "yes", "stdout-file": "flood" }));
        assert_eq!((&over["limit"], &over["state"]), (&json!("max-file-bytes"), &json!("killed")));
    });
}

#[test]
fn a_large_file_goes_through_and_the_server_stays_small() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-file-bytes": 200_000_000 }));
    let zeros: &[&str] = &["head", "-c", "150000000", "/dev/zero"];
    let answer = run(&mut client, zeros, json!({ "stdout-file": "big", "timeout": 60 }));
    assert_eq!(answer.exited(0)["stdout-bytes"], 150_000_000, "{answer:?}");
    assert_eq!(fs::metadata(setup.place.path("work/big")).unwrap().len(), 150_000_000);
    let append = json!({ "stdin-file": "big", "stdout-append": "copy", "timeout": 60 });
    assert_eq!(run(&mut client, &["cat"], append).exited(0)["stdout-bytes"], 150_000_000);
    let count = json!({ "stdin-file": "copy", "timeout": 60 });
    run(&mut client, &["wc", "-c"], count).printed("150000000\n");
    let status = fs::read_to_string(format!("/proc/{}/status", client.pid().as_raw_nonzero()));
    let status = status.unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 32 * 1024, "{peak} KiB resident at most");
}

#[test]
fn a_command_never_holds_a_descriptor_of_its_files() {
    everywhere(|setup| {
        setup.place.file("work/in.txt", "x");
        let mut client = setup.serve(json!({}));
        let script = "readlink /proc/self/fd/0 /proc/self/fd/1 >&2";
        let files = json!({ "stdin-file": "in.txt", "stdout-file": "out.txt" });
        let answer = run(&mut client, &["sh", "-c", script], files);
        let stderr = answer.exited(0)["stderr"].as_str().unwrap();
        assert!(
            stderr.lines().count() == 2 && stderr.lines().all(|line| line.starts_with("pipe:"))
        );
    });
}

#[test]
fn a_program_that_ends_before_its_input_is_no_error() {
    let setup = Setup::plain();
    setup.place.file("work/in.txt", "line\n".repeat(100_000));
    let mut client = setup.serve(json!({}));
    let input = json!({ "stdin-file": "in.txt" });
    run(&mut client, &["head", "-n", "1"], input.clone()).printed("line\n");
    let answer = run(&mut client, &["true"], input);
    assert_eq!(answer.exited(0)["stderr"], "", "{answer:?}");
}

#[test]
fn what_was_written_before_a_kill_stays_in_the_file() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(3600);
        let script = format!("echo said; sleep {0} & sleep {0}", sleep.seconds());
        let call = json!({ "stdout-file": "out", "timeout": 2 });
        let answer = run(&mut client, &["sh", "-c", &script], call);
        assert_eq!(answer.exited(137)["timed-out"], true, "{answer:?}");
        assert_eq!(answer.payload["stdout-bytes"], 5, "{answer:?}");
        assert_eq!(setup.place.read("work/out"), "said\n");
        sleep.await_gone();
    });
}

#[test]
fn a_disk_without_room_is_told_and_stops_nobody() {
    use crate::support::{Era, ignored, no_mounts};
    if let Some(reason) = no_mounts() {
        return ignored(reason);
    }
    let setup = Setup::new(Launcher::None, User::Own);
    let small = setup.place.folder("work/small");
    let script = format!("mount -t tmpfs -o size=64k tmpfs {}", small.display());
    let command = setup.with_mounts(&script, &setup.serve_command(json!({})));
    let mut client = Client::start(command, Era::Legacy);
    for key in ["stdout-file", "stdout-append"] {
        let zeros: &[&str] = &["head", "-c", "1000000", "/dev/zero"];
        let answer = run(&mut client, zeros, json!({ key: "small/out" }));
        let payload = answer.exited(0);
        assert!(payload["stderr"].as_str().unwrap().contains("No space left"), "{payload}");
        let (written, dropped) =
            (&payload["stdout-bytes"], &payload["truncated"]["stdout"]["bytes"]);
        let all = written.as_u64().unwrap() + dropped.as_u64().unwrap();
        assert_eq!(all, 1_000_000, "{payload}");
    }
}

#[test]
fn files_are_recorded_and_a_validator_sees_them() {
    let setup = Setup::plain();
    setup.place.folder("audit");
    let plan = setup.place.folder("validator").join("plan");
    let script = format!("#!/bin/sh\ncat >> {}\n", plan.display());
    let program = setup.place.script("validator/ask", &script);
    let audit = setup.place.path("audit/calls.jsonl");
    let mut client = setup.serve(json!({ "audit": audit, "validator": [program] }));
    setup.place.file("work/in", "x");
    run(&mut client, &["cat"], json!({ "stdin-file": "in", "stdout-file": "out" })).exited(0);
    run(&mut client, &["cat"], json!({ "stdout-append": "/etc/x" })).refused(&[]);
    client.closed().exited(0);
    let text = setup.place.read("audit/calls.jsonl");
    let records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let first = &records[0];
    assert_eq!((&first["stdin-file"], &first["stdout-file"]), (&json!("in"), &json!("out")));
    assert_eq!(first["stdout-bytes"], 1, "{first}");
    assert_eq!(
        (&records[1]["outcome"], &records[1]["stdout-append"]),
        (&json!("refused"), &json!("/etc/x"))
    );
    let asked = setup.place.read("validator/plan");
    assert!(asked.contains(r#""stdin-file":"in","stdout-file":"out""#), "{asked}");
}

#[test]
fn the_library_has_files_too() {
    under_each(|setup| {
        setup.place.file("work/in", "text");
        let runner = runner(&setup.place, setup.launcher);
        let request = Request::new("cat").pipe("tr").args(["a-z", "A-Z"]);
        let request = request.stdin_file("in").stdout_append("out");
        for expected in ["TEXT", "TEXTTEXT"] {
            let outcome = runner.run_blocking(request.clone()).unwrap();
            assert_eq!(outcome.exit.number(), Some(0), "{outcome:?}");
            assert_eq!(outcome.payload().stdout_bytes, Some(4));
            assert_eq!(setup.place.read("work/out"), expected);
        }
        let refused = runner.run_blocking(Request::new("cat").stdin_file("../x")).unwrap_err();
        assert!(matches!(refused, cofferdam::Refusal::File { .. }), "{refused}");
    });
}
