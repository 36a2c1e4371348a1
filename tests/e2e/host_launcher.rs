//! Launchers that a host brings along.

use cofferdam::{Exit, Outcome, Request, Runner, SettingsError};
use cofferdam_launcher::{Ended, Launch, LaunchError, Launcher, Plan, WrapperEnd};

use crate::support::{Place, Setup, Sleep};

/// A runner that asks a host's own launcher.
fn wrapped(place: &Place, launcher: impl Launcher + 'static) -> Runner {
    Runner::builder().allow_any().workspace(place.path("work")).launcher(launcher).build().unwrap()
}

/// Something that would leave a trace if it ran.
fn canary() -> Request {
    Request::new("touch").arg("ran")
}

/// Asserts that nothing ran, and gives the reason.
#[track_caller]
fn not_started(place: &Place, outcome: &Outcome) -> String {
    assert_eq!(outcome.exit, Exit::NotStarted, "{outcome:?}");
    assert!(outcome.sandbox.is_none(), "{outcome:?}");
    assert!(!place.has("work/ran"), "the command ran");
    let payload = outcome.payload();
    assert_eq!(payload.exit, Some(-1));
    payload.stderr
}

#[test]
fn a_function_is_a_launcher_and_its_claim_is_reported() {
    let setup = Setup::plain();
    let transparent = |plan: &Plan| -> Result<Launch, LaunchError> {
        let launch = Launch::wrapper("/usr/bin/env").arg("WRAPPED=yes").arg(plan.program());
        Ok(launch.args(plan.args()).sandboxed())
    };
    let script = "printf '%s|' \"$WRAPPED\" \"$@\"";
    let request = Request::new("sh").args(["-c", script, "sh", "a b", "$x", ""]);
    let outcome = wrapped(&setup.place, transparent).run_blocking(request).unwrap();
    assert_eq!(outcome.stdout_bytes(), b"yes|a b|$x||");
    let payload = serde_json::to_value(outcome.payload()).unwrap();
    assert_eq!(payload["sandbox"], serde_json::json!({ "active": true }));

    let silent = |plan: &Plan| -> Result<Launch, LaunchError> { Ok(Launch::direct(plan)) };
    let outcome = wrapped(&setup.place, silent).run_blocking(Request::new("true")).unwrap();
    assert!(outcome.sandbox.is_none(), "{outcome:?}");
}

#[test]
fn a_launcher_that_panics_is_a_run_that_did_not_start() {
    let setup = Setup::plain();
    let panics = |_: &Plan| -> Result<Launch, LaunchError> { panic!("on the moon") };
    let runner = wrapped(&setup.place, panics);
    let outcome = runner.run_blocking(canary()).unwrap();
    assert!(not_started(&setup.place, &outcome).contains("on the moon"));
    // The thread that asked it is not lost.
    not_started(&setup.place, &runner.run_blocking(canary()).unwrap());
}

#[test]
fn a_launcher_that_returns_an_error_is_a_run_that_did_not_start() {
    let setup = Setup::plain();
    let fails = |_: &Plan| -> Result<Launch, LaunchError> {
        Err(LaunchError::unsupported("no moon tonight", "wait a week"))
    };
    let outcome = wrapped(&setup.place, fails).run_blocking(canary()).unwrap();
    let reason = not_started(&setup.place, &outcome);
    assert!(reason.contains("no moon tonight") && reason.contains("wait a week"), "{reason}");
}

#[test]
fn a_launcher_has_the_usual_room_on_its_stack() {
    let setup = Setup::plain();
    let roomy = |plan: &Plan| -> Result<Launch, LaunchError> {
        let room = std::hint::black_box([1_u8; 512 << 10]);
        assert_eq!(room.iter().map(|byte| usize::from(*byte)).sum::<usize>(), room.len());
        Ok(Launch::direct(plan).sandboxed())
    };
    let outcome = wrapped(&setup.place, roomy).run_blocking(Request::new("true")).unwrap();
    assert_eq!(outcome.exit.number(), Some(0), "{outcome:?}");
}

#[test]
fn a_launch_that_cannot_be_spawned_is_a_run_that_did_not_start() {
    type Shape = fn() -> Launch;
    let shapes: [(&str, Shape); 6] = [
        ("an empty program", || Launch::wrapper("")),
        ("a relative program", || Launch::wrapper("bin/env")),
        ("a NUL in the program", || Launch::wrapper("/usr/bin/e\0nv")),
        ("a NUL in an argument", || Launch::wrapper("/usr/bin/env").arg("a\0b")),
        ("a program that is missing", || Launch::wrapper("/usr/bin/no-such-wrapper")),
        ("a program that is a directory", || Launch::wrapper("/usr")),
    ];
    for (name, shape) in shapes {
        let setup = Setup::plain();
        let launcher = move |plan: &Plan| -> Result<Launch, LaunchError> {
            Ok(shape().arg(plan.program()).args(plan.args()).sandboxed())
        };
        let outcome = wrapped(&setup.place, launcher).run_blocking(canary()).unwrap();
        let reason = not_started(&setup.place, &outcome);
        assert!(!reason.trim().is_empty(), "{name}: no reason");
    }
}

#[test]
fn a_launcher_that_does_not_work_here_is_refused_when_the_runner_is_built() {
    struct Broken;
    impl Launcher for Broken {
        fn check(&self) -> Result<(), LaunchError> {
            Err(LaunchError::unsupported("there is no air", "bring some"))
        }
        fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
            Ok(Launch::direct(plan))
        }
    }
    let refused = Runner::builder().allow_any().launcher(Broken).build();
    assert!(matches!(refused, Err(SettingsError::Launcher { .. })), "{refused:?}");
}

/// Wraps nothing, but fails for the program `broken` as wrappers do that tell it by how they end.
struct Fragile;

impl Launcher for Fragile {
    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        Ok(match plan.args().first().is_some_and(|arg| arg == "broken") {
            true => Launch::wrapper("/bin/sh").args(["-c", "exit 99"]).sandboxed(),
            false => Launch::direct(plan).sandboxed(),
        })
    }

    fn blame(&self, end: &WrapperEnd<'_>) -> Option<LaunchError> {
        (end.ended == Ended::Exited(99)).then(|| LaunchError::unsupported("it broke", "mend it"))
    }
}

#[test]
fn a_wrapper_that_fails_in_one_stage_ends_the_others_and_is_named() {
    let setup = Setup::plain();
    let runner = wrapped(&setup.place, Fragile);
    for number in 1..=3 {
        let sleep = Sleep::new(3600);
        let word = |stage| if stage == number { "broken" } else { sleep.seconds() };
        let request = Request::new("sleep").arg(word(1));
        let request = request.pipe("sleep").arg(word(2)).pipe("sleep").arg(word(3));
        let outcome = runner.run_blocking(request).unwrap();
        let reason = not_started(&setup.place, &outcome);
        let start = format!("stage {number} of 3: the launcher `custom` ended before");
        assert!(reason.starts_with(&start) && reason.contains("it broke"), "{reason}");
        assert!(reason.contains("mend it") && outcome.stages.is_empty(), "{outcome:?}");
        assert!(!outcome.killed, "nobody asked for that: {outcome:?}");
        sleep.await_gone();
    }
}

#[test]
fn a_pipeline_is_sandboxed_only_where_every_stage_is() {
    let setup = Setup::plain();
    let some = |plan: &Plan| -> Result<Launch, LaunchError> {
        let launch = Launch::direct(plan);
        Ok(if plan.command() == "true" { launch } else { launch.sandboxed() })
    };
    let runner = wrapped(&setup.place, some);
    let sandbox = |request| runner.run_blocking(request).unwrap().sandbox;
    assert!(sandbox(Request::new("echo").pipe("cat")).is_some());
    assert!(sandbox(Request::new("true").pipe("cat")).is_none());
    assert!(sandbox(Request::new("echo").pipe("cat").pipe("true")).is_none());
}

#[test]
fn a_launcher_that_fails_for_one_stage_starts_none() {
    let setup = Setup::plain();
    let fails = |plan: &Plan| -> Result<Launch, LaunchError> {
        match plan.command() == "cat" {
            true => Err(LaunchError::unsupported("no cats", "get a dog")),
            false => Ok(Launch::direct(plan)),
        }
    };
    let request = canary().pipe("touch").arg("ran").pipe("cat");
    let outcome = wrapped(&setup.place, fails).run_blocking(request).unwrap();
    let reason = not_started(&setup.place, &outcome);
    assert!(reason.starts_with("stage 3 of 3: the sandbox could not be built"), "{reason}");
}
