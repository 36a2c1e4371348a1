//! What a run must not reach: processes, sockets, the kernel's switches, the host's environment.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;

use cofferdam_profiles::Access;
use serde_json::json;

use crate::support::{World, has, users};

#[test]
fn the_environment_is_what_the_runner_gave() {
    for user in users() {
        let world = World::new(user);
        let ran =
            world.sh("env | cut -d= -f1 | sort; tr '\\0' '\\n' < /proc/1/environ | cut -d= -f1");
        let names: Vec<_> = ran.succeeded().lines().collect();
        for name in &names {
            // A shell adds the last two by itself, and bubblewrap sets PWD.
            let known = ["PATH", "HOME", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"];
            assert!(known.contains(name), "{name}");
        }
        assert!(names.contains(&"TMPDIR"));
    }
}

#[test]
fn no_descriptor_but_the_three_streams_arrives() {
    for user in users() {
        let mut world = World::new(user);
        let secret = world.make("secret", "x");
        world.allow(Access::Deny, &secret);
        // The fourth is that of `ls` itself.
        let ran = world.sh("ls /proc/self/fd; ls /proc/1/fd | wc -l");
        let open: Vec<_> = ran.succeeded().split_whitespace().take(4).collect();
        assert_eq!(open, ["0", "1", "2", "3"], "{ran:?}");
    }
}

#[test]
fn only_its_own_processes_are_there() {
    for user in users() {
        let world = World::new(user);
        let host = std::process::id();
        let ran = world
            .sh(&format!("ls -d /proc/[0-9]* | wc -l; kill -0 {host}; kill -9 $PPID; echo on"));
        let lines: Vec<_> = ran.succeeded().lines().collect();
        assert!(lines[0].parse::<u32>().unwrap() < 8, "{ran:?}");
        assert_eq!(lines[1], "on");
    }
}

#[test]
fn the_switches_of_the_kernel_are_out_of_reach() {
    for user in users() {
        let world = World::new(user);
        let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap();
        for file in [
            "sys/kernel/core_pattern",
            "sys/kernel/hostname",
            "sysrq-trigger",
            "self/oom_score_adj",
        ] {
            world.sh(&format!("echo x > /proc/{file}")).failed();
        }
        assert_eq!(fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap(), pattern);
        world.sh("cat /proc/keys").failed();
        world.sh("umount /proc/keys; cat /proc/keys").failed();
    }
}

#[test]
fn there_are_no_capabilities_and_nothing_can_be_mounted() {
    for user in users() {
        let mut world = World::new(user);
        let secret = world.make("secret", "password");
        world.allow(Access::Deny, &secret);
        let ran = world.sh("grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status; grep NoNewPrivs /proc/self/status");
        let fields: Vec<_> =
            ran.succeeded().lines().map(|line| line.split_once(":\t").unwrap().1).collect();
        assert_eq!(
            fields,
            ["0000000000000000"; 5].iter().copied().chain(["1"]).collect::<Vec<_>>()
        );
        for script in [
            "umount secret",
            "umount /proc",
            "mount -t tmpfs t /tmp",
            "mount --bind /usr .",
            "mount -o remount,rw /",
            "unshare -U true",
            "unshare -Urm umount secret",
            "chroot . true",
        ] {
            world.sh(script).failed();
        }
    }
}

#[test]
fn sockets_of_the_host_are_not_there() {
    if !has("python3") {
        return;
    }
    for user in users() {
        let world = World::new(user);
        let _file = UnixListener::bind(world.outside.join("socket")).unwrap();
        let path = world.outside.join("socket");
        let abstract_name = format!("cofferdam-{}-{user:?}", std::process::id());
        let _abstract = {
            use std::os::linux::net::SocketAddrExt;
            let address =
                std::os::unix::net::SocketAddr::from_abstract_name(&abstract_name).unwrap();
            UnixListener::bind_addr(&address).unwrap()
        };
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        let connect = format!(
            "import socket\n\
             for family, address in (socket.AF_UNIX, {path:?}), (socket.AF_UNIX, '\\0{abstract_name}'), \
             (socket.AF_INET, ('127.0.0.1', {port})):\n\
             \x20 try: socket.socket(family).connect(address); print('reached', address)\n\
             \x20 except OSError as error: print('refused')"
        );
        let ran = world.run(&world.plan("python3", &["-c", &connect]));
        assert_eq!(ran.succeeded(), "refused\nrefused\nrefused\n");
    }
}

#[test]
fn where_the_view_shows_foreign_sockets_the_filter_refuses_all() {
    if !has("python3") {
        return;
    }
    for user in users() {
        let mut world = World::new(user);
        world.allow(Access::Read, "/");
        let path = world.outside.join("socket");
        let _listener = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).unwrap();
        let script = format!("import socket; socket.socket(socket.AF_UNIX).connect({path:?})");
        world.run(&world.plan("python3", &["-c", &script])).failed();
        world.set("network.unix-sockets", json!("all"));
        world.run(&world.plan("python3", &["-c", &script])).succeeded();
    }
}

#[test]
fn a_socket_that_the_policy_names_can_be_reached() {
    if !has("python3") {
        return;
    }
    for user in users() {
        let mut world = World::new(user);
        let path = world.outside.join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).unwrap();
        let other = UnixListener::bind(world.outside.join("other")).unwrap();
        world.set("network.unix-sockets", json!([path]));
        let script = format!("import socket; socket.socket(socket.AF_UNIX).connect({path:?})");
        world.run(&world.plan("python3", &["-c", &script])).succeeded();
        listener.accept().unwrap();
        let script = script.replace("outside/socket", "outside/other");
        world.run(&world.plan("python3", &["-c", &script])).failed();
        drop(other);
    }
}

#[test]
fn with_the_network_off_a_run_can_talk_to_itself() {
    if !has("python3") {
        return;
    }
    for user in users() {
        let world = World::new(user);
        let script = "import socket\n\
            s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname())\n\
            u = socket.socket(socket.AF_UNIX); u.bind('here.sock'); u.listen(); \
            v = socket.socket(socket.AF_UNIX); v.connect('here.sock'); print('ok')";
        assert_eq!(world.run(&world.plan("python3", &["-c", script])).succeeded(), "ok\n");
    }
}

#[test]
fn the_hosts_terminals_and_disks_are_not_there() {
    for user in users() {
        let world = World::new(user);
        let ran = world.sh("ls /dev/pts | grep -v ptmx; ls /dev | sort | tr '\\n' ' '");
        assert_eq!(
            ran.succeeded(),
            "core fd full mqueue null ptmx pts random shm stderr stdin stdout tty urandom zero "
        );
        world.sh("true < /dev/tty").failed();
    }
}
