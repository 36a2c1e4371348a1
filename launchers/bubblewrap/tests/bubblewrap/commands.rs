//! The command arrives as it was given, and its end comes back as it was.

use std::fs;

use cofferdam_launcher::{Launch, Launcher, Plan};
use cofferdam_profiles::Access;

use crate::support::{World, users};

#[test]
fn a_death_by_signal_is_128_and_the_signal() {
    for user in users() {
        let world = World::new(user);
        for signal in [1, 6, 9, 11, 15] {
            world.sh(&format!("kill -{signal} $$")).failed_with(128 + signal);
        }
    }
}

/// What happens when `change` is done after the launch was made and before it is spawned.
fn changed_late(world: &World, plan: &Plan, change: impl FnOnce()) -> crate::support::Ran {
    let launcher = world.launcher();
    let launch: Launch = launcher.wrap(plan).unwrap();
    change();
    world.spawn(&launcher, launch)
}

#[test]
fn a_directory_that_vanishes_is_a_run_that_did_not_start() {
    for user in users() {
        let world = World::new(user);
        let sub = world.make("sub/", "");
        let plan = Plan::new("touch", "/usr/bin/touch", &sub).with_args(["../ran"]);
        let ran = changed_late(&world, &plan, || fs::remove_dir(&sub).unwrap());
        let reason = ran.not_started();
        assert!(
            reason.contains("working directory") && reason.contains("workspace/sub"),
            "{reason}"
        );
        assert!(!world.workspace.join("ran").exists());
        let error = world.launcher().wrap(&plan).unwrap_err().to_string();
        assert!(error.contains("not there any more"), "{error}");
    }
}

#[test]
fn a_path_that_is_swapped_while_the_sandbox_is_built_stops_it() {
    for user in users() {
        let mut world = World::new(user);
        let granted = world.outside.join("granted");
        fs::create_dir(&granted).unwrap();
        world.allow(Access::Read, &granted);
        let plan = world.plan("ls", &[&granted]);
        let ran = changed_late(&world, &plan, || {
            fs::rename(&granted, world.outside.join("away")).unwrap();
            fs::create_dir(&granted).unwrap();
            fs::write(granted.join("planted"), "").unwrap();
        });
        assert!(!ran.stdout.contains("planted"), "{ran:?}");
    }
}

#[test]
fn a_program_that_the_policy_does_not_show_is_named_with_the_rule() {
    for user in users() {
        let world = World::new(user);
        let program = world.outside.join("tool");
        fs::copy("/usr/bin/true", &program).unwrap();
        let error =
            world.launcher().wrap(&Plan::new("tool", &program, &world.workspace)).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("`tool`") && text.contains("`read` rule"), "{text}");
        assert!(text.contains(program.to_str().unwrap()), "{text}");
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
        assert!(world.launcher().wrap(&plan).is_err());
        world.allow(Access::Read, store.join("tool"));
        // Now the script is there and its interpreter is not.
        let ran = world.run(&plan);
        assert!(ran.not_started().contains("interpreter"), "{ran:?}");
        world.allow(Access::Read, &store);
        assert_eq!(world.run(&plan).succeeded(), "ran\n");
    }
}

#[test]
fn an_explanation_shows_every_option_and_what_the_descriptors_are() {
    for user in users() {
        let world = World::new(user);
        let text = world.launcher().explain(&world.plan("printf", &["a b"])).unwrap();
        for part in [
            "--unshare-user \\\n",
            "--cap-drop ALL \\\n",
            "-- /usr/bin/printf 'a b'\n",
            "System calls: ",
        ] {
            assert!(text.contains(part), "{part:?} is not in:\n{text}");
        }
        assert!(text.contains(&format!("  {}\n", world.workspace.display())), "{text}");
    }
}
