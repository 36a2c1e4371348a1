//! A bubblewrap that cannot work is found out at the start, and is never taken for the command.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use cofferdam_bubblewrap::{Bubblewrap, Options};
use cofferdam_launcher::{LaunchError, Launcher};
use cofferdam_profiles::Access;
use serde_json::json;

use crate::support::{User, World, users};

/// A program that stands in for bubblewrap.
fn stand_in(world: &World, script: &str) -> PathBuf {
    let path = world.outside.join("bwrap");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn build(world: &World, program: PathBuf) -> Result<Bubblewrap, LaunchError> {
    let options = Options { program: Some(program) };
    Bubblewrap::new(options, Arc::new(world.policy()), "/usr/bin".as_ref())
}

const VERSION: &str = "[ \"$1\" = --version ] && { echo bubblewrap 0.8.0; exit 0; }\n";

#[test]
fn the_real_one_passes_its_check() {
    for user in users() {
        let mut world = World::new(user);
        world.launcher().check().unwrap();
        world.allow(Access::Read, "/");
        world.launcher().check().unwrap();
    }
}

#[test]
fn refused_namespaces_fail_the_check_and_the_run() {
    let world = World::new(User::Own);
    let refuse = "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1";
    let program = stand_in(&world, &format!("{VERSION}{refuse}"));
    let launcher = build(&world, program).unwrap();
    let error = launcher.check().unwrap_err();
    assert!(matches!(error, LaunchError::Unsupported { .. }), "{error:?}");
    assert!(error.to_string().contains("setting up uid map: Permission denied"), "{error}");
    assert!(error.remedy().unwrap().contains("namespaces"), "{error:?}");
    let launch = launcher.wrap(&world.plan("touch", &["ran"])).unwrap();
    let ran = world.spawn(&launcher, launch);
    let reason = ran.not_started();
    assert!(reason.contains("the sandbox could not be set up"), "{reason}");
    assert!(reason.contains("bwrap: setting up uid map: Permission denied"), "{reason}");
    assert!(!world.workspace.join("ran").exists());
}

#[test]
fn one_that_says_nothing_or_pretends_success_is_not_taken_for_the_command() {
    let world = World::new(User::Own);
    for (script, part) in [("exit 0", "exited with 0"), ("kill -9 $$", "signal 9")] {
        let launcher = build(&world, stand_in(&world, &format!("{VERSION}{script}"))).unwrap();
        assert!(launcher.check().is_err(), "{script}");
        let launch = launcher.wrap(&world.plan("true", &[""; 0])).unwrap();
        let ran = world.spawn(&launcher, launch);
        assert!(ran.not_started().contains(part), "{ran:?}");
    }
}

#[test]
fn an_old_or_unknown_version_is_refused() {
    let world = World::new(User::Own);
    for (script, part) in [
        ("echo bubblewrap 0.4.1", "bubblewrap 0.4, which is too old"),
        ("echo rubbish", "said `rubbish`"),
        ("exit 1", "said `nothing`"),
    ] {
        let error = build(&world, stand_in(&world, script)).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.remedy().is_some());
    }
}

#[test]
fn one_that_is_missing_is_named_with_the_remedy() {
    let world = World::new(User::Own);
    let error = build(&world, world.outside.join("none")).unwrap_err();
    assert!(matches!(error, LaunchError::WrapperMissing { .. }), "{error:?}");
    assert!(error.remedy().unwrap().contains("install the package `bubblewrap`"));
}

#[test]
fn one_in_the_workspace_is_refused() {
    for user in users() {
        let world = World::new(user);
        let program = world.make("bwrap", "");
        fs::copy("/usr/bin/bwrap", &program).unwrap();
        std::os::unix::fs::chown(&program, Some(0), None).ok();
        let error = build(&world, program).unwrap_err();
        assert!(error.to_string().contains("lets a run write"), "{error}");
    }
}

#[test]
fn a_rule_that_cannot_be_enforced_is_named_or_missing() {
    for user in users() {
        let mut world = World::new(user);
        world.set("limits.processes", json!(64));
        let launcher = world.launcher();
        if !nix::unistd::geteuid().is_root() {
            launcher.check().unwrap();
            continue;
        }
        // The launcher is this process's, whoever its runs are.
        let error = launcher.check().unwrap_err();
        assert!(error.to_string().contains("`limits.processes`"), "{error}");
        assert!(launcher.wrap(&world.plan("true", &[""; 0])).is_err());
        world.set("best-effort", json!(["limits"]));
        let launcher = world.launcher();
        launcher.check().unwrap();
        assert_eq!(launcher.missing(), ["limits"]);
        let launch = launcher.wrap(&world.plan("true", &[""; 0])).unwrap();
        assert_eq!(**launch.missing_rules(), ["limits"]);
    }
}

#[test]
fn one_that_knows_no_descriptors_is_given_paths() {
    for user in users() {
        let mut world = World::new(user);
        let secret = world.make("a/secret", "password");
        world.allow(Access::Deny, &secret);
        let real = r#"[ "$1" = --help ] || exec /usr/bin/bwrap "$@""#;
        let launcher = build(&world, stand_in(&world, real)).unwrap();
        launcher.check().unwrap();
        let text = launcher.explain(&world.plan("true", &[""; 0])).unwrap();
        assert!(text.contains("--ro-bind /usr /usr") && !text.contains("bind-fd"), "{text}");
        let plan = world.plan("sh", &["-c", "touch made; cat a/secret"]);
        let launch = launcher.wrap(&plan).unwrap();
        world.spawn(&launcher, launch).failed_with(1);
        assert!(world.workspace.join("made").exists());
    }
}

#[test]
fn a_folder_that_this_user_may_not_pass_is_named_by_the_check() {
    if !users().contains(&User::Nobody) {
        crate::support::say("ignored, because it takes root to make another user's folder");
        return;
    }
    // Root inside a user namespace has no rights over the files of other users.
    let mut world = World::new(User::Nobody);
    let closed = world.make("closed/folder/", "");
    let mode = fs::Permissions::from_mode(0o700);
    fs::set_permissions(closed.parent().unwrap(), mode).unwrap();
    world.set("filesystem.write", json!([closed]));
    let error = world.launcher().check().unwrap_err();
    assert!(error.to_string().contains(closed.to_str().unwrap()), "{error}");
    assert!(error.remedy().unwrap().contains("other users"), "{error:?}");
}
