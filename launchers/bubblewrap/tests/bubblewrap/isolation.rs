//! What a run must not reach: processes, sockets, the kernel's switches, the host's environment.

use std::fs;

use cofferdam_launcher::Launcher;
use serde_json::json;

use crate::support::{World, users};

#[test]
fn nothing_of_the_policy_is_on_a_command_line() {
    for user in users() {
        let world = World::new(user);
        let launch = world.launcher().wrap(&world.plan("true", &["x"])).unwrap();
        let argv: Vec<_> = launch.argv().iter().map(|arg| arg.to_str().unwrap()).collect();
        // Before it a program of ours and bubblewrap, each with the number of a descriptor.
        assert_eq!((argv[1], argv[5], argv[7]), ("shield", "--args", "--"));
        assert_eq!(argv[10..], ["/usr/bin/true", "true", "x"]);
        assert!(argv[9].parse::<u32>().is_ok() && argv[6].parse::<u32>().is_ok(), "{argv:?}");
    }
}

#[test]
fn with_the_network_on_abstract_sockets_are_kept_apart_by_a_step() {
    for user in users() {
        let mut world = World::new(user);
        let plan = world.plan("true", &[""; 0]);
        assert!(world.launcher().wrap(&plan).unwrap().child_step().is_none());
        world.set("network.mode", json!("on"));
        let launcher = world.launcher();
        if launcher.check().is_err() {
            crate::support::say("ignored, because this kernel has no Landlock scopes");
            continue;
        }
        let launch = launcher.wrap(&plan).unwrap();
        assert!(launch.child_step().unwrap().explain().contains("abstract sockets"));
        let ran = world.sh("ls /sys/class/net 2>/dev/null; wc -l < /proc/net/dev");
        let host = fs::read_to_string("/proc/net/dev").unwrap().lines().count();
        assert_eq!(ran.succeeded().trim(), host.to_string());
    }
}
