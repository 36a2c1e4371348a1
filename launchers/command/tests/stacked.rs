//! A wrapper outside of another launcher.

use std::sync::Arc;

use cofferdam_command::{Command, Spec, Stacked};
use cofferdam_launcher::{Ended, Launch, LaunchError, Launcher, Plan, WrapperEnd};

fn wrapper(command: &[&str]) -> Command {
    let command = command.iter().map(|text| text.to_string()).collect();
    let spec = Spec { command, sandboxed: false };
    Command::new(spec, "/usr/bin:/bin".as_ref()).unwrap()
}

/// Stands for a sandbox that is a program: it claims, keeps a descriptor, and tells blame apart.
struct Inner;

impl Launcher for Inner {
    fn name(&self) -> &str {
        "inner"
    }

    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        let kept = std::fs::File::open("/dev/null").unwrap();
        Ok(Launch::wrapper("/usr/bin/env")
            .arg("INNER=1")
            .arg(plan.program())
            .args(plan.args())
            .keep(kept.into())
            .missing(Arc::new(["pty".to_owned()]))
            .sandboxed())
    }

    fn blame(&self, end: &WrapperEnd<'_>) -> Option<LaunchError> {
        (end.status.is_empty()).then(|| LaunchError::Failed("no record".to_owned()))
    }

    fn command_pid(&self, status: &[u8]) -> Option<u32> {
        std::str::from_utf8(status).ok()?.parse().ok()
    }

    fn missing(&self) -> &[String] {
        static MISSING: std::sync::LazyLock<[String; 1]> =
            std::sync::LazyLock::new(|| ["pty".to_owned()]);
        &*MISSING
    }
}

fn stacked(outer: &[&str]) -> Stacked {
    wrapper(outer).around(Arc::new(Inner))
}

#[test]
fn the_outer_wrapper_runs_what_the_inner_launcher_returned() {
    let stacked = stacked(&["nice", "-n", "5", "--", "{command}", "{args}"]);
    stacked.check().unwrap();
    let plan = Plan::new("printf", "/usr/bin/printf", "/").with_args(["%s|", "a b", "-n"]);
    let launch = stacked.wrap(&plan).unwrap();
    assert!(launch.program().ends_with("nice"));
    assert_eq!(
        launch.argv()[1..],
        ["-n", "5", "--", "/usr/bin/env", "INNER=1", "/usr/bin/printf", "%s|", "a b", "-n"]
    );
    let output =
        std::process::Command::new(launch.program()).args(&launch.argv()[1..]).output().unwrap();
    assert_eq!(output.stdout, b"a b|-n|");
}

#[test]
fn claim_descriptors_and_missing_rules_are_the_inner_ones() {
    let launch = stacked(&["env"]).wrap(&Plan::new("true", "/bin/true", "/")).unwrap();
    assert!(launch.is_sandboxed());
    assert_eq!(launch.kept().len(), 1);
    assert_eq!(**launch.missing_rules(), ["pty"]);
    assert_eq!(stacked(&["env"]).missing(), ["pty"]);
}

#[test]
fn blame_and_the_commands_process_are_the_inner_ones() {
    let stacked = stacked(&["env"]);
    assert_eq!(stacked.name(), "command:env/inner");
    let end = |status| WrapperEnd { ended: Ended::Exited(1), status, stderr: b"" };
    assert!(stacked.blame(&end(b"")).is_some());
    assert!(stacked.blame(&end(b"12")).is_none());
    assert_eq!(stacked.command_pid(b"12"), Some(12));
}

#[test]
fn an_explanation_shows_both() {
    let text = stacked(&["nice"]).explain(&Plan::new("true", "/bin/true", "/")).unwrap();
    assert!(text.contains("nice\"\n\"/usr/bin/env\"\n"), "{text}");
    assert!(text.contains("Inside of it, inner:\n\"/usr/bin/env\""), "{text}");
}

#[test]
fn an_error_of_the_inner_launcher_is_passed_on() {
    let refuses = |_: &Plan| -> Result<Launch, LaunchError> { Err("no room".into()) };
    let stacked = wrapper(&["env"]).around(Arc::new(refuses));
    stacked.check().unwrap();
    let error = stacked.wrap(&Plan::new("true", "/bin/true", "/")).unwrap_err();
    assert_eq!(error.to_string(), "no room");
}

/// Stands for a launcher that confines the child in place.
#[cfg(target_os = "linux")]
struct InPlace;

#[cfg(target_os = "linux")]
impl Launcher for InPlace {
    fn name(&self) -> &str {
        "in-place"
    }

    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        match cofferdam_landlock::ScopeStep::new()? {
            Some(step) => Ok(Launch::direct(plan).step(step).sandboxed()),
            None => Err("no scopes".into()),
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
#[expect(clippy::print_stdout, reason = "a test that does nothing says why")]
fn a_launcher_with_a_child_step_stands_alone() {
    let plan = Plan::new("true", "/bin/true", "/");
    if InPlace.wrap(&plan).is_err() {
        println!("ignored, because this kernel has no Landlock scopes to make a step of");
        return;
    }
    let stacked = wrapper(&["env"]).around(Arc::new(InPlace));
    let checked = stacked.check().unwrap_err();
    let wrapped = stacked.wrap(&plan).unwrap_err();
    for error in [checked, wrapped] {
        assert!(error.to_string().contains("`in-place`"), "{error}");
        assert!(error.remedy().unwrap().contains("by itself"), "{error}");
    }
}
