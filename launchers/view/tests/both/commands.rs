//! The command arrives as it was given, and its end comes back as it was.

use std::fs;

use cofferdam_launcher::{Ended, Launcher, Plan};
use cofferdam_profiles::Access;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::support::{World, users};

#[test]
fn every_exit_code_passes() {
    for user in users() {
        let world = World::new(user);
        for code in [0, 1, 2, 3, 64, 65, 71, 124, 125, 126, 127, 128, 129, 137, 254, 255] {
            let ran = world.sh(&format!("exit {code}"));
            assert_eq!((ran.ended, &ran.blame), (Ended::Exited(code), &None), "{code}");
        }
    }
}

#[test]
fn arguments_that_look_like_options_are_arguments() {
    for user in users() {
        let world = World::new(user);
        let args = ["%s|", "--bind", "/", "/", "--", "-n", "", "a b", "--args", "3", "$x"];
        let ran = world.run(&world.plan("printf", &args));
        assert_eq!(ran.succeeded(), "--bind|/|/|--|-n||a b|--args|3|$x|");
    }
}

#[test]
fn a_command_that_is_named_like_an_option_is_a_command() {
    for user in users() {
        let world = World::new(user);
        let program = world.make("--version", "");
        fs::copy("/usr/bin/printf", &program).unwrap();
        let plan = Plan::new("--version", &program, &world.workspace).with_args(["--ok"]);
        assert_eq!(world.run(&plan).succeeded(), "--ok");
    }
}

#[test]
fn a_program_that_fails_is_not_a_sandbox_that_fails() {
    for user in users() {
        let world = World::new(user);
        let ran = world.sh("echo 'bwrap: execvp sh: No such file or directory' >&2; exit 1");
        ran.failed_with(1);
        world.sh("exec no-such-program").failed_with(127);
        world.run(&world.plan("ls", &["/no/such"])).failed_with(2);
    }
}

#[test]
fn the_directory_inside_is_the_one_of_the_run() {
    for user in users() {
        let world = World::new(user);
        let sub = world.make("sub/", "");
        let plan = Plan::new("pwd", "/usr/bin/pwd", &sub).with_args(["-P"]);
        assert_eq!(world.run(&plan).succeeded().trim_end(), sub.to_str().unwrap());
        let plan = Plan::new("pwd", "/usr/bin/pwd", &world.scratch.home)
            .with_scratch(world.scratch.clone());
        assert_eq!(world.run(&plan).succeeded().trim_end(), world.scratch.home.to_str().unwrap());
    }
}

#[test]
fn a_directory_outside_of_the_view_is_refused_by_name() {
    for user in users() {
        let world = World::new(user);
        let launcher = world.launcher();
        // The parent of the workspace exists inside, but only as a folder on the way.
        for dir in [
            world.outside.as_path(),
            world.workspace.parent().unwrap(),
            "/tmp".as_ref(),
            "/".as_ref(),
        ] {
            let plan = Plan::new("pwd", "/usr/bin/pwd", dir).with_scratch(world.scratch.clone());
            let error = launcher.wrap(&plan).unwrap_err().to_string();
            assert!(error.contains(&format!("`{}`", dir.display())), "{error}");
        }
    }
}

#[test]
fn the_root_is_a_directory_where_the_policy_shows_it() {
    for user in users() {
        let mut world = World::new(user);
        world.allow(Access::Read, "/");
        let plan = Plan::new("pwd", "/usr/bin/pwd", "/");
        assert_eq!(world.run(&plan).succeeded(), "/\n");
    }
}

#[test]
fn a_kill_of_the_commands_process_ends_all_of_the_run() {
    for user in users() {
        let world = World::new(user);
        let launcher = world.launcher();
        let plan = world.plan("sh", &["-c", "setsid -f sleep 1000; echo ready; sleep 1000"]);
        let mut live = world.start(&launcher, &plan);
        assert_eq!(live.next_line(), "ready\n");
        let pid = launcher.command_pid(&live.records_so_far()).unwrap();
        kill(Pid::from_raw(pid.try_into().unwrap()), Signal::SIGKILL).unwrap();
        live.finish(&launcher);
    }
}

#[test]
fn a_killed_wrapper_takes_everything_along_and_is_not_the_commands_end() {
    for user in users() {
        let mut world = World::new(user);
        let secret = world.make("a/secret", "password");
        world.allow(Access::Deny, &secret);
        world.allow(Access::Protect, world.workspace.join(".git/hooks"));
        let before = world.listing();
        let launcher = world.launcher();
        let script = "setsid sleep 1000 & setsid -f sleep 1000; echo ready; sleep 1000";
        let mut live = world.start(&launcher, &world.plan("sh", &["-c", script]));
        assert_eq!(live.next_line(), "ready\n");
        kill(live.process, Signal::SIGKILL).unwrap();
        // This ends only when the last process that holds the output has ended.
        let ran = live.finish(&launcher);
        assert_eq!(ran.ended, Ended::Signaled(9));
        assert!(ran.not_started().contains("may have run"), "{ran:?}");
        assert_eq!(world.listing(), before);
    }
}
