//! The command arrives as it was given, and its end comes back as it was.

use std::fs;

use cofferdam_launcher::{Ended, Launcher, Plan};
use cofferdam_profiles::Access;

use crate::support::{World, users};

#[test]
fn a_death_by_signal_is_a_death_by_signal() {
    for user in users() {
        let world = World::new(user);
        for signal in [1, 6, 9, 11, 15] {
            let ran = world.sh(&format!("kill -{signal} $$"));
            assert_eq!((ran.ended, &ran.blame), (Ended::Signaled(signal), &None), "{signal}");
        }
    }
}

#[test]
fn a_directory_that_vanishes_is_a_run_that_did_not_start() {
    for user in users() {
        let world = World::new(user);
        let sub = world.make("sub/", "");
        let plan = Plan::new("touch", "/usr/bin/touch", &sub).with_args(["../ran"]);
        let ran = world.changed_late(&plan, || fs::remove_dir(&sub).unwrap());
        let reason = ran.not_started();
        assert!(
            reason.contains("working directory") && reason.contains("workspace/sub"),
            "{reason}"
        );
        assert!(!world.workspace.join("ran").exists());
    }
}

#[test]
fn a_directory_that_is_swapped_is_a_run_that_did_not_start() {
    for user in users() {
        let world = World::new(user);
        let sub = world.make("sub/", "");
        let plan = Plan::new("touch", "/usr/bin/touch", &sub).with_args(["ran"]);
        let ran = world.changed_late(&plan, || {
            fs::rename(&sub, world.workspace.join("away")).unwrap();
            world.make("sub/", "");
        });
        assert!(ran.not_started().contains("workspace/sub"), "{ran:?}");
        assert!(!sub.join("ran").exists());
    }
}

#[test]
fn a_path_that_becomes_a_link_while_the_sandbox_is_built_stops_it() {
    for user in users() {
        let mut world = World::new(user);
        let granted = world.outside.join("granted");
        fs::create_dir(&granted).unwrap();
        world.allow(Access::Read, &granted);
        let plan = world.plan("ls", &[&granted]);
        let ran = world.changed_late(&plan, || {
            fs::rename(&granted, world.outside.join("away")).unwrap();
            std::os::unix::fs::symlink("/etc", &granted).unwrap();
        });
        let reason = ran.not_started();
        assert!(reason.contains("symbolic link") && reason.contains("granted"), "{reason}");
    }
}

#[test]
fn a_program_that_the_policy_does_not_show_is_named_with_the_rule() {
    for user in users() {
        let world = World::new(user);
        let program = world.outside.join("tool");
        fs::copy("/usr/bin/true", &program).unwrap();
        let ran = world.run(&Plan::new("tool", &program, &world.workspace));
        let text = ran.not_started();
        assert!(text.contains("`read` rule"), "{text}");
        assert!(text.contains(program.to_str().unwrap()), "{text}");
    }
}

#[test]
fn another_program_at_the_same_path_inside_is_not_taken_for_it() {
    for user in users() {
        let world = World::new(user);
        let program = std::path::Path::new("/tmp").join(format!("tool-{}", std::process::id()));
        fs::copy("/usr/bin/true", &program).unwrap();
        world.sh(&format!("cp /usr/bin/false {}", program.display())).succeeded();
        let plan =
            Plan::new("tool", &program, &world.workspace).with_scratch(world.scratch.clone());
        let ran = world.run(&plan);
        fs::remove_file(&program).unwrap();
        assert!(ran.not_started().contains("not visible inside"), "{ran:?}");
    }
}

#[test]
fn a_program_behind_links_needs_all_of_them_in_the_view() {
    for user in users() {
        let mut world = World::new(user);
        let store = world.outside.join("store");
        let profile = world.outside.join("profile");
        fs::create_dir(&store).unwrap();
        fs::create_dir(&profile).unwrap();
        fs::copy("/usr/bin/dash", store.join("sh"))
            .unwrap_or_else(|_| fs::copy("/bin/sh", store.join("sh")).unwrap());
        let script = format!("#!{}/sh\necho ran\n", store.display());
        fs::write(store.join("tool"), script).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(store.join("tool"), mode).unwrap();
        std::os::unix::fs::symlink(store.join("tool"), profile.join("tool")).unwrap();
        world.allow(Access::Read, &profile);
        let plan = Plan::new("tool", profile.join("tool"), &world.workspace);
        assert!(world.run(&plan).not_started().contains("profile/tool"));
        world.allow(Access::Read, store.join("tool"));
        // Now the script is there and its interpreter is not.
        let ran = world.run(&plan);
        assert!(ran.not_started().contains("interpreter"), "{ran:?}");
        world.allow(Access::Read, &store);
        assert_eq!(world.run(&plan).succeeded(), "ran\n");
    }
}

#[test]
fn an_explanation_shows_namespaces_mounts_and_stages() {
    for user in users() {
        let mut world = World::new(user);
        let secret = world.make("a/secret", "password");
        world.allow(Access::Deny, &secret);
        let text = world.launcher().explain(&world.plan("printf", &["a b"])).unwrap();
        let workspace = world.workspace.display();
        for part in [
            "argument   \"a b\"\n".to_owned(),
            "namespaces user, mount, ipc, uts, cgroup, pid, net\n".to_owned(),
            "mount      /usr  read\n".to_owned(),
            format!("mount      {workspace}  write\n"),
            format!("mount      {workspace}/a  keeps its name\n"),
            format!("mount      {workspace}/a/secret  hidden\n"),
            "mount      /proc  own processes\n".to_owned(),
            "set        no_new_privs\n".to_owned(),
        ] {
            assert!(text.contains(&part), "{part:?} is not in:\n{text}");
        }
    }
}
