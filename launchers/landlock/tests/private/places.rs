//! Places that do not permit all namespaces, or none: what is missing is said, and nothing runs
//! unconfined.

use std::os::unix::process::CommandExt;
use std::process::Command;

use cofferdam_launcher::Launcher;
use serde_json::json;

use crate::support::{User, World, say};

/// What Landlock alone leaves open.
const OPEN: [&str; 5] = ["ipc", "loopback", "metadata", "processes", "pty"];

/// A world whose policy can do without namespaces, with a secret outside.
fn world() -> World {
    let mut world = World::new(User::Own);
    world.set("best-effort", json!(OPEN));
    std::fs::write(world.outside.join("secret"), "password").unwrap();
    world
}

/// Not a test by itself: says what is missing here, and tries to read what is outside.
#[test]
fn reports_from_a_place() {
    if std::env::var_os("TEST_PLACE").is_none() {
        return;
    }
    let world = world();
    let launcher = world.launcher();
    launcher.check().unwrap();
    let secret = world.outside.join("secret");
    let script = format!("echo inside; cat {}; touch {0}-made", secret.display());
    let plan = world.plan("sh", &["-c", &script]);
    say(&format!("missing {:?}", launcher.missing()));
    let launch = launcher.wrap(&plan).unwrap();
    assert!(launch.is_sandboxed());
    assert_eq!(**launch.missing_rules(), *launcher.missing());
    let Some(step) = launch.child_step() else {
        let ran = world.run(&plan);
        say(&ran.failed().stdout);
        say(&ran.stderr);
        return;
    };
    step.apply().unwrap();
    panic!("{}", Command::new(launch.program()).args(&launch.argv()[1..]).exec());
}

/// What is said in a place that `preparation` makes; `None` where it cannot be made.
fn told(preparation: &str) -> Option<String> {
    let program = std::env::current_exe().unwrap();
    let script = format!(
        "{preparation} || exit 77; exec {} --exact places::reports_from_a_place --nocapture",
        program.display()
    );
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .env("TEST_PLACE", "1")
        .output();
    let output = output.ok().filter(|output| output.status.code() != Some(77))?;
    let text = [output.stdout, output.stderr].concat();
    Some(String::from_utf8_lossy(&text).into_owned())
}

#[track_caller]
fn is_confined(text: &str) {
    assert!(text.contains("inside\n"), "{text}");
    assert!(!text.contains("password"), "{text}");
    assert!(text.contains("secret: "), "{text}");
}

#[test]
fn without_user_namespaces_landlock_alone_confines_and_says_what_is_missing() {
    let Some(text) = told("echo 0 > /proc/sys/user/max_user_namespaces") else {
        say("ignored, because this system permits no user namespaces to begin with");
        return;
    };
    assert!(text.contains(&format!("missing {OPEN:?}")), "{text}");
    is_confined(&text);
}

#[test]
fn where_proc_is_masked_only_the_processes_are_missing() {
    let Some(text) = told("mount --bind /dev/null /proc/version") else {
        say("ignored, because this system permits no user namespaces");
        return;
    };
    assert!(text.contains("missing [\"processes\"]"), "{text}");
    is_confined(&text);
}

#[test]
fn where_nothing_is_taken_away_nothing_is_missing() {
    let Some(text) = told("true") else {
        say("ignored, because this system permits no user namespaces");
        return;
    };
    assert!(text.contains("missing []"), "{text}");
    is_confined(&text);
}
