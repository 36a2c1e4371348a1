//! Background jobs, as an MCP client has them.

use serde_json::{Value, json};

use crate::support::{Client, Era, Launcher, Setup, Sleep, eventually, everywhere, under, users};

/// Starts a job and gives its handle.
#[track_caller]
fn start(client: &mut Client, call: Value) -> String {
    let answer = client.call("sh_start", call);
    assert_eq!(answer.ran()["state"], "running", "{answer:?}");
    answer.payload["job"].as_str().unwrap().to_owned()
}

#[track_caller]
fn start_sh(client: &mut Client, script: &str) -> String {
    start(client, json!({ "command": "sh", "args": ["-c", script] }))
}

fn poll(client: &mut Client, job: &str) -> Value {
    client.call("sh_poll", json!({ "job": job })).ran().clone()
}

fn output(client: &mut Client, job: &str, cursor: Option<&Value>) -> Value {
    client.call("sh_output", json!({ "job": job, "cursor": cursor })).ran().clone()
}

#[test]
fn a_job_that_ended_before_the_first_poll_is_still_there() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let job = start(&mut client, json!({ "command": "echo", "args": ["hi"] }));
        let over = client.await_over(&job);
        let words = (&over["state"], &over["exit"], &over["stdout-bytes"], &over["killed"]);
        assert_eq!(words, (&json!("exited"), &json!(0), &json!(3), &json!(false)), "{over}");
        let all = output(&mut client, &job, None);
        assert_eq!((&all["stdout"], &all["eof"]), (&json!("hi\n"), &json!(true)), "{all}");
        let rest = output(&mut client, &job, Some(&all["cursor"]));
        assert_eq!((&rest["stdout"], &rest["eof"]), (&json!(""), &json!(true)), "{rest}");
        assert_eq!(output(&mut client, &job, Some(&all["cursor"])), rest);
    });
}

#[test]
fn every_answer_has_its_keys_and_no_others() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let keys = |value: &Value| {
        value.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ")
    };
    let call = json!({ "command": "sleep", "args": [Sleep::new(600).seconds()] });
    let started = client.call("sh_start", call).payload;
    assert_eq!(keys(&started), "job state");
    let job = started["job"].as_str().unwrap().to_owned();
    let (name, life) = job.split_once('-').unwrap();
    assert_eq!((name, life.len()), ("j1", 6), "{job}");
    let polled = poll(&mut client, &job);
    assert_eq!(
        keys(&polled),
        "exit job killed runtime started-at state stderr-bytes stdout-bytes timed-out"
    );
    assert_eq!((&polled["state"], &polled["exit"]), (&json!("running"), &Value::Null));
    assert_eq!(polled["started-at"].as_str().unwrap().len(), "2026-08-09T09:15:03Z".len());
    assert_eq!(keys(&output(&mut client, &job, None)), "cursor eof job state stderr stdout");
    let killed = client.call("sh_kill", json!({ "job": job })).payload;
    assert_eq!(keys(&killed), "job killed state");
    assert_eq!(killed["killed"], true);
}

#[test]
fn the_sandbox_of_a_job_is_told_with_its_output() {
    under(&Launcher::CONFINING, &users(), |setup| {
        let mut client = setup.serve(json!({}));
        let job = start_sh(&mut client, "echo x > in.txt; echo x > ../outside/out.txt");
        let over = client.await_over(&job);
        assert_ne!(over["exit"], 0, "{over}");
        assert_eq!(output(&mut client, &job, None)["sandbox"]["active"], true);
        assert!(setup.place.has("work/in.txt") && !setup.place.has("outside/out.txt"));
    });
}

#[test]
fn killing_is_no_mistake_whatever_the_job_has_come_to() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let job = start(&mut client, json!({ "command": "true" }));
        client.await_over(&job);
        for _ in 0..2 {
            let killed = client.call("sh_kill", json!({ "job": job })).ran().clone();
            assert_eq!((&killed["state"], &killed["killed"]), (&json!("exited"), &json!(false)));
        }
        let polled = poll(&mut client, &job);
        assert_eq!((&polled["exit"], &polled["killed"]), (&json!(0), &json!(false)), "{polled}");

        let sleep = Sleep::new(601);
        let script = format!("trap '' TERM INT HUP; sleep {0} & sleep {0}", sleep.seconds());
        let job = start_sh(&mut client, &script);
        sleep.await_running(2);
        for _ in 0..2 {
            assert_eq!(client.call("sh_kill", json!({ "job": job })).ran()["killed"], true);
        }
        let over = client.await_over(&job);
        assert_eq!((&over["state"], &over["exit"]), (&json!("killed"), &json!(137)), "{over}");
        assert_eq!((&over["killed"], &over["timed-out"]), (&json!(true), &json!(false)), "{over}");
        sleep.await_gone();
    });
}

#[test]
fn a_handle_that_is_none_is_refused_with_the_reason() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    for tool in ["sh_poll", "sh_output", "sh_kill"] {
        client.call(tool, json!({ "job": "j99-zzzzzz" })).refused(&["j99-zzzzzz", "earlier life"]);
        client.call(tool, json!({ "job": "17" })).refused(&["`17` is not a job handle"]);
        client.call(tool, json!({ "job": 17 })).refused(&["`job` = 17", "a string"]);
        client.call(tool, json!({})).refused(&["`job` is missing"]);
        client.call(tool, json!({ "job": "x", "jobs": "y" })).refused(&["`jobs`", "`job`"]);
        let long = client.call(tool, json!({ "job": "x".repeat(1 << 20) }));
        long.refused(&["is not a job handle"]);
        assert!(long.text.len() < 1000, "{} bytes", long.text.len());
    }
}

#[test]
fn a_cursor_that_the_job_did_not_give_out_is_refused() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let [one, two] = [(); 2].map(|()| start(&mut client, json!({ "command": "true" })));
    let cursor = output(&mut client, &one, None)["cursor"].clone();
    let ask = |cursor: Value| json!({ "job": two, "cursor": cursor });
    client.call("sh_output", ask(cursor)).refused(&["cursor", "another job"]);
    client.call("sh_output", ask(json!("5"))).refused(&["cursor", "leave it out"]);
    client.call("sh_output", ask(json!(5))).refused(&["`cursor` = 5", "a string"]);
}

#[test]
fn a_handle_from_before_a_restart_is_nobodys() {
    let setup = Setup::plain();
    let sleep = Sleep::new(602);
    let call = json!({ "command": "sleep", "args": [sleep.seconds()] });
    let mut before = setup.serve(json!({}));
    let old = start(&mut before, call.clone());
    before.closed().exited(0);
    sleep.await_gone();
    let mut after = setup.serve(json!({}));
    let new = start(&mut after, call);
    assert_ne!(old, new);
    for tool in ["sh_poll", "sh_output", "sh_kill"] {
        after.call(tool, json!({ "job": old })).refused(&[&old, "earlier life", "start a new one"]);
    }
    assert_eq!(poll(&mut after, &new)["state"], "running");
}

#[test]
fn a_job_is_forgotten_when_its_time_is_over_or_newer_ones_have_ended() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "job-ttl": 0.2 }));
    let job = start(&mut client, json!({ "command": "true" }));
    let mut answer = None;
    assert!(eventually(|| {
        let asked = client.call("sh_poll", json!({ "job": job }));
        answer = Some(asked);
        answer.as_ref().unwrap().is_error
    }));
    answer.unwrap().refused(&[&job, "is gone", "0.2 s"]);

    let mut client = setup.serve(json!({ "max-finished-jobs": 1 }));
    let older = start(&mut client, json!({ "command": "true" }));
    client.await_over(&older);
    let newer = start(&mut client, json!({ "command": "true" }));
    client.await_over(&newer);
    client.call("sh_poll", json!({ "job": older })).refused(&[
        &older,
        "is gone",
        "only the 1 newest",
    ]);
    assert_eq!(poll(&mut client, &newer)["state"], "exited");
}

#[test]
fn one_job_too_many_is_refused_with_those_in_the_way() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-jobs": 2 }));
    let sleep = Sleep::new(603);
    let call = json!({ "command": "sleep", "args": [sleep.seconds()] });
    let [one, two] = [(); 2].map(|()| start(&mut client, call.clone()));
    let names = [format!("{one} (sleep)"), format!("{two} (sleep)")];
    client.call("sh_start", call.clone()).refused(&[&names[0], &names[1], "2 jobs are running"]);
    sleep.await_running(2);
    client.call("sh_kill", json!({ "job": one })).ran();
    client.await_over(&one);
    start(&mut client, call);
}

#[test]
fn a_job_has_no_timeout_but_the_one_of_its_call() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "timeout": 0.05 }));
    let sleep = Sleep::new(604);
    let unbounded = start(&mut client, json!({ "command": "sleep", "args": [sleep.seconds()] }));
    let call = json!({ "command": "sleep", "args": [sleep.seconds()], "timeout": 0.3 });
    let bounded = start(&mut client, call);
    let over = client.await_over(&bounded);
    assert_eq!((&over["state"], &over["exit"]), (&json!("killed"), &json!(137)), "{over}");
    assert_eq!((&over["killed"], &over["timed-out"]), (&json!(true), &json!(true)), "{over}");
    assert_eq!(poll(&mut client, &unbounded)["state"], "running");
}

#[test]
fn a_job_that_cannot_be_started_has_exited_with_minus_one_and_says_why() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let answer = client.call("sh_start", json!({ "command": "no-such-tool-xyz" }));
        assert_eq!(answer.ran()["state"], "exited", "{answer:?}");
        let job = answer.payload["job"].as_str().unwrap().to_owned();
        let polled = poll(&mut client, &job);
        assert_eq!((&polled["state"], &polled["exit"]), (&json!("exited"), &json!(-1)), "{polled}");
        let said = output(&mut client, &job, None);
        assert!(said["stderr"].as_str().unwrap().contains("no-such-tool-xyz"), "{said}");
        assert_eq!(said["eof"], true);
        assert!(said.get("sandbox").is_none(), "{said}");
    });
}

#[test]
fn what_the_caller_got_wrong_starts_nothing() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "allow": ["echo"] }));
    client.call("sh_start", json!({ "command": "rm" })).refused(&["`rm`", "allowed: echo"]);
    client.call("sh_start", json!({})).refused(&["`command` is missing"]);
    let call = json!({ "command": "echo", "timeout": 0 });
    client.call("sh_start", call).refused(&["`timeout`"]);
    let job = start(&mut client, json!({ "command": "echo" }));
    assert!(job.starts_with("j1-"), "{job}");
}

#[test]
fn characters_that_come_byte_by_byte_are_never_seen_in_halves() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let text = "hé😀中a\n€bz🚀";
    let program = format!(
        "import sys, time\nfor b in {text:?}.encode():\n sys.stdout.buffer.write(bytes([b]))\n \
         sys.stdout.flush()\n time.sleep(0.02)"
    );
    let job = start(&mut client, json!({ "command": "python3", "args": ["-u", "-c", program] }));
    let (mut all, mut cursor) = (String::new(), None);
    assert!(eventually(|| {
        let part = output(&mut client, &job, cursor.as_ref());
        let piece = part["stdout"].as_str().unwrap();
        assert!(!piece.contains('\u{fffd}'), "{part}");
        all.push_str(piece);
        cursor = Some(part["cursor"].clone());
        part["eof"] == true
    }));
    assert_eq!(all, text);
}

#[test]
fn bytes_that_are_not_utf8_are_counted_as_written() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let call = json!({ "command": "printf", "args": ["ok\\n\\x85\\xff\\nend\\n"] });
    let job = start(&mut client, call);
    assert_eq!(client.await_over(&job)["stdout-bytes"], 10);
    assert_eq!(output(&mut client, &job, None)["stdout"], "ok\n\u{fffd}\u{fffd}\nend\n");
}

#[test]
fn a_reader_that_fell_behind_finds_a_marker_and_the_same_number() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({ "max-output-lines": 10 }));
    let job = start(&mut client, json!({ "command": "seq", "args": ["100"] }));
    client.await_over(&job);
    let all = output(&mut client, &job, None);
    let lines = &all["truncated"]["stdout"]["lines"];
    let marker = format!("{} bytes / {lines} lines dropped", all["truncated"]["stdout"]["bytes"]);
    assert!(all["stdout"].as_str().unwrap().contains(&marker), "{all}");
    assert!(all["truncated"].get("stderr").is_none(), "{all}");
}

#[test]
fn what_an_endless_job_printed_can_be_read_and_stays_after_its_kill() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        let program = "import time\nprint('ready')\nwhile 1: time.sleep(1)";
        let call = json!({ "command": "python3", "args": ["-u", "-c", program] });
        let job = start(&mut client, call);
        assert!(eventually(|| output(&mut client, &job, None)["stdout"] == "ready\n"));
        assert_eq!(output(&mut client, &job, None)["eof"], false);
        client.call("sh_kill", json!({ "job": job })).ran();
        assert_eq!(client.await_over(&job)["exit"], 137);
        let rest = output(&mut client, &job, None);
        assert_eq!((&rest["stdout"], &rest["eof"]), (&json!("ready\n"), &json!(true)), "{rest}");
    });
}

#[test]
fn jobs_and_runs_end_when_the_client_goes_away() {
    everywhere(|setup| {
        for era in Era::BOTH {
            let mut client = Client::start(setup.serve_command(json!({})), era);
            let sleep = Sleep::new(605);
            let script = format!("sleep {0} & sleep {0}", sleep.seconds());
            start_sh(&mut client, &script);
            client.begin("sh_run", json!({ "command": "sh", "args": ["-c", script] }));
            sleep.await_running(4);
            client.closed().exited(0);
            sleep.is_gone();
        }
    });
}

#[test]
fn a_cancelled_start_leaves_its_job_alone_and_a_cancelled_run_ends_alone() {
    let setup = Setup::plain();
    let mut client = setup.serve(json!({}));
    let (job_sleep, run_sleep) = (Sleep::new(606), Sleep::new(607));
    let call = json!({ "command": "sleep", "args": [job_sleep.seconds()] });
    let start = client.begin("sh_start", call);
    client.notify("notifications/cancelled", json!({ "requestId": start }));
    job_sleep.await_running(1);
    let script = format!("sleep {0} & sleep {0}", run_sleep.seconds());
    let run = client.begin("sh_run", json!({ "command": "sh", "args": ["-c", script] }));
    run_sleep.await_running(2);
    client.notify("notifications/cancelled", json!({ "requestId": run }));
    run_sleep.await_gone();
    client.sh("echo on").printed("on\n");
    assert!(!client.has_answered(run));
    assert_eq!(job_sleep.running().len(), 1);
}

#[test]
fn jobs_of_one_instance_are_not_those_of_another() {
    let setup = Setup::plain();
    let config = json!({ "name": "tests", "tools": {
        "Shell#a": { "allow": ["true"], "prefix": "a" },
        "Shell#b": { "allow": ["true"], "prefix": "b" },
    }});
    let mut client = Client::start(setup.serve_config(&config.to_string()), Era::Modern);
    let answer = client.call("a_start", json!({ "command": "true" }));
    let job = answer.ran()["job"].clone();
    client.call("a_poll", json!({ "job": job })).ran();
    client.call("b_poll", json!({ "job": job })).refused(&["another tool"]);
}
