//! What a run must not reach: processes, sockets, the kernel's switches, the host's environment.

use std::fs;
use std::os::unix::net::UnixListener;

use cofferdam_launcher::Launcher;
use serde_json::json;

use crate::support::{World, has, users};

#[test]
fn a_call_that_nobody_answers_is_refused_by_the_kernel() {
    if !has("python3") {
        return;
    }
    for user in users() {
        let world = World::new(user);
        let script = "import ctypes; libc = ctypes.CDLL(None, use_errno=True)
print(libc.umount2(b'/', 0), ctypes.get_errno())";
        let plan = world.plan("python3", &["-c", script]);
        assert_eq!(world.run(&plan).succeeded(), "-1 1\n");
        // The receiving end is dropped when the command has been started: ENOSYS.
        assert_eq!(world.run(&plan.taking_refusals()).succeeded(), "-1 38\n");
    }
}

#[test]
fn nothing_of_the_policy_is_on_a_command_line() {
    for user in users() {
        let world = World::new(user);
        let launch = world.launcher().wrap(&world.plan("true", &["x"])).unwrap();
        let argv: Vec<_> = launch.argv().iter().map(|arg| arg.to_str().unwrap()).collect();
        argv[1].parse::<u32>().unwrap();
        assert_eq!(argv[2..], ["/usr/bin/true", "true", "x"]);
    }
}

#[test]
fn with_the_network_on_abstract_sockets_are_kept_apart() {
    use std::os::linux::net::SocketAddrExt;
    if !has("python3") {
        return;
    }
    for user in users() {
        let mut world = World::new(user);
        world.set("network.mode", json!("on"));
        let launcher = world.launcher();
        if !launcher.missing().is_empty() {
            crate::support::say("ignored, because this kernel has no Landlock scopes");
            continue;
        }
        let name = format!("cofferdam-on-{}-{user:?}", std::process::id());
        let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
        let listener = UnixListener::bind_addr(&address).unwrap();
        let script = format!("import socket; socket.socket(socket.AF_UNIX).connect('\\0{name}')");
        let ran = world.run(&world.plan("python3", &["-c", &script]));
        assert!(ran.failed().stderr.contains("PermissionError"), "{ran:?}");
        listener.set_nonblocking(true).unwrap();
        assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
        let ran = world.sh("wc -l < /proc/net/dev");
        let host = fs::read_to_string("/proc/net/dev").unwrap().lines().count();
        assert_eq!(ran.succeeded().trim(), host.to_string());
    }
}
