//! `cofferdam why`: why something is refused, and what would allow it.

use serde_json::{Value, json};

use crate::support::{Ran, Setup, confined, finish, ignored, with_namespaces, with_programs};

/// `cofferdam why` under the launcher of a setup.
#[track_caller]
fn why(setup: &Setup, words: &[&str]) -> Ran {
    let launcher = setup.launcher.option();
    let words = [&["why", "--launcher", &launcher], words].concat();
    finish(setup.cofferdam(words).spawn().unwrap())
}

/// The same, with a launcher that is found by itself.
#[track_caller]
fn asked(setup: &Setup, words: &[&str]) -> Ran {
    finish(setup.cofferdam([&["why"], words].concat()).spawn().unwrap())
}

#[test]
fn an_answer_names_the_rule_its_line_the_change_and_the_launchers() {
    confined(|setup| {
        let ran = why(setup, &["write", "/usr/share"]);
        ran.exited(1);
        for words in [
            "write /usr/share: refused\n",
            "filesystem.write: it may be read, not written",
            "base.toml:14, \"/usr\", which is part of cofferdam",
            "--write /usr/share\n",
            "in a profile: filesystem.write = [\"/usr/share\"]",
            "that opens",
            "enforced by",
        ] {
            assert!(ran.stdout.contains(words), "`{words}` is missing: {}", ran.stdout);
        }
        assert!(!ran.stdout.contains('\u{1b}'), "a pipe has no colours: {ran:?}");
        why(setup, &["read", "/usr/share"]).exited(0);
    });
}

#[test]
fn everything_that_can_be_asked_about_is_answered() {
    with_namespaces(|setup| {
        setup.place.file("work/.git/config", "");
        setup.place.file("home/.ssh/id_rsa", "key");
        let key = setup.place.text("home/.ssh/id_rsa");
        for (words, code, rule) in [
            (&["read", &key][..], 1, "filesystem.deny"),
            (&["write", ".git/config"], 1, "filesystem.protect"),
            (&["write", "new"], 0, "filesystem.write"),
            (&["exec", "sh"], 0, "filesystem.read"),
            (&["connect", "example.org:443"], 1, "network.mode"),
            (&["--net", "connect", "example.org:443"], 0, "network.mode"),
            (&["connect", "/run/docker.sock"], 1, "network.unix-sockets"),
            (&["bind", "8080"], 0, "network.mode"),
            (&["env", "AWS_SECRET_ACCESS_KEY"], 1, "environment.pass"),
            (&["--env", "AWS_SECRET_ACCESS_KEY", "env", "AWS_SECRET_ACCESS_KEY"], 0, "environment"),
            (&["env", "LANG"], 0, "environment.pass"),
            (&["syscall", "mount"], 1, "syscalls.allow"),
            (&["syscall", "read"], 0, "syscalls.allow"),
            (&["read", "/proc/self/status"], 0, "filesystem.read"),
        ] {
            let ran = why(setup, &[&["--json"], words].concat());
            let answer = ran.exited(code).payload();
            let found = answer["rule"].as_str().unwrap();
            assert!(found.starts_with(rule), "{words:?}: {answer}");
            let keys: Vec<_> = answer.as_object().unwrap().keys().cloned().collect();
            assert!(keys.is_sorted(), "{keys:?}");
        }
    });
}

#[test]
fn what_is_said_to_allow_it_allows_it() {
    confined(|setup| {
        setup.place.file("outside/f", "text");
        let outside = setup.place.text("outside/f");
        let ran = why(setup, &["--json", "write", &outside]);
        let option = ran.exited(1).payload()["changes"][0]["option"].clone();
        assert_eq!(option, format!("--write {outside}"));
        let words: Vec<_> = option.as_str().unwrap().split(' ').collect();
        setup.run(&words, ["sh", "-c", &format!("echo x > {outside}")]).printed("");
        why(setup, &[&words[..], &["write", &outside]].concat()).exited(0);
    });
}

#[test]
fn a_rule_that_this_launcher_cannot_keep_is_told_as_such() {
    confined(|setup| {
        setup.place.file("work/.git/config", "");
        let answer = why(setup, &["--json", "write", ".git/config"]).exited(1).payload();
        let payload = setup.payload(&[], ["sh", "-c", "echo x >> .git/config"]);
        let enforced = payload["exit"] != 0;
        assert_eq!(answer["launchers"][0]["enforces"], json!(enforced), "{answer}\n{payload}");
    });
}

#[test]
fn the_fragment_git_config_opens_what_its_hint_says() {
    with_programs(&["git"], |setup| {
        setup.run(&[], ["git", "init", "-q", "-b", "main"]).exited(0);
        let command = ["git", "config", "a.b", "c"];
        let payload = setup.payload(&[], command);
        if payload["exit"] != 0 {
            let denied = &payload["sandbox"]["denied"][0];
            assert_eq!(denied["rule"], "filesystem.protect", "{payload}");
            let hint = denied["hint"].as_str().unwrap();
            assert!(hint.contains("`--profile workspace --profile git-config`"), "{hint}");
        }
        let with = ["--profile", "workspace", "--profile", "git-config"];
        setup.run(&with, command).printed("");
        setup.run(&with, ["git", "remote", "add", "o", "https://example.org/x"]).printed("");
        setup.run(&[], ["git", "config", "a.b"]).printed("c\n");
    });
}

#[test]
fn a_command_is_run_and_what_it_was_refused_is_explained() {
    with_namespaces(|setup| {
        let ran = why(setup, &["--", "sh", "-c", "touch /usr/cofferdam-owned; exit 7"]);
        ran.exited(7);
        for words in ["exit 7; the sandbox refused 1", "write /usr/cofferdam-owned: refused"] {
            assert!(ran.stdout.contains(words), "{ran:?}");
        }
        let ran = why(setup, &["--", "sh", "-c", "echo '\u{1b}[2Jmine' >&2; exit 3"]);
        ran.exited(3);
        assert!(ran.stdout.contains("nothing speaks for the sandbox"), "{ran:?}");
        assert!(ran.stdout.contains(r"\u{1b}[2Jmine") && !ran.stdout.contains('\u{1b}'), "{ran:?}");
        why(setup, &["--", "true"]).exited(0);
        let told = why(setup, &["--json", "--", "cat", "/etc/shadow"]).exited(1).payload();
        assert_eq!(told["answers"][0]["rule"], "filesystem.read", "{told}");
        assert_eq!(told["run"]["sandbox"]["verdict"], "denied", "{told}");
        why(setup, &["--", "no-such-program"]).exited(127).said(&["was not found on PATH"]);
    });
}

#[test]
fn a_question_that_makes_no_sense_is_refused_with_the_remedy() {
    let setup = Setup::plain();
    for (words, code, reason) in [
        (&[][..], 2, "Usage: cofferdam why"),
        (&["frob", "x"], 2, "[possible values: read, write, exec, connect, bind, env, syscall]"),
        (&["write"], 2, "<TARGET>"),
        (&["write", "a", "b"], 2, "unexpected argument 'b'"),
        (&["write", "a", "--", "ls"], 2, "cannot be used with"),
        (&["connect", "https://example.org/"], 125, "is a URL; name a host as `example.org:443`"),
        (&["connect", "example.org:http"], 125, "`http` is no port"),
        (&["bind", "70000"], 125, "give a number up to 65535"),
        (&["env", "A=b"], 125, "leave out its value"),
        (&["syscall", "mont"], 125, "did you mean `mount`?"),
        (&["exec", "no-such-program"], 125, "was not found on PATH"),
        (&["--profile", "nowhere", "read", "/"], 125, "nowhere"),
        (&["--launcher", "none", "read", "/"], 125, "enforces no profile"),
    ] {
        let ran = asked(&setup, words);
        ran.exited(code).said(&[reason]);
        assert_eq!(ran.stdout, "", "{ran:?}");
    }
}

#[test]
fn what_was_typed_does_not_act_on_the_terminal() {
    let setup = Setup::plain();
    let ran = asked(&setup, &["read", "/srv/\u{1b}[2J\nx"]);
    if ran.code != Some(1) {
        return ignored(format!("no launcher works here ({})", ran.stderr.trim()));
    }
    assert!(!ran.stdout.contains('\u{1b}'), "{ran:?}");
    assert!(ran.stdout.starts_with("read /srv/\\u{1b}[2J\\nx: "), "{ran:?}");
}

/// What was refused to a run that is told by one of the tools.
fn denied(payload: &Value) -> &Value {
    &payload["sandbox"]["denied"][0]
}

#[test]
fn a_model_is_told_with_a_run_and_with_a_job() {
    confined(|setup| {
        let mut client = setup.serve(json!({ "audit": setup.place.text("outside/audit.jsonl") }));
        let script = "touch /usr/cofferdam-owned";
        let payload = client.sh(script).ran().clone();
        assert_eq!(denied(&payload)["target"], "/usr/cofferdam-owned", "{payload}");
        assert_eq!(payload["sandbox"]["verdict"], "denied");
        let call = json!({ "command": "sh", "args": ["-c", script] });
        let job = client.call("sh_start", call).ran()["job"].clone();
        let ask = |client: &mut crate::support::Client, tool| {
            client.call(tool, json!({ "job": job })).ran().clone()
        };
        let is_over =
            crate::support::eventually(|| ask(&mut client, "sh_poll")["state"] != "running");
        assert!(is_over);
        for tool in ["sh_poll", "sh_output"] {
            let told = ask(&mut client, tool);
            assert_eq!(denied(&told), denied(&payload), "{told}");
        }
        // What a command wrote is recorded nowhere, in whatever shape.
        let audit = setup.place.read("outside/audit.jsonl");
        assert!(audit.contains("\"sandbox\":{\"active\":true"), "{audit}");
        assert!(!audit.contains("denied") && !audit.contains("verdict"), "{audit}");
    });
}

#[test]
fn a_variable_that_a_program_misses_is_told_where_the_host_has_it() {
    confined(|setup| {
        let run = |script: &str| {
            let mut command = setup.run_command(&["--json"], ["sh", "-uc", script]);
            finish(command.env("DEMO_API_KEY", "s3cret").spawn().unwrap()).payload()
        };
        let payload = run("echo $DEMO_API_KEY");
        let told = denied(&payload);
        assert_eq!((&told["what"], &told["sure"]), (&json!("env"), &json!("policy")), "{payload}");
        assert_eq!(
            (&told["target"], &told["rule"]),
            (&json!("DEMO_API_KEY"), &json!("environment.pass"))
        );
        assert!(told["hint"].as_str().unwrap().contains("`--env DEMO_API_KEY`"), "{told}");
        assert!(!payload.to_string().contains("s3cret"), "{payload}");
        assert_eq!(run("echo $NO_SUCH_KEY")["sandbox"]["verdict"], "not");
    });
}
