//! System calls that the filter refuses: told where they had a part in a failure, and refused just the
//! same whoever listens.

#[path = "syscalls/listening.rs"]
mod listening;

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Launcher, PATH, Setup, eventually, finish, ignored, under, users};

/// What every script begins with: `call` gives the error number of a call of the C library, or 0;
/// `fail` raises it as Python does.
const PRELUDE: &str = r#"
import ctypes, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    ctypes.set_errno(0)
    return ctypes.get_errno() if getattr(libc, name)(*args) < 0 else 0
def number(x86_64, aarch64):
    return x86_64 if os.uname().machine == "x86_64" else aarch64
def fail(errno):
    raise OSError(errno, os.strerror(errno))
def mount():
    return call("mount", b"none", b"/tmp", b"tmpfs", 0, None)
KEYCTL, BPF, PERF, SECCOMP = number(250, 219), number(321, 280), number(298, 241), number(317, 277)
"#;

/// Whether Python, in which the scripts are written, is installed.
fn has_python() -> bool {
    let found = PATH.split(':').any(|folder| Path::new(folder).join("python3").exists());
    if !found {
        ignored("python3 is not installed");
    }
    found
}

/// A script in the workspace, and the words that run it.
fn script(setup: &Setup, name: &str, text: &str) -> [String; 2] {
    let path = setup.place.file(format!("work/{name}"), format!("{PRELUDE}{text}"));
    ["python3".to_owned(), path.to_str().unwrap().to_owned()]
}

/// The launchers that tell of what their filter refuses.
fn telling(test: impl Fn(&Setup)) {
    if has_python() {
        under(&[Launcher::Landlock, Launcher::LandlockInPlace], &users(), test);
    }
}

/// The payload of a script.
fn payload(setup: &Setup, text: &str) -> Value {
    setup.payload(&[], script(setup, "script.py", text))
}

#[test]
fn a_refused_call_is_told_where_the_program_says_that_something_was() {
    telling(|setup| {
        for (text, target, rule) in [
            ("fail(mount())", "mount", "syscalls.allow"),
            ("fail(call('syscall', KEYCTL, 0, -3, 0))", "keyctl", "syscalls.allow"),
            ("fail(call('syscall', BPF, 0, 0, 0))", "bpf", "syscalls.allow"),
            ("fail(call('syscall', PERF, 0, 0, -1, -1, 0))", "perf_event_open", "syscalls.allow"),
            ("fail(call('ioctl', 0, 0x5412, b'x'))", "ioctl TIOCSTI", "syscalls.allow"),
            (
                "fail(call('unshare', 0x10020000))",
                "unshare CLONE_NEWNS|CLONE_NEWUSER",
                "syscalls.allow",
            ),
            ("socket.socket(40, socket.SOCK_STREAM)", "socket AF_VSOCK", "network"),
            ("socket.socket(38, 5)", "socket AF_ALG", "network"),
        ] {
            let payload = payload(setup, text);
            let sandbox = &payload["sandbox"];
            let denied =
                sandbox["denied"].as_array().unwrap_or_else(|| panic!("{text}: {payload}"));
            let told: Vec<_> = denied
                .iter()
                .map(|it| [&it["what"], &it["target"], &it["rule"], &it["sure"]])
                .collect();
            assert_eq!(json!(told), json!([["syscall", target, rule, "syscall"]]), "{payload}");
            assert_eq!(sandbox["verdict"], "denied", "{payload}");
        }
    });
}

#[test]
fn a_call_that_was_refused_in_silence_is_no_reason_for_another_failure() {
    telling(|setup| {
        for (text, verdict) in [
            ("mount(); sys.exit(1)", "not"),
            ("mount(); print('1 of 3 tests failed', file=sys.stderr); sys.exit(1)", "not"),
            ("mount(); assert 'EPERM' == 'ok'", "not"),
            ("mount(); open('nowhere')", "not"),
            ("mount(); fail(13)", "unknown"),
            ("mount(); os.abort()", "unknown"),
            ("os.abort()", "not"),
        ] {
            let payload = payload(setup, text);
            assert_eq!(payload["sandbox"]["verdict"], verdict, "{text}: {payload}");
            assert_eq!(payload["sandbox"]["denied"], Value::Null, "{text}: {payload}");
        }
        let success = payload(setup, "mount()");
        assert_eq!(success["exit"], 0, "{success}");
        for key in ["verdict", "denied"] {
            assert_eq!(success["sandbox"][key], Value::Null, "{success}");
        }
    });
}

#[test]
fn a_launcher_that_is_not_told_knows_only_what_programs_say() {
    if !has_python() {
        return;
    }
    under(&[Launcher::Bubblewrap], &users(), |setup| {
        let payload = payload(setup, "fail(mount())");
        assert_eq!(payload["sandbox"]["verdict"], "unknown", "{payload}");
    });
}

#[test]
fn jobs_and_every_stage_of_a_pipeline_tell_what_they_were_refused() {
    telling(|setup| {
        let [python, script] = script(setup, "script.py", "fail(mount())");
        let stage = json!({ "command": python, "args": [script] });
        let mut client = setup.serve(json!({}));
        for pipeline in [
            json!([stage, { "command": "cat" }]),
            json!([{ "command": "echo" }, stage]),
            json!([{ "command": "echo" }, stage, { "command": "cat" }]),
        ] {
            let answer = client.run(json!({ "pipeline": pipeline }));
            let denied = &answer.ran()["sandbox"]["denied"][0];
            assert_eq!((&denied["target"], &denied["sure"]), (&json!("mount"), &json!("syscall")));
        }
        let job = client.call("sh_start", stage).ran()["job"].clone();
        let mut output = Value::Null;
        assert!(eventually(|| {
            output = client.call("sh_output", json!({ "job": job })).ran().clone();
            output["state"] != "running"
        }));
        assert_eq!(output["sandbox"]["denied"][0]["target"], "mount", "{output}");
        assert_eq!(output["sandbox"]["verdict"], "denied", "{output}");
    });
}

#[test]
fn why_names_the_refused_call_and_what_would_allow_it() {
    telling(|setup| {
        let launcher = setup.launcher.option();
        let why = |words: &[&str]| {
            let words = [&["why", "--launcher", &launcher], words].concat();
            finish(setup.cofferdam(words).spawn().unwrap())
        };
        let ran = why(&["--", "unshare", "-Ur", "true"]);
        ran.exited(1);
        for words in [
            "the sandbox refused 1",
            "syscall unshare: refused",
            "in a profile: syscalls.allow = [\"unshare\"]",
            "in a profile: syscalls.allow = [\"userns\"]",
        ] {
            assert!(ran.stdout.contains(words), "`{words}` is missing: {}", ran.stdout);
        }
        let told = why(&["--json", "--", "unshare", "-Ur", "true"]).exited(1).payload();
        let denied = &told["run"]["sandbox"]["denied"][0];
        assert_eq!(denied["target"], "unshare CLONE_NEWUSER", "{told}");
        assert_eq!(denied["sure"], "syscall", "{told}");
        let [python, silent] = script(setup, "script.py", "mount(); sys.exit(3)");
        let ran = why(&["--", &python, &silent]);
        ran.exited(3);
        assert!(ran.stdout.contains("nothing says that it mattered: mount\n"), "{}", ran.stdout);
    });
}
