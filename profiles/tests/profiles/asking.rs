//! What a policy says when it is asked about one thing.

use std::os::unix::fs::symlink;

use cofferdam_profiles::{
    Answer, Grants, Inside, Policy, Promise, Question, Source, Verdict, resolve,
};
use serde_json::json;

use crate::support::{Machine, mistakes};

fn profile(machine: &Machine, names: &[&str]) -> Policy {
    let source = Source::Many(names.iter().map(|name| Source::parse(name)).collect());
    resolve(&source, &Grants::default(), &machine.context).unwrap()
}

fn ask(policy: &Policy, question: Question) -> Verdict {
    policy.ask(&question, &Inside::default())
}

/// Answer, key, place and first option, as a line.
fn told(verdict: &Verdict) -> String {
    let origin = verdict.origin.as_ref().map(|origin| origin.source.clone()).unwrap_or_default();
    let option = verdict.changes.first().and_then(|change| change.option.clone());
    let option = option.unwrap_or_default();
    format!("{:?} {} {origin} {option}", verdict.answer, verdict.key).trim_end().to_owned()
}

#[test]
fn each_kind_of_question_is_answered_with_its_rule_and_the_smallest_change() {
    let machine = Machine::new();
    machine.file("home/ws/.git/config", "");
    machine.file("home/ws/.git/hooks/x", "");
    let policy = profile(&machine, &["workspace"]);
    let home = machine.home("x");
    let connect = |host: &str| Question::Connect { host: host.to_owned(), port: Some(443) };
    let variable = |name: &str| Question::Variable(name.to_owned());
    for (question, expected) in [
        (Question::Read("/usr".into()), "Allowed filesystem.read base.toml".to_owned()),
        (Question::Execute("/usr".into()), "Allowed filesystem.read base.toml".to_owned()),
        (
            Question::Write("/usr".into()),
            "Refused filesystem.write base.toml --write /usr".to_owned(),
        ),
        (
            Question::Read("/etc/shadow".into()),
            "Refused filesystem.read  --read /etc/shadow".to_owned(),
        ),
        (
            Question::Write(home.clone()),
            format!("Refused filesystem.write  --write {}", home.display()),
        ),
        (
            Question::Write(machine.workspace("new/file")),
            "Allowed filesystem.write workspace.toml".to_owned(),
        ),
        (
            Question::Write(machine.workspace(".git/config")),
            "Refused filesystem.protect workspace.toml --profile workspace --profile git-config"
                .to_owned(),
        ),
        (
            Question::Write(machine.workspace(".git/hooks")),
            "Refused filesystem.protect workspace.toml".to_owned(),
        ),
        (
            Question::Move(machine.workspace(".git")),
            "Refused filesystem.protect workspace.toml".to_owned(),
        ),
        (Question::Read("/proc/cpuinfo".into()), "Own filesystem.read".to_owned()),
        (Question::Write("/dev/null".into()), "Own filesystem.write".to_owned()),
        (connect("example.org"), "Refused network.mode  --net".to_owned()),
        (connect("127.0.0.1"), "Refused network.mode  --net".to_owned()),
        (Question::Bind { port: Some(80) }, "Allowed network.mode".to_owned()),
        (
            Question::Socket("/run/docker.sock".into()),
            "Refused network.unix-sockets  --socket /run/docker.sock".to_owned(),
        ),
        (
            Question::Socket(machine.workspace("s")),
            "Allowed network.unix-sockets workspace.toml".to_owned(),
        ),
        (variable("LANG"), "Allowed environment.pass base.toml".to_owned()),
        (
            variable("AWS_SECRET_ACCESS_KEY"),
            "Refused environment.pass  --env AWS_SECRET_ACCESS_KEY".to_owned(),
        ),
        (variable("HOME"), "Own environment.pass".to_owned()),
    ] {
        assert_eq!(told(&ask(&policy, question.clone())), expected, "{question}");
    }
}

#[test]
fn the_deepest_path_decides_and_at_equal_depth_the_strongest() {
    let machine = Machine::new();
    let top = machine.dir("t/a/b/c");
    let [t, a, b] = ["t", "t/a", "t/a/b"].map(|dir| machine.top.join(dir));
    let policy = machine
        .inline(json!({"filesystem": {
            "read": [t, b, top], "write": [a], "deny": [b], "protect": [machine.top.join("t/a/p")],
        }}))
        .unwrap();
    let answer = |question| {
        let verdict = ask(&policy, question);
        (verdict.answer, verdict.key)
    };
    use Answer::{Allowed, Refused};
    assert_eq!(answer(Question::Write(t.join("x"))), (Refused, "filesystem.write"));
    assert_eq!(answer(Question::Write(a.join("x"))), (Allowed, "filesystem.write"));
    assert_eq!(answer(Question::Read(b.clone())), (Refused, "filesystem.deny"));
    assert_eq!(answer(Question::Read(b.join("x"))), (Refused, "filesystem.deny"));
    assert_eq!(answer(Question::Read(top.join("x"))), (Allowed, "filesystem.read"));
    assert_eq!(answer(Question::Write(a.join("p/x"))), (Refused, "filesystem.protect"));
    assert_eq!(answer(Question::Read(a.join("p/x"))), (Allowed, "filesystem.protect"));
    let hidden = ask(&policy, Question::Read(b.clone()));
    assert_eq!(hidden.promise, Some(Promise::Deny));
    assert!(hidden.is_enforced_without(&[]) && !hidden.is_enforced_without(&["deny".to_owned()]));
}

#[test]
fn a_path_is_followed_as_a_run_follows_it() {
    let machine = Machine::new();
    let open = machine.dir("open");
    machine.file("open/f", "");
    machine.file("closed/f", "");
    symlink("../closed/f", open.join("out")).unwrap();
    symlink("../open/f", machine.top.join("closed/in")).unwrap();
    let policy = machine.inline(json!({"filesystem": {"read": [open]}})).unwrap();
    let asked = |path: &str| {
        let verdict = ask(&policy, Question::Read(machine.top.join(path)));
        let path = verdict.path.unwrap();
        (verdict.answer, path.strip_prefix(&machine.top).unwrap().to_str().unwrap().to_owned())
    };
    let is = |answer, path: &str| (answer, path.to_owned());
    assert_eq!(asked("open/../open/./f"), is(Answer::Allowed, "open/f"));
    assert_eq!(asked("open/out"), is(Answer::Refused, "closed/f"));
    assert_eq!(asked("open/missing"), is(Answer::Allowed, "open/missing"));
    // What lies in a hidden folder is not looked at: neither whether it is a link nor where it leads.
    assert_eq!(asked("closed/in"), is(Answer::Refused, "closed/in"));
    assert_eq!(asked("closed/missing"), is(Answer::Refused, "closed/missing"));
}

#[test]
fn what_would_allow_it_allows_it() {
    let machine = Machine::new();
    machine.file("home/ws/.git/config", "");
    machine.file("home/ws/sub/.git/config", "");
    let socket = machine.file("run/s", "");
    let readable = machine.file("other/f", "");
    let grants = Grants {
        read: vec![readable.clone()],
        write: vec![machine.top.join("run")],
        net: true,
        env: vec!["AWS_PROFILE".to_owned()],
        sockets: vec![socket.clone()],
        ..Grants::default()
    };
    let source = Source::Many(["workspace", "git-config"].map(Source::parse).to_vec());
    let policy = resolve(&source, &grants, &machine.context).unwrap();
    for question in [
        Question::Read(readable),
        Question::Write(machine.top.join("run/x")),
        Question::Write(machine.workspace(".git/config")),
        Question::Write(machine.workspace("sub/.git/config")),
        Question::Connect { host: "example.org".to_owned(), port: None },
        Question::Socket(socket),
        Question::Variable("AWS_PROFILE".to_owned()),
    ] {
        let verdict = ask(&policy, question.clone());
        assert_eq!((verdict.answer, verdict.changes), (Answer::Allowed, vec![]), "{question}");
    }
    let hooks = ask(&policy, Question::Write(machine.workspace(".git/hooks/x")));
    assert_eq!(hooks.answer, Answer::Refused);
}

#[test]
fn a_view_of_its_own_has_a_tmp_of_its_own_but_for_what_is_granted_there() {
    let machine = Machine::new(); // below /tmp
    let policy = profile(&machine, &["workspace"]);
    let [view, none] = [true, false].map(Inside::new);
    let write = Question::Write("/tmp/x".into());
    assert_eq!(policy.ask(&write, &view).answer, Answer::Own);
    assert_eq!(policy.ask(&write, &none).answer, Answer::Refused);
    let inside = Question::Write(machine.workspace("x"));
    assert_eq!(policy.ask(&inside, &view).answer, Answer::Allowed);
}

#[test]
fn a_fragment_takes_away_from_what_it_is_added_to_in_any_order() {
    let machine = Machine::new();
    machine.profile("open-editor", "filesystem.protect = [\"!${workspace}/.vscode/tasks.json\"]\n");
    machine.profile("mine", "extends = [\"workspace\", \"open-editor\"]\n");
    let tasks = Question::Write(machine.workspace(".vscode/tasks.json"));
    for names in [&["workspace", "open-editor"][..], &["open-editor", "workspace"], &["mine"]] {
        let verdict = ask(&profile(&machine, names), tasks.clone());
        assert_eq!(verdict.answer, Answer::Allowed, "{names:?}");
    }
    // A fragment of one's own that finds nothing is mistaken; one that is shipped serves many.
    machine.profile("typo", "filesystem.protect = [\"!${workspace}/.vscode/task.json\"]\n");
    let source = Source::Many(["workspace", "typo"].map(Source::parse).to_vec());
    let found = mistakes(resolve(&source, &Grants::default(), &machine.context));
    assert!(found[0].contains("did you mean `${workspace}/.vscode/tasks.json`?"), "{found:?}");
    profile(&machine, &["read-only", "git-config"]);
}

#[test]
fn a_wildcard_that_does_not_take_a_secret_is_named() {
    let machine = Machine::new();
    let policy = machine.inline(json!({"environment": {"pass": ["AWS_*"]}})).unwrap();
    let verdict = ask(&policy, Question::Variable("AWS_SESSION_TOKEN".to_owned()));
    assert_eq!(verdict.answer, Answer::Refused);
    assert_eq!(verdict.origin.unwrap().text.as_deref(), Some("AWS_*"));
    assert!(verdict.because.contains("looks like a secret"));
}

#[test]
fn whatever_closes_a_path_is_named_and_taken_back_together() {
    let machine = Machine::new();
    machine.file("home/ws/.git/hooks/x", "");
    let hooks = Question::Write(machine.workspace(".git/hooks"));
    let verdict = ask(&profile(&machine, &["workspace"]), hooks.clone());
    let line = verdict.changes[0].profile.clone().unwrap();
    assert_eq!(line, r#"filesystem.protect = ["!${workspace}/.git/hooks", "!${git-dir}/hooks?"]"#);
    machine.profile("open-hooks", &line);
    let verdict = ask(&profile(&machine, &["workspace", "open-hooks"]), hooks);
    assert_eq!(verdict.answer, Answer::Allowed);

    let secret = machine.file("home/ws/secret", "");
    let grants = Grants { deny: vec![secret.clone()], ..Grants::default() };
    let policy = resolve(&Source::parse("workspace"), &grants, &machine.context).unwrap();
    let verdict = ask(&policy, Question::Read(secret.clone()));
    let option = format!("leave out --deny {}", secret.display());
    assert_eq!(verdict.changes[0].option, Some(option));
}
