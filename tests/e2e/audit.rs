//! The audit: what a server records of its calls, and what it does when it cannot.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    Client, Era, Ran, Setup, Sleep, User, confined, eventually, everywhere, finish, ignored,
    no_mounts, refuses_to_start, touch,
};

/// A server of which every call is recorded, with these settings besides.
fn recorded(setup: &Setup, more: Value) -> Client {
    Client::start(setup.serve_command(with_audit(setup, more)), Era::Legacy)
}

fn with_audit(setup: &Setup, more: Value) -> Value {
    setup.place.folder("audit");
    let mut settings = json!({ "audit": file(setup) });
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    settings
}

fn file(setup: &Setup) -> PathBuf {
    setup.place.path("audit/calls.jsonl")
}

/// The records so far. Each line must be a whole one.
#[track_caller]
fn records(setup: &Setup) -> Vec<Value> {
    let text = setup.place.read("audit/calls.jsonl");
    assert!(text.is_empty() || text.ends_with('\n'), "the last line is torn");
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// The outcome and the exit of each record.
fn endings(records: &[Value]) -> Vec<(&str, Option<i64>)> {
    records.iter().map(|one| (one["outcome"].as_str().unwrap(), one["exit"].as_i64())).collect()
}

#[test]
fn every_outcome_is_recorded_with_what_ran_and_never_with_what_it_wrote() {
    everywhere(|setup| {
        let mut client = recorded(setup, json!({ "allow": ["sh", "sleep", "nosuchtool"] }));
        client.sh("echo PRINTED; echo COMPLAINED >&2; exit 3").exited(3);
        assert!(client.run(json!({ "command": "rm" })).is_error);
        client.run(json!({ "command": "nosuchtool" })).not_started(&[]);
        client.run(json!({ "command": "sleep", "args": ["77"], "timeout": 0.2 })).exited(137);
        assert!(client.run(json!({ "command": "sh", "cwd": "/nowhere" })).is_error);
        client.closed().exited(0);

        let records = records(setup);
        let expected = [
            ("success", Some(3)),
            ("refused", None),
            ("not-started", Some(-1)),
            ("timeout", Some(137)),
            ("refused", None),
        ];
        assert_eq!(endings(&records), expected, "{records:#?}");
        let first = &records[0];
        assert_eq!(first["instance"], "Shell");
        assert_eq!(first["tool"], "sh_run");
        assert_eq!(first["command"], "sh");
        assert_eq!(first["directory"], setup.place.text("work"));
        assert_eq!(first["launcher"], setup.launcher.name());
        assert_eq!((&first["stdout-bytes"], &first["stderr-bytes"]), (&json!(8), &json!(11)));
        assert!(first["duration"].is_number() && first["time"].as_str().unwrap().ends_with('Z'));
        assert!(records[1]["reason"].as_str().unwrap().contains("not on the allow list"));
        assert!(records[2]["reason"].as_str().unwrap().contains("nosuchtool"));
        let text = setup.place.read("audit/calls.jsonl");
        // The arguments hold the words once, and so does the record.
        assert_eq!((text.matches("PRINTED").count(), text.matches("COMPLAINED").count()), (1, 1));
    });
}

#[test]
fn a_confined_run_is_recorded_with_its_profile_and_what_was_enforced() {
    confined(|setup| {
        let mut client = recorded(setup, json!({}));
        let payload = client.run(json!({ "command": "true" })).exited(0).clone();
        let records = records(setup);
        assert_eq!(records[0]["sandbox"], payload["sandbox"]);
        assert_eq!(records[0]["profile"], "workspace");
        assert_eq!(records[0]["policy"].as_str().unwrap().len(), 16, "{}", records[0]);
        let mode = file(setup).metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
    });
}

#[test]
fn secrets_among_the_arguments_are_taken_out() {
    let setup = Setup::plain();
    let mut client = recorded(&setup, json!({}));
    let args = json!([
        "--token",
        "hunter2",
        "API_KEY=hunter3",
        "https://me:hunter4@example.org/",
        "Authorization: Bearer hunter5",
        "--author=monkey"
    ]);
    client.run(json!({ "command": "true", "args": args })).exited(0);
    client.sh("curl() { :; }; curl -u me:hunter6 --password hunter7").exited(0);
    assert_eq!(records(&setup)[0]["args"][5], "--author=monkey");
    let text = setup.place.read("audit/calls.jsonl");
    assert!(!text.contains("hunter") && text.contains("[redacted]"), "{text}");
}

#[test]
fn a_job_is_recorded_from_its_start_to_its_end() {
    let setup = Setup::plain();
    let sleep = Sleep::new(751);
    let mut client = recorded(&setup, json!({}));
    let command = json!({ "command": "sleep", "args": [sleep.seconds()] });
    let job = client.call("sh_start", command.clone()).ran()["job"].clone();
    assert_eq!(endings(&records(&setup)), [("started", None)]);
    client.call("sh_kill", json!({ "job": job })).ran();
    assert!(eventually(|| records(&setup).len() == 2));
    // The end of the server ends the second one.
    client.call("sh_start", command).ran();
    client.closed().exited(0);
    let records = records(&setup);
    let expected =
        [("started", None), ("killed", Some(137)), ("started", None), ("killed", Some(137))];
    assert_eq!(endings(&records), expected);
    assert_eq!(records[0]["id"], records[1]["id"]);
    assert_ne!(records[0]["id"], records[2]["id"]);
    assert_eq!(records[0]["tool"], "sh_start");
}

#[test]
fn a_start_that_is_one_too_many_is_recorded_and_a_call_that_is_malformed_is_not() {
    let setup = Setup::plain();
    let sleep = Sleep::new(755);
    let mut client = recorded(&setup, json!({ "max-jobs": 1 }));
    let command = json!({ "command": "sleep", "args": [sleep.seconds()] });
    client.call("sh_start", command).ran();
    client.call("sh_start", touch()).refused(&["the most at once"]);
    client.call("sh_start", json!({ "command": ["touch"] })).refused(&["`command`"]);
    let records = records(&setup);
    assert_eq!(endings(&records), [("started", None), ("refused", None)]);
    assert_eq!(
        (&records[1]["command"], &records[1]["tool"]),
        (&json!("touch"), &json!("sh_start"))
    );
    assert!(records[1]["reason"].as_str().unwrap().contains("the most at once"));
}

#[test]
fn a_run_that_its_caller_cancels_is_recorded_as_that() {
    let setup = Setup::plain();
    let sleep = Sleep::new(752);
    let mut client = recorded(&setup, json!({}));
    let id = client.begin("sh_run", json!({ "command": "sleep", "args": [sleep.seconds()] }));
    sleep.await_running(1);
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    assert!(eventually(|| !records(&setup).is_empty()));
    assert_eq!(endings(&records(&setup)), [("cancelled", Some(137))]);
}

#[test]
fn a_run_that_is_killed_for_what_it_writes_is_recorded_as_that() {
    let setup = Setup::plain();
    let limits = json!({ "on-output-limit": "kill", "max-output-bytes": 1024 });
    let mut client = recorded(&setup, limits);
    client.run(json!({ "command": "yes", "timeout": 60 })).exited(137);
    let records = records(&setup);
    assert_eq!(endings(&records), [("output-limit", Some(137))]);
    assert!(records[0]["stdout-bytes"].as_u64().is_some_and(|bytes| bytes > 1024), "{records:?}");
}

#[test]
fn of_a_server_that_is_killed_every_answered_call_is_there_in_a_whole_line() {
    const ANSWERED: usize = 200;
    let setup = Setup::plain();
    let mut client = recorded(&setup, json!({}));
    let calls: Vec<_> = (0..ANSWERED + 100)
        .map(|number| {
            let args = json!([format!("call-{number}"), "x".repeat(number)]);
            client.begin("sh_run", json!({ "command": "echo", "args": args }))
        })
        .collect();
    for id in &calls[..ANSWERED] {
        client.result(*id).exited(0);
    }
    client.signal(Signal::KILL);
    client.ended_with_input_open();
    let records = records(&setup);
    assert!((ANSWERED..=calls.len()).contains(&records.len()), "{}", records.len());
    for number in 0..ANSWERED {
        let name = json!(format!("call-{number}"));
        let of_it = records.iter().filter(|one| one["args"][0] == name);
        assert_eq!(of_it.count(), 1, "{number}");
    }
    // The next server goes on in the same file.
    recorded(&setup, json!({})).run(json!({ "command": "true" })).exited(0);
    assert_eq!(self::records(&setup).len(), records.len() + 1);
}

#[test]
fn what_must_be_recorded_and_cannot_be_does_not_run() {
    for way in ["removed", "replaced"] {
        let setup = Setup::plain();
        let mut client = recorded(&setup, json!({ "audit-required": true }));
        client.run(json!({ "command": "true" })).exited(0);
        assert_eq!(endings(&records(&setup)), [("started", None), ("success", Some(0))]);
        fs::rename(file(&setup), setup.place.path("audit/old")).unwrap();
        if way == "replaced" {
            setup.place.file("audit/calls.jsonl", "");
        }
        for tool in ["sh_run", "sh_start"] {
            let answer = client.call(tool, json!({ "command": "touch", "args": ["ran"] }));
            answer.refused(&["not recorded", "removed or replaced"]);
        }
        assert!(!setup.place.has("work/ran"), "{way}");
        // Put back where it was, it is used again.
        fs::rename(setup.place.path("audit/old"), file(&setup)).unwrap();
        client.run(json!({ "command": "true" })).exited(0);
    }
}

#[test]
fn nothing_runs_unrecorded_on_a_full_disk_where_it_must_not() {
    if let Some(why) = no_mounts() {
        return ignored(why);
    }
    let setup = Setup::plain();
    let folder = setup.place.folder("audit");
    let settings = with_audit(&setup, json!({ "audit-required": true }));
    let script = format!("mount -t tmpfs -o size=16k none {}", folder.display());
    let server = setup.with_mounts(&script, &setup.serve_command(settings));
    let mut client = Client::start(server, Era::Legacy);
    let refusal = (0..500)
        .map(|_| client.run(json!({ "command": "sh", "args": ["-c", "echo >> ran"] })))
        .find(|answer| answer.is_error)
        .expect("the disk is full some time");
    refusal.refused(&["not recorded"]);
    let full = ["is the disk full?", "No space left", "no space left"];
    assert!(full.iter().any(|words| refusal.text.contains(words)), "{refusal:?}");
    let ran = setup.place.read("work/ran").lines().count();
    client
        .run(json!({ "command": "sh", "args": ["-c", "echo >> ran"] }))
        .refused(&["not recorded"]);
    assert_eq!(setup.place.read("work/ran").lines().count(), ran);
}

#[test]
fn an_audit_that_fails_and_need_not_work_is_told_once_and_holds_up_nothing() {
    let setup = Setup::plain();
    let mut client = recorded(&setup, json!({ "launcher": "none" }));
    fs::remove_file(file(&setup)).unwrap();
    for _ in 0..3 {
        client.run(json!({ "command": "true" })).exited(0);
    }
    let ran = client.closed();
    let told = ran.stderr.lines().filter(|line| line.contains("cannot be written"));
    assert_eq!(told.count(), 1, "{ran:?}");
    ran.said(&["calls.jsonl", "removed or replaced"]);
}

#[test]
fn an_audit_file_that_cannot_be_used_stops_the_start() {
    everywhere(|setup| {
        let command = |settings| setup.serve_command(with_audit(setup, settings));
        setup.place.file("audit/calls.jsonl", "");
        fs::set_permissions(file(setup), Permissions::from_mode(0o644)).unwrap();
        refuses_to_start(command(json!({})), &["calls.jsonl", "chmod 600"]);
        fs::remove_file(file(setup)).unwrap();
        std::os::unix::fs::symlink(setup.place.path("outside/x"), file(setup)).unwrap();
        refuses_to_start(command(json!({})), &["calls.jsonl", "links are not followed"]);
        let missing = setup.place.text("nowhere/calls.jsonl");
        refuses_to_start(command(json!({ "audit": missing })), &["its folder must exist"]);
        refuses_to_start(command(json!({ "audit": "calls.jsonl" })), &["with a `/` in it"]);
        let required = json!({ "audit": "stderr", "audit-required": true });
        refuses_to_start(command(required), &["needs a file in `audit`"]);
        if setup.user == User::Ordinary {
            fs::remove_file(file(setup)).unwrap();
            fs::set_permissions(setup.place.path("audit"), Permissions::from_mode(0o555)).unwrap();
            refuses_to_start(command(json!({})), &["calls.jsonl", "ermission denied"]);
        }
    });
}

#[test]
fn no_run_may_write_an_audit_file() {
    confined(|setup| {
        let within = setup.place.text("work/calls.jsonl");
        refuses_to_start(
            setup.serve_command(json!({ "audit": within })),
            &["workspace", "holds Cofferdam's own", "calls.jsonl"],
        );
        let folder = setup.place.folder("audit").into_os_string().into_string().unwrap();
        let outside = file(setup).into_os_string().into_string().unwrap();
        let launcher = setup.launcher.option();
        let words = ["serve", "--allow-any", "--launcher", &launcher, "--audit", &outside];
        for root in [&folder, &outside] {
            setup.place.file("audit/calls.jsonl", "");
            fs::set_permissions(file(setup), Permissions::from_mode(0o600)).unwrap();
            let words = [&words[..], &["--write", root]].concat();
            refuses_to_start(
                setup.cofferdam(words),
                &["--write", "Cofferdam's own", "calls.jsonl"],
            );
        }
        // Nor may another instance of the same server.
        let config = json!({ "name": "x", "tools": {
            "Shell#a": { "allow-any": true, "cwd": setup.place.path("outside"), "prefix": "a",
                "launcher": setup.launcher.setting(), "audit": outside },
            "Shell#b": { "allow-any": true, "cwd": folder, "prefix": "b",
                "launcher": setup.launcher.setting() },
        } });
        let refused = ["Shell#b", "holds Cofferdam's own", "calls.jsonl"];
        refuses_to_start(setup.serve_config(&config.to_string()), &refused);
    });
}

#[test]
fn records_are_told_on_standard_error_where_that_is_wanted() {
    let setup = Setup::plain();
    let words = ["serve", "--allow", "echo", "--launcher", "auto", "--audit", "stderr"];
    let mut client = Client::start(setup.cofferdam(words), Era::Legacy);
    client.run(json!({ "command": "echo", "args": ["hi", "\u{1b}[2J"] })).exited(0);
    let ran = client.closed();
    let record: Value = serde_json::from_str(ran.stderr.trim()).unwrap();
    assert_eq!((&record["outcome"], &record["args"][1]), (&json!("success"), &json!("\u{1b}[2J")));
    assert!(!ran.stderr.contains('\u{1b}'));
}

/// `cofferdam audit` with these options.
fn shown(setup: &Setup, options: &[&str]) -> Ran {
    let mut command = setup.cofferdam(["audit"]);
    command.arg(file(setup)).args(options);
    finish(command.spawn().unwrap())
}

#[test]
fn an_audit_file_is_shown_as_a_table_and_passed_through_as_json() {
    let setup = Setup::plain();
    let mut client = recorded(&setup, json!({ "allow": ["echo"] }));
    client.run(json!({ "command": "echo", "args": ["fix the thing", "\u{1b}[2J"] })).exited(0);
    assert!(client.run(json!({ "command": "rm" })).is_error);
    client.closed();
    let whole = setup.place.read("audit/calls.jsonl");

    let ran = shown(&setup, &[]);
    ran.exited(0);
    assert!(ran.stdout.contains(r"echo 'fix the thing' '\u{1b}[2J'"), "{ran:?}");
    assert!(ran.stdout.contains("because: command `rm` is not on the allow list"), "{ran:?}");
    let ran = shown(&setup, &["--refused"]);
    assert!(!ran.stdout.contains("fix the") && ran.stdout.contains("refused"), "{ran:?}");
    shown(&setup, &["--json"]).printed(&whole);
    shown(&setup, &["--json", "--since", "1h"]).printed(&whole);
    shown(&setup, &["--since", "2100-01-01T00:00:00Z"]).printed("");
    shown(&setup, &["--since", "yesterday"]).exited(2).said(&["2h"]);

    fs::write(file(&setup), format!("{whole}{{\"time\": \"2026-")).unwrap();
    let ran = shown(&setup, &["--json"]);
    assert_eq!((ran.code, &*ran.stdout), (Some(0), &*whole));
    ran.said(&["1 of the lines are no records"]);
    fs::remove_file(file(&setup)).unwrap();
    shown(&setup, &[]).exited(1).said(&["calls.jsonl", "No such file"]);
}
