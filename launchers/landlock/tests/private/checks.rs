//! What the launcher says before the first run.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use cofferdam_launcher::Launcher;
use serde_json::json;

use crate::support::{User, World, say, users};

#[test]
fn a_folder_that_this_user_may_not_pass_is_named_by_the_check() {
    if !users().contains(&User::Nobody) {
        say("ignored, because it takes root to make another user's folder");
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
    assert!(error.to_string().contains("other users"), "{error}");
}

#[test]
fn a_limit_that_root_escapes_is_refused_for_root_only() {
    if users().is_empty() {
        return;
    }
    let mut world = World::new(User::Own);
    world.set("limits.processes", json!(4000));
    let launcher = world.launcher();
    match nix::unistd::getuid().is_root() {
        true => assert!(launcher.check().unwrap_err().to_string().contains("processes")),
        false => launcher.check().unwrap(),
    }
}

#[test]
fn the_host_stays_dumpable_and_as_it_was() {
    let settings = || -> Vec<String> {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let wanted = ["Cap", "NoNewPrivs", "Seccomp"];
        let lines = status.lines().filter(|line| wanted.iter().any(|word| line.starts_with(word)));
        lines.map(str::to_owned).collect()
    };
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap();
    for user in users() {
        let before = (settings(), mounts());
        let world = World::new(user);
        world.launcher().check().unwrap();
        world.sh("true").succeeded();
        assert_eq!((settings(), mounts()), before);
        assert!(nix::sys::prctl::get_dumpable().unwrap());
    }
}
