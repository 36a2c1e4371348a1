//! The argument guard: forms that run foreign code through a tool that reads and prints. With the guard
//! on they are refused; without it the sandbox makes them harmless.

use serde_json::{Value, json};

use crate::support::{Launcher, Setup, confined, refuses_to_start, under, users};

/// A command line and the rule that it breaks.
struct Form {
    rule: &'static str,
    command: &'static str,
    args: &'static [&'static str],
}

const fn form(rule: &'static str, command: &'static str, args: &'static [&'static str]) -> Form {
    Form { rule, command, args }
}

/// The forms that the reference systems let through. `./x` overwrites the canary, as do those that
/// write by themselves.
const FORMS: &[Form] = &[
    form("tool", "git", &["difftool", "-y", "--extcmd", "./x", "HEAD~1"]),
    form("foreach", "git", &["submodule", "foreach", "../x"]),
    form("git-dir", "git", &["--git-dir=evil", "status"]),
    form("config", "git", &["-c", "core.fsmonitor=./x", "status"]),
    form("config", "git", &["config", "core.fsmonitor", "./x"]),
    form("write", "git", &["log", "--output=../outside/canary"]),
    form("write", "tee", &["-a", ".git/config"]),
    form("text", "gawk", &["-v", "f=system", "BEGIN{@f(\"./x\")}"]),
    form("text", "awk", &["BEGIN{system\n(\"./x\")}"]),
    form("text", "awk", &["BEGIN{system(\"./x\")}"]),
    form("filter", "split", &["--filter=./x", "a"]),
    form("compress-program", "sort", &["-S1", "--compress-program=./x", "a"]),
    form("write", "sort", &["-o", "../outside/canary", "a"]),
    form("write", "uniq", &["a", "../outside/canary"]),
    form("write", "tee", &["../outside/canary"]),
    form("exec", "find", &["a", "-exec", "./x", ";"]),
    form("script", "sed", &["1e ./x", "a"]),
    form(
        "program",
        "tar",
        &["-cf", "a.tar", "--checkpoint=1", "--checkpoint-action=exec=./x", "a"],
    ),
    form("program", "tar", &["-cf", "a.tar", "-I", "./x", "a"]),
    form("transport", "git", &["archive", "--remote=ext::./x", "HEAD"]),
    form("write", "shuf", &["-n", "1", "-o", "../outside/canary", "a"]),
    form("wrapper", "flock", &["lock", "-c", "./x"]),
    form("preprocessor", "rg", &["--pre", "./x", "a", "a"]),
    form("shell", "dash", &["-c", "./x"]),
    form("shell", "busybox", &["sh", "-c", "./x"]),
    form("interpreter", "perl", &["-e", "system './x'"]),
    form("interpreter", "pypy3", &["x.py"]),
    form("wrapper", "timeout", &["5", "./x"]),
    form("wrapper", "sudo", &["./x"]),
    form("wrapper", "env", &["./x"]),
    form("remote", "autossh", &["-M", "0", "host"]),
];

impl Form {
    fn call(&self) -> Value {
        json!({ "command": self.command, "args": self.args })
    }
}

/// A repository with two commits, a repository in the tree whose configuration names a program, that
/// program, and a canary outside.
fn prepare(setup: &Setup) {
    setup.place.script("work/x", "#!/bin/sh\necho ran >> ran\necho owned > ../outside/canary\n");
    setup.place.file("work/a", "a line\n".repeat(5000));
    setup.place.file("outside/canary", "alive\n");
    let mut client = setup.serve(json!({}));
    let script = "git init -q -b main . && git config user.name a && git config user.email a@b && \
                  git add a && git commit -qm first && echo b >> a && git commit -qam second && \
                  git init -q --bare evil && git -C evil config core.bare false && \
                  git -C evil config core.worktree .. && git -C evil config core.fsmonitor ./x";
    client.sh(script).exited(0);
}

#[test]
fn every_form_is_refused_with_its_rule_whoever_asks_and_nothing_runs() {
    let setup = Setup::plain();
    prepare(&setup);
    let mut client = setup.serve(json!({ "guard": "leaf-tools" }));
    for form in FORMS {
        for tool in ["sh_run", "sh_start"] {
            let answer = client.call(tool, form.call());
            let rule = format!("rule `{}` of `{}`", form.rule, form.command);
            answer.refused(&[&rule, "`guard` = \"leaf-tools\"", "no boundary", "guard-except"]);
        }
    }
    assert!(!setup.place.has("work/ran"));
    assert_eq!(setup.place.read("outside/canary"), "alive\n");
    client
        .run(json!({ "command": "git", "args": ["log", "--format=%s"] }))
        .printed("second\nfirst\n");
    client.run(json!({ "command": "sort", "args": ["-u", "a"] })).printed("a line\nb\n");
}

#[test]
fn without_the_guard_the_sandbox_makes_them_harmless() {
    confined(|setup| {
        prepare(setup);
        let mut client = setup.serve(json!({}));
        for form in FORMS {
            // Some of these programs may not be here; the others do what they can.
            client.call("sh_run", form.call()).ran();
            assert_eq!(setup.place.read("outside/canary"), "alive\n", "{}", form.rule);
        }
        let runs = setup.place.read("work/ran").lines().count();
        assert!(runs >= 5, "foreign code ran {runs} times only: this test shows nothing");
    });
}

#[test]
fn without_either_they_do_harm() {
    under(&[Launcher::None], &users(), |setup| {
        prepare(setup);
        let mut client = setup.serve(json!({}));
        for call in [
            json!({ "command": "awk", "args": ["BEGIN{system(\"./x\")}"] }),
            json!({ "command": "xargs", "args": ["-I", "{}", "./x"], "stdin": "a" }),
            json!({ "command": "flock", "args": ["lock", "-c", "./x"] }),
        ] {
            setup.place.file("outside/canary", "alive\n");
            client.run(call).exited(0);
            assert_eq!(setup.place.read("outside/canary"), "owned\n");
        }
    });
}

#[test]
fn a_program_that_is_listed_by_its_exact_name_is_a_decision() {
    let setup = Setup::plain();
    let settings = json!({
        "allow": ["sh", "timeout", "echo", "git"], "guard": "leaf-tools",
        "guard-except": { "git": ["config"] },
    });
    let mut client = setup.serve(settings);
    client.sh("echo on").printed("on\n");
    client.run(json!({ "command": "timeout", "args": ["5", "echo", "on"] })).printed("on\n");
    let call = json!({ "command": "timeout", "args": ["5", "cat", "x"] });
    client.run(call).refused(&["`args[1]` = `cat`", "a program that is not allowed"]);
    client.run(json!({ "command": "git", "args": ["-c", "a.b=c", "version"] })).exited(0);
    let call = json!({ "command": "timeout", "args": ["5", "git", "-p", "log"] });
    client.run(call).refused(&["`args[2]` = `-p`", "rule `pager` of `git`"]);
    let id = client.request("tools/list", json!({}));
    let tools = client.answer(id)["result"]["tools"].to_string();
    assert!(tools.contains("guarded (no boundary)"), "{tools}");
}

#[test]
fn a_guard_that_there_is_not_and_an_exception_without_effect_stop_the_start() {
    let setup = Setup::plain();
    let refused = |settings: Value, words: &[&str]| {
        refuses_to_start(setup.serve_command(settings), words);
    };
    refused(json!({ "guard": "leaf-tool" }), &["there is no such guard", "`leaf-tools`"]);
    refused(json!({ "guard-except": { "git": ["config"] } }), &["has no effect without a guard"]);
    refused(
        json!({ "guard": "leaf-tools", "guard-except": { "git": ["confg"] } }),
        &["no rule `confg` about `git`"],
    );
}
