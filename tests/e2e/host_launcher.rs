//! Launchers that a host brings along.

use cofferdam::{Exit, Outcome, Request, Runner, SettingsError};
use cofferdam_launcher::{Launch, LaunchError, Launcher, Plan};

use crate::support::{Place, Setup};

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
