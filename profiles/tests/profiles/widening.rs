//! What may be offered to a run that was refused something, and what of that is granted.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use cofferdam_profiles::{Grant, Grants, Inside, Policy, Question, Source, resolve, widen};
use serde_json::{Value, json};

use crate::support::{Machine, mistakes};

/// A profile with what a table says beside `workspace`.
fn source(table: Value) -> Source {
    Source::Many(vec![Source::parse("workspace"), Source::Inline(table)])
}

fn policy(machine: &Machine, table: Value) -> Policy {
    resolve(&source(table), &Grants::default(), &machine.context).unwrap()
}

fn offer(machine: &Machine, policy: &Policy, question: Question) -> Option<Grant> {
    Grant::offer(policy, &question, &Inside::default(), &machine.context)
}

fn read(path: impl AsRef<Path>) -> Question {
    Question::Read(path.as_ref().to_owned())
}

fn write(path: impl AsRef<Path>) -> Question {
    Question::Write(path.as_ref().to_owned())
}

#[test]
fn the_least_grant_is_offered_that_would_allow_it() {
    let machine = Machine::new();
    let policy = policy(&machine, json!({}));
    let file = machine.file("data/sub/file", "");
    let folder = machine.dir("data/sub");
    let offer = |question| offer(&machine, &policy, question);
    assert_eq!(offer(read(&file)), Some(Grant::Read(file.clone())));
    assert_eq!(offer(read(folder.join("../sub/file"))), Some(Grant::Read(file.clone())));
    assert_eq!(offer(Question::Execute(file.clone())), Some(Grant::Read(file.clone())));
    assert_eq!(offer(write(&file)), Some(Grant::Write(file.clone())));
    assert_eq!(offer(write(folder.join("new"))), Some(Grant::Write(folder.clone())));
    let connect = Question::Connect { host: "example.org".to_owned(), port: Some(443) };
    assert_eq!(offer(connect), Some(Grant::Network));
}

#[test]
fn nothing_is_offered_where_no_single_run_should_have_it() {
    let machine = Machine::new();
    machine.file("home/ws/.git/config", "");
    let secret = machine.file("data/secret/key", "");
    let (own, settings) = (machine.file("data/own/audit", ""), machine.file("config/x.json", ""));
    let mut machine = machine;
    machine.context.reserved.push(own.clone());
    let pipe = machine.dir("data").join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let denied = json!({ "filesystem": { "deny": [secret.parent().unwrap()] } });
    let policy = policy(&machine, denied);
    for question in [
        read(machine.workspace("allowed")),
        write(machine.workspace("allowed")),
        write(machine.workspace(".git/config")),
        read(&secret),
        write(&secret),
        write(secret.with_file_name("new")),
        read(&own),
        write(&own),
        write(own.with_file_name("new")),
        read(&settings),
        write(settings.with_file_name("new")),
        read(&pipe),
        read("/"),
        write("/new"),
        read(machine.home("")),
        write(machine.home("new")),
        write(&machine.top),
        read(machine.top.join("data/missing")),
        write(machine.top.join("data/missing/new")),
        write(own.join("below-a-file")),
        Question::Move(machine.top.join("data")),
        Question::Socket(machine.top.join("data/socket")),
        Question::Variable("TOKEN".to_owned()),
        Question::Bind { port: Some(80) },
    ] {
        assert_eq!(offer(&machine, &policy, question.clone()), None, "{question}");
    }
}

#[test]
fn a_directory_that_holds_what_runs_may_write_is_not_offered_for_writing() {
    let machine = Machine::new();
    let around = machine.dir("srv");
    let inner = machine.dir("srv/app/data");
    let policy = policy(&machine, json!({ "filesystem": { "write": [inner] } }));
    assert_eq!(offer(&machine, &policy, write(around.join("new"))), None);
    assert_eq!(offer(&machine, &policy, read(&around)), Some(Grant::Read(around)));
}

#[test]
fn a_link_out_of_a_writable_directory_leads_to_no_offer() {
    let machine = Machine::new();
    let outside = machine.file("data/file", "");
    let folder = machine.dir("data");
    symlink(&outside, machine.workspace("file")).unwrap();
    symlink(&folder, machine.workspace("folder")).unwrap();
    symlink(folder.join("none"), machine.workspace("none")).unwrap();
    let policy = policy(&machine, json!({}));
    for name in ["file", "folder", "folder/file", "folder/new", "none", "folder/../data/file"] {
        let path = machine.workspace(name);
        assert_eq!(offer(&machine, &policy, read(&path)), None, "{name}");
        assert_eq!(offer(&machine, &policy, write(&path)), None, "{name}");
    }
    // A link of the machine's own is followed to where it leads.
    symlink(&outside, machine.top.join("link")).unwrap();
    let through = read(machine.top.join("link"));
    assert_eq!(offer(&machine, &policy, through), Some(Grant::Read(outside)));
}

#[test]
fn what_is_granted_is_opened_and_nothing_else_is() {
    let machine = Machine::new();
    let (file, other) = (machine.file("data/file", ""), machine.file("data/other", ""));
    let more = [Grant::Read(file.clone()), Grant::Network];
    let opened = widen(&source(json!({})), &Grants::default(), &more, &machine.context).unwrap();
    let before = policy(&machine, json!({}));
    assert!(opened.filesystem.may_read(&file) && !opened.filesystem.may_write(&file));
    assert!(!opened.filesystem.may_read(&other) && !before.filesystem.may_read(&file));
    assert_ne!(opened.network.mode, before.network.mode);
}

#[test]
fn a_grant_within_something_closed_is_refused_at_whatever_depth() {
    let machine = Machine::new();
    let deep = machine.file("data/closed/deep/file", "");
    let closed = machine.top.join("data/closed");
    for key in ["protect", "deny"] {
        // Nothing around it may be written, so the policy itself has no need of the rule `protect`.
        let table = json!({ "filesystem": { key: [closed] } });
        for grant in [Grant::Read(deep.clone()), Grant::Write(deep.clone())] {
            let made =
                widen(&source(table.clone()), &Grants::default(), &[grant], &machine.context);
            let lines = mistakes(made);
            assert!(lines[0].contains(&format!("the profile says `{key}`")), "{lines:?}");
        }
    }
}

#[test]
fn a_path_that_leads_elsewhere_by_the_time_of_the_grant_is_refused() {
    let machine = Machine::new();
    let file = machine.file("data/file", "");
    let policy = policy(&machine, json!({}));
    let grant = offer(&machine, &policy, read(&file)).unwrap();
    let other = machine.file("other/secret", "");
    fs::remove_file(&file).unwrap();
    symlink(&other, &file).unwrap();
    let made = widen(&source(json!({})), &Grants::default(), &[grant], &machine.context);
    let lines = mistakes(made);
    assert!(lines[0].contains("it leads to") && lines[0].contains("other/secret"), "{lines:?}");
}
