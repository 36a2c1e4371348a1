//! A program that is asked about every command.

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use cofferdam::{Proposal, Refusal, Request, Runner};
use serde_json::{Value, json};

use crate::support::{
    Client, Era, LIMIT, Place, Setup, Sleep, User, confined, everywhere, refuses_to_start, touch,
};

/// A server whose validator is this shell script.
fn validated(setup: &Setup, script: &str) -> Client {
    Client::start(setup.serve_command(settings(setup, script, 20.0)), Era::Legacy)
}

fn settings(setup: &Setup, script: &str, timeout: f64) -> Value {
    let program = setup.place.script("validator/ask", &format!("#!/bin/sh\n{script}\n"));
    json!({ "validator": { "command": [program], "timeout": timeout } })
}

#[test]
fn what_a_validator_allows_runs_and_what_it_refuses_does_not() {
    everywhere(|setup| {
        let script = "if grep -q '\"--force\"'; then echo 'needs a person'; echo more; exit 1; fi";
        let mut client = validated(setup, script);
        client.run(json!({ "command": "echo", "args": ["hi"] })).printed("hi\n");
        for tool in ["sh_run", "sh_start"] {
            let answer =
                client.call(tool, json!({ "command": "touch", "args": ["--force", "ran"] }));
            answer.refused(&["validator", "needs a person"]);
            assert!(!answer.text.contains("more"), "{answer:?}");
        }
        assert!(!setup.place.has("work/ran"));
    });
}

#[test]
fn a_validator_sees_the_plan_as_it_would_be_run() {
    confined(|setup| {
        let plan = setup.place.folder("validator").join("plan");
        let mut client = validated(setup, &format!("cat > {}", plan.display()));
        setup.place.folder("work/sub");
        client
            .run(json!({ "command": "sh", "args": ["-c", "exit 4", "\u{1b}"], "cwd": "sub" }))
            .exited(4);
        let plan: Value = serde_json::from_str(&setup.place.read("validator/plan")).unwrap();
        assert!(
            plan["program"].as_str().is_some_and(|program| program.ends_with("/bin/sh")),
            "{plan}"
        );
        let mut rest = plan.clone();
        rest.as_object_mut().unwrap().remove("program");
        let expected = json!({
            "command": "sh", "args": ["-c", "exit 4", "\u{1b}"], "directory": setup.place.path("work/sub"),
            "launcher": setup.launcher.name(), "profile": "workspace", "instance": "Shell",
            "tool": "sh_run",
        });
        assert_eq!(rest, expected);
    });
}

#[test]
fn a_validator_that_fails_has_refused() {
    for (script, words) in [
        ("kill -SEGV $$", &["signal 11"][..]),
        ("exit 1", &["no reason", "exit is 1"]),
        ("exit 127", &["no reason", "exit is 127"]),
        ("head -c 10000000 /dev/zero | tr '\\0' x", &["printed more than a reason"]),
        ("head -c 10000000 /dev/zero | tr '\\0' x; exit 1", &["printed more than a reason"]),
        ("exec <&-; echo no; exit 1", &["no"]),
    ] {
        let setup = Setup::plain();
        let mut client = validated(&setup, script);
        client.run(touch()).refused(words);
        assert!(!setup.place.has("work/ran"), "{script}");
        client.is_alive();
    }
}

#[test]
fn a_validator_that_hangs_has_refused_and_is_gone_with_all_it_started() {
    let setup = Setup::plain();
    let sleep = Sleep::new(753);
    let script = format!("sleep {0} & sleep {0}", sleep.seconds());
    let settings = settings(&setup, &script, 0.5);
    let mut client = Client::start(setup.serve_command(settings), Era::Legacy);
    client.run(touch()).refused(&["did not answer in time"]);
    sleep.await_gone();
    assert!(!setup.place.has("work/ran"));
}

#[test]
fn a_run_that_is_out_of_time_while_it_is_judged_does_not_begin() {
    let setup = Setup::plain();
    let sleep = Sleep::new(754);
    let mut client = validated(&setup, &format!("sleep {}", sleep.seconds()));
    let mut arguments = touch();
    arguments["timeout"] = json!(0.3);
    let answer = client.run(arguments);
    assert_eq!(answer.exited(-1)["timed-out"], true);
    // The validator is not waited for either.
    sleep.await_gone();
    client.is_alive();
    assert!(!setup.place.has("work/ran"));
}

#[test]
fn a_validator_that_cannot_be_used_stops_the_start() {
    let setup = Setup::plain();
    let serve = |validator: Value| setup.serve_command(json!({ "validator": validator }));
    refuses_to_start(serve(json!(["nosuchvalidator"])), &["nosuchvalidator", "PATH"]);
    let plain = setup.place.file("validator/plain", "");
    refuses_to_start(serve(json!([plain])), &["validator/plain"]);
    refuses_to_start(serve(json!("ask")), &["validator", "a list of a program"]);
}

#[test]
fn a_validator_goes_away_and_nothing_runs_any_more() {
    let setup = Setup::plain();
    let mut client = validated(&setup, "exit 0");
    client.run(json!({ "command": "true" })).exited(0);
    std::fs::remove_file(setup.place.path("validator/ask")).unwrap();
    client.run(touch()).refused(&["cannot be started", "o such file"]);
    assert!(!setup.place.has("work/ran"));
}

#[test]
fn no_run_may_write_its_validator() {
    confined(|setup| {
        let program = setup.place.script("work/ask", "#!/bin/sh\n");
        let refused = ["workspace", "holds Cofferdam's own", "ask"];
        refuses_to_start(setup.serve_command(json!({ "validator": [program] })), &refused);
        // Nor the script that an interpreter is given, nor a link to either.
        refuses_to_start(setup.serve_command(json!({ "validator": ["sh", program] })), &refused);
        let link = setup.place.path("work/link-to-ask");
        std::os::unix::fs::symlink(setup.place.script("outside/ask", "#!/bin/sh\n"), &link)
            .unwrap();
        for words in [&[&link][..], &[&PathBuf::from("sh"), &link]] {
            refuses_to_start(setup.serve_command(json!({ "validator": words })), &refused);
        }
    });
}

#[test]
fn a_function_of_the_host_is_a_validator() {
    let place = Place::new(User::Own);
    let runner = Runner::builder()
        .allow_any()
        .workspace(place.path("work"))
        .instance("mine")
        .validator(|asked: &Proposal<'_>| {
            match asked.instance == Some("mine") && asked.args.is_empty() {
                true => Ok(()),
                false => Err("no arguments, please".to_owned()),
            }
        })
        .timeout(Duration::from_secs(20))
        .build()
        .unwrap();
    assert_eq!(runner.run_blocking(Request::new("true")).unwrap().exit.number(), Some(0));
    let refused = runner.run_blocking(Request::new("true").arg("x")).unwrap_err();
    assert!(matches!(&refused, Refusal::Vetoed { reason } if reason == "no arguments, please"));
}

/// Where validators hang until somebody lets them go.
#[derive(Default)]
struct Barrier {
    is_open: Mutex<bool>,
    opened: Condvar,
    asked: AtomicUsize,
}

impl Barrier {
    fn wait(&self) {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let is_open = self.is_open.lock().unwrap();
        drop(self.opened.wait_while(is_open, |is_open| !*is_open).unwrap());
    }

    fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

#[test]
fn validators_that_hang_hold_up_no_run_of_another_instance() {
    // More than there are threads that spawn.
    const HANGING: usize = 300;
    let place = Place::new(User::Own);
    let builder = || Runner::builder().allow_any().workspace(place.path("work"));
    let barrier = Arc::new(Barrier::default());
    let held = barrier.clone();
    let hangs = move |_: &Proposal<'_>| {
        held.wait();
        Ok(())
    };
    let hanging = builder().validator(hangs).build().unwrap();
    let other = builder().validator(|_: &Proposal<'_>| Ok(())).build().unwrap();
    let plain = builder().build().unwrap();
    let event_loop = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    event_loop.block_on(async {
        let run = |runner: &Runner| {
            let runner = runner.clone();
            tokio::spawn(async move { runner.run(Request::new("true")).await.unwrap().exit })
        };
        let hung: Vec<_> = (0..HANGING).map(|_| run(&hanging)).collect();
        tokio::task::yield_now().await;
        for runner in [&other, &plain] {
            let exit = tokio::time::timeout(LIMIT, run(runner)).await.expect("held up").unwrap();
            assert_eq!(exit.number(), Some(0));
        }
        barrier.open();
        for one in hung {
            assert_eq!(one.await.unwrap().number(), Some(0));
        }
    });
    assert_eq!(barrier.asked.load(Ordering::SeqCst), HANGING);
}

#[test]
fn a_validator_has_as_much_stack_as_any_thread() {
    fn deep() -> u8 {
        let room = [1; 1024 * 1024];
        black_box(&room)[4711]
    }
    let place = Place::new(User::Own);
    let builder = Runner::builder().allow_any().workspace(place.path("work"));
    let runner = builder.validator(|_: &Proposal<'_>| match deep() {
        1 => Ok(()),
        _ => Err("no room".to_owned()),
    });
    let outcome = runner.build().unwrap().run_blocking(Request::new("true")).unwrap();
    assert_eq!(outcome.exit.number(), Some(0));
}

#[test]
fn a_blocking_run_that_is_out_of_time_does_not_wait_for_its_validator() {
    let place = Place::new(User::Own);
    let barrier = Arc::new(Barrier::default());
    let held = barrier.clone();
    let builder = Runner::builder().allow_any().workspace(place.path("work"));
    let builder = builder.timeout(Duration::from_millis(200)).validator(move |_: &Proposal<'_>| {
        held.wait();
        Ok(())
    });
    let outcome = builder.build().unwrap().run_blocking(Request::new("touch").arg("ran")).unwrap();
    assert!(outcome.timed_out && outcome.exit.number() == Some(-1), "{outcome:?}");
    barrier.open();
    assert!(!place.has("work/ran"));
}
