//! Pipelines, as an MCP client and a host of the library have them.

#[path = "pipeline/ends.rs"]
mod ends;

use std::fs;

use cofferdam::{Event, Exit, Request};
use serde_json::{Value, json};

use crate::library::{runner, under_each};
use crate::support::{Client, Launcher, Setup, Sleep, confined, everywhere};

/// The stages of a call, each with its arguments.
fn stages(stages: &[&[&str]]) -> Value {
    let stages = stages.iter().map(|words| json!({ "command": words[0], "args": words[1..] }));
    stages.collect()
}

/// Runs a pipeline with `sh_run`.
#[track_caller]
fn run(client: &mut Client, of: &[&[&str]]) -> crate::support::Answer {
    client.run(json!({ "pipeline": stages(of) }))
}

/// Waits for the end of a job that was started with these arguments, and gives its last poll.
#[track_caller]
fn job(client: &mut Client, call: Value) -> (String, Value) {
    let started = client.call("sh_start", call);
    let job = started.ran()["job"].as_str().expect("a handle").to_owned();
    let last = client.await_over(&job);
    (job, last)
}

#[test]
fn what_one_stage_writes_the_next_one_reads() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let of: &[&[&str]] =
            &[&["printf", "b\\na\\nb\\n"], &["sort"], &["uniq", "-c"], &["tr", "-d", " "]];
        let answer = run(&mut client, of);
        answer.printed("1a\n2b\n");
        assert_eq!(answer.payload["stages"], json!([0, 0, 0, 0]));
        let is_confined = setup.launcher != Launcher::None;
        assert_eq!(answer.payload["sandbox"]["active"] == true, is_confined, "{answer:?}");

        let (job, over) = job(&mut client, json!({ "pipeline": stages(of) }));
        assert_eq!((&over["exit"], &over["stages"]), (&json!(0), &json!([0, 0, 0, 0])), "{over}");
        let output = client.call("sh_output", json!({ "job": job }));
        assert_eq!(output.ran()["stdout"], "1a\n2b\n", "{output:?}");
        assert_eq!(output.payload["eof"], true, "{output:?}");
    });
}

#[test]
fn the_exit_is_that_of_the_last_stage_and_every_stage_tells_its_own() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let answer = run(&mut client, &[&["false"], &["sh", "-c", "exit 7"], &["true"]]);
        assert_eq!(answer.exited(0)["stages"], json!([1, 7, 0]));
        let answer = run(&mut client, &[&["true"], &["sh", "-c", "kill -SEGV $$"]]);
        assert_eq!(answer.exited(139)["stages"], json!([0, 139]));
        let answer = run(&mut client, &[&["sh", "-c", "exit 5"]]);
        assert_eq!(answer.exited(5)["stages"], json!([5]), "one stage is a pipeline too");
        let answer = client.run(json!({ "command": "true" }));
        assert!(answer.exited(0).get("stages").is_none(), "{answer:?}");
    });
}

#[test]
fn a_stage_that_writes_for_ever_ends_when_nobody_reads_any_more() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let answer = run(&mut client, &[&["yes"], &["cat"], &["head", "-n", "1"]]);
        answer.printed("y\n");
        assert_eq!(answer.payload["stages"], json!([141, 141, 0]));
        assert_eq!(answer.payload["timed-out"], false);
    });
}

#[test]
fn what_a_stage_leaves_behind_does_not_hold_up_the_next_one() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(3600);
        let script = format!("sleep {} & echo hi", sleep.seconds());
        let answer = run(&mut client, &[&["sh", "-c", &script], &["cat"]]);
        answer.printed("hi\n");
        sleep.await_gone();
    });
}

#[test]
fn standard_input_goes_to_the_first_stage_and_errors_come_from_all() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let complain = "echo $0 >&2; exec cat";
        let call = json!({
            "pipeline": stages(&[&["sh", "-c", complain, "one"], &["sh", "-c", complain, "two"]]),
            "stdin": "in\n",
        });
        let answer = client.run(call);
        answer.printed("in\n");
        let stderr = answer.payload["stderr"].as_str().unwrap();
        let mut lines: Vec<_> = stderr.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["one", "two"], "{answer:?}");
        run(&mut client, &[&["cat"], &["wc", "-c"]]).printed("0\n");
    });
}

#[test]
fn a_pipe_sign_in_an_argument_is_data() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let words: &[&str] = &["printf", "%s\\n", "|", "a|b", "||", ";", ">", "<", ""];
    run(&mut client, &[words, &["grep", "-c", "|"]]).printed("3\n");
    let answer = client.run(json!({ "command": "ls | wc", "args": [] }));
    answer.not_started(&["`pipeline` connects programs"]);
}

#[test]
fn bytes_between_stages_arrive_as_they_are() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let bytes = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 4096)";
    let sum = "import sys, hashlib; print(hashlib.sha1(sys.stdin.buffer.read()).hexdigest())";
    let expected = client.run(json!({ "command": "python3", "args": ["-c",
        "import hashlib; print(hashlib.sha1(bytes(range(256)) * 4096).hexdigest())"] }));
    let expected = expected.exited(0)["stdout"].as_str().unwrap().to_owned();
    run(&mut client, &[&["python3", "-c", bytes], &["cat"], &["python3", "-c", sum]])
        .printed(&expected);
}

#[test]
fn nothing_starts_when_one_stage_is_refused() {
    everywhere(|setup| {
        let settings = json!({
            "allow": ["touch", "cat", "sort"], "allow-patterns": ["gr.p"], "guard": "leaf-tools",
        });
        let mut client = setup.serve(settings);
        for (last, words) in [
            (json!({ "command": "rm" }), ["stage 3 of 3", "command `rm` is not on the allow list"]),
            (
                json!({ "command": "sort", "args": ["-o", "out"] }),
                ["stage 3 of 3", "`write` of `sort`"],
            ),
            (json!({ "command": "cat", "args": ["a\u{0}b"] }), ["stage 3 of 3", "holds a NUL"]),
            (json!({ "command": "cat", "args": [true] }), ["`pipeline[2].args[0]`", "a string"]),
        ] {
            let first = json!({ "command": "touch", "args": ["ran"] });
            let call = json!({ "pipeline": [first, { "command": "grep", "args": ["x"] }, last] });
            for tool in ["sh_run", "sh_start"] {
                client.call(tool, call.clone()).refused(&words);
            }
        }
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_call_names_a_command_or_a_pipeline() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let stage = || json!({ "command": "touch", "args": ["ran"] });
    for tool in ["sh_run", "sh_start"] {
        let both = json!({ "command": "ls", "pipeline": [stage()] });
        client.call(tool, both).refused(&["`command` and `pipeline` exclude each other"]);
        client.call(tool, json!({})).refused(&["`command` is missing", "`pipeline`"]);
        client.call(tool, json!({ "pipeline": [] })).refused(&["1 to 16"]);
        let long: Vec<_> = (0..17).map(|_| stage()).collect();
        client.call(tool, json!({ "pipeline": long })).refused(&["at most 16", "has 17"]);
    }
    assert!(!setup.place.has("work/ran"));
    let cats: Vec<_> = (0..16).map(|_| json!({ "command": "cat" })).collect();
    let answer = client.run(json!({ "pipeline": cats, "stdin": "through\n" }));
    answer.printed("through\n");
}

#[test]
fn nothing_starts_when_one_program_is_missing() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let of: &[&[&str]] = &[&["touch", "ran"], &["no-such-tool"], &["touch", "too"]];
        run(&mut client, of).not_started(&["stage 2 of 3", "no-such-tool", "was not found"]);
        let (_, over) = job(&mut client, json!({ "pipeline": stages(of) }));
        assert_eq!((&over["state"], &over["exit"]), (&json!("exited"), &json!(-1)), "{over}");
        assert!(over.get("stages").is_none(), "{over}");
        assert!(!setup.place.has("work/ran") && !setup.place.has("work/too"));
    });
}

#[test]
fn nothing_goes_on_when_one_stage_cannot_be_started() {
    everywhere(|setup| {
        setup.place.script("work/broken", "#!/no/such/interpreter\n");
        let mut client = setup.serve(json!({}));
        let sleep = Sleep::new(3600);
        let script = format!("sleep {}", sleep.seconds());
        let sleeps: &[&str] = &["sh", "-c", &script];
        for of in [[&["./broken"], sleeps, sleeps], [sleeps, &["./broken"], sleeps]] {
            let number = 1 + of.iter().position(|stage| stage == &["./broken"]).unwrap();
            let answer = run(&mut client, &of);
            answer.not_started(&[&format!("stage {number} of 3"), "broken"]);
            sleep.await_gone();
        }
    });
}

#[test]
fn many_pipelines_at_once_do_not_hold_each_other_up() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let of = stages(&[&["yes"], &["cat"], &["head", "-c", "100000"], &["wc", "-c"]]);
    let calls: Vec<_> =
        (0..24).map(|_| client.begin("sh_run", json!({ "pipeline": of, "timeout": 60 }))).collect();
    for call in calls {
        client.result(call).printed("100000\n");
    }
}

#[test]
fn the_bytes_between_stages_never_pass_through_the_server() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let of: &[&[&str]] = &[&["head", "-c", "256M", "/dev/zero"], &["cat"], &["cat"], &["wc", "-c"]];
    let call = json!({ "pipeline": stages(of), "timeout": 60 });
    client.run(call).printed("268435456\n");
    let pid = client.pid().as_raw_nonzero();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 32 * 1024, "{peak} KiB resident at most");
    // The sum over the threads, which leaves out what children have read.
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let read = threads.map(|thread| {
        let io = fs::read_to_string(thread.unwrap().path().join("io")).unwrap();
        let read = io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
        read.parse::<u64>().unwrap()
    });
    assert!(read.sum::<u64>() < 16 << 20, "the server has read too much");
}

#[test]
fn each_stage_is_in_a_sandbox() {
    confined(|setup| {
        let mut client = setup.serve(json!({}));
        for number in 0..3 {
            let mut of: [&[&str]; 3] = [&["cat"], &["cat"], &["cat"]];
            let write = ["sh", "-c", "cat; echo x > in.txt; echo x > ../outside/out.txt"];
            of[number] = &write;
            let answer = run(&mut client, &of);
            assert_ne!(answer.ran()["stages"][number], 0, "{answer:?}");
            assert_eq!(answer.payload["sandbox"]["active"], true, "{answer:?}");
            assert!(setup.place.has("work/in.txt") && !setup.place.has("outside/out.txt"));
            fs::remove_file(setup.place.path("work/in.txt")).unwrap();
        }
    });
}

#[test]
fn what_was_refused_in_a_stage_is_told_though_the_last_one_succeeds() {
    confined(|setup| {
        let mut client = setup.serve(json!({}));
        let answer = run(&mut client, &[&["touch", "/etc/owned"], &["cat"]]);
        let sandbox = &answer.exited(0)["sandbox"];
        assert_eq!(sandbox["denied"][0]["target"], "/etc/owned", "{answer:?}");
    });
}

#[test]
fn a_wrapper_by_configuration_wraps_each_stage() {
    let setup = Setup::plain();
    let launcher = json!({ "command": ["env", "WRAPPED=yes", "{command}", "{args}"] });
    let mut client = setup.serve(json!({ "launcher": launcher }));
    let script: &[&str] = &["sh", "-c", "cat; echo $WRAPPED"];
    run(&mut client, &[script, script]).printed("yes\nyes\n");
}

#[test]
fn a_pipeline_is_recorded_with_all_its_stages_and_without_their_secrets() {
    let setup = Setup::plain();
    setup.place.folder("audit");
    let mut client = setup.serve(json!({ "audit": setup.place.path("audit/calls.jsonl") }));
    let of: &[&[&str]] =
        &[&["echo", "hi"], &["sh", "-c", "cat; exit 3", "--password", "hunter2"], &["cat"]];
    run(&mut client, of).exited(0);
    run(&mut client, &[&["echo"], &["no-such-tool"]]).not_started(&[]);
    client.closed().exited(0);
    let text = setup.place.read("audit/calls.jsonl");
    assert!(!text.contains("hunter2"), "{text}");
    let records: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let first = &records[0];
    assert_eq!(first["pipeline"][0], json!({ "command": "echo", "args": ["hi"] }), "{first}");
    assert_eq!(first["pipeline"][1]["args"][1], "cat; exit 3", "{first}");
    assert_eq!(first["pipeline"][2]["command"], "cat", "{first}");
    assert!(first.get("command").is_none(), "{first}");
    assert_eq!((&first["exit"], &first["stages"]), (&json!(0), &json!([0, 3, 0])), "{first}");
    assert_eq!(records[1]["outcome"], "not-started");
    assert!(records[1]["reason"].as_str().unwrap().starts_with("stage 2 of 2: "), "{}", records[1]);

    let file = setup.place.text("audit/calls.jsonl");
    let shown = crate::support::finish(setup.cofferdam(["audit", &file]).spawn().unwrap());
    assert!(shown.exited(0).stdout.contains("echo hi | sh -c 'cat; exit 3'"), "{shown:?}");
}

#[test]
fn a_validator_is_asked_about_each_stage_before_any_starts() {
    let setup = Setup::plain();
    let asked = setup.place.folder("validator").join("asked");
    let script = format!(
        "#!/bin/sh\nread -r plan; echo \"$plan\" >> {}\ncase \"$plan\" in *secret*) echo no; exit 1; esac\n",
        asked.display()
    );
    let program = setup.place.script("validator/ask", &script);
    let mut client = setup.serve(json!({ "validator": [program] }));
    let of: &[&[&str]] = &[&["touch", "ran"], &["cat", "secret"]];
    run(&mut client, of).refused(&["stage 2 of 2", "the validator", "no"]);
    assert!(!setup.place.has("work/ran"));
    let text = setup.place.read("validator/asked");
    let plans: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(plans[0]["stage"], json!({ "number": 1, "of": 2 }), "{}", plans[0]);
    assert_eq!(plans[1]["command"], "cat");
}

#[test]
fn a_flood_on_the_way_out_is_cut_and_one_that_kills_ends_all_stages() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-output-bytes": 1024 }));
    let of: &[&[&str]] = &[&["seq", "1", "100000"], &["cat"]];
    let answer = run(&mut client, of);
    let payload = answer.exited(0);
    assert!(payload["truncated"]["stdout"]["bytes"].as_u64().unwrap() > 500_000, "{payload}");

    let settings = json!({ "max-output-bytes": 1024, "on-output-limit": "kill" });
    let mut client = setup.serve(settings);
    let answer = run(&mut client, &[&["yes"], &["cat"]]);
    assert_eq!(answer.exited(137)["limit"], "max-output-bytes", "{answer:?}");
}

#[test]
fn a_shorter_answer_looks_at_every_stage() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "compress": true }));
    let repeat: &[&str] = &["sh", "-c", "for n in 1 2 3 4 5 6 7 8 9; do echo same; done"];
    let answer = run(&mut client, &[repeat, &["sh", "-c", "cat"]]);
    assert!(answer.exited(0).get("compressed").is_some(), "{answer:?}");
    let answer = run(&mut client, &[repeat, &["cat"]]);
    assert!(answer.exited(0).get("compressed").is_none(), "cat prints files: {answer:?}");
}

#[test]
fn the_library_has_pipelines_with_events_and_one_end() {
    under_each(|setup| {
        let runner = runner(&setup.place, setup.launcher);
        let request = Request::new("cat").pipe("tr").args(["a-z", "A-Z"]).stdin("hello");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut live = runner.spawn(request).await.unwrap();
            let mut text = Vec::new();
            let mut ended = None;
            while let Some(event) = live.next_event().await {
                match event {
                    Event::Stdout(bytes) => text.extend_from_slice(&bytes),
                    Event::Ended(outcome) => ended = Some(outcome),
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(text, b"HELLO");
            assert_eq!(ended.unwrap().stages, [Exit::Code(0), Exit::Code(0)]);
        });
        let sleep = Sleep::new(3600);
        let request = Request::new("sleep").arg(sleep.seconds()).pipe("cat");
        runtime.block_on(async {
            let live = runner.spawn(request).await.unwrap();
            sleep.await_running(1);
            drop(live);
            while !sleep.running().is_empty() {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        });
    });
}
