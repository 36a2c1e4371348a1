//! What a command goes through last, inside: its limits, Landlock, and signals that are its own.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;

use cofferdam_launcher::{Launcher, Plan};
use cofferdam_profiles::Access;
use nix::sys::stat::Mode;
use serde_json::json;

use crate::support::{User, World, has, users};

#[test]
fn limits_hold_for_the_command() {
    if !has("python3") {
        return;
    }
    for user in users() {
        let mut world = World::new(user);
        world.set("limits", json!({"memory": 200_000_000, "open-files": 64, "cpu-seconds": 100}));
        assert!(world.launcher().missing().is_empty());
        assert_eq!(world.sh("ulimit -n; ulimit -t").succeeded(), "64\n100\n");
        let plan = world.plan("python3", &["-c", "bytearray(300_000_000)"]);
        assert!(world.run(&plan).failed().stderr.contains("MemoryError"));
    }
}

#[test]
fn a_limit_that_bubblewrap_could_not_live_with_holds_for_the_command_alone() {
    for user in users() {
        let mut world = World::new(user);
        world.set("limits", json!({"open-files": 4, "file-size": 0}));
        assert_eq!(world.sh("ulimit -n; ulimit -f").succeeded(), "4\n0\n");
    }
}

#[test]
fn the_limit_on_processes_counts_those_of_the_run() {
    if !has("python3") {
        return;
    }
    for user in users() {
        if user == User::Own && nix::unistd::geteuid().is_root() {
            continue;
        }
        let mut world = World::new(user);
        world.set("best-effort", json!(["limits"]));
        let script = "import os\ntry: os.fork()\nexcept BlockingIOError: print('refused')";
        for (count, printed) in [(1, "refused\n"), (2, "")] {
            world.set("limits", json!({ "processes": count }));
            let ran = world.run(&world.plan("python3", &["-c", script]));
            assert_eq!(ran.succeeded(), printed, "{count}");
        }
    }
}

#[test]
fn no_signal_is_blocked_in_the_command_and_all_are_in_bubblewrap() {
    for user in users() {
        let world = World::new(user);
        let ran = world.sh("grep SigBlk /proc/self/status; grep SigBlk /proc/1/status");
        let blocked: Vec<_> = ran.succeeded().lines().collect();
        assert_eq!(blocked[0], "SigBlk:\t0000000000000000");
        // Nobody can block these: SIGKILL and SIGSTOP.
        assert_eq!(blocked[1], "SigBlk:\tfffffffffffbfeff");
    }
}

#[test]
fn a_command_keeps_the_name_by_which_it_was_called() {
    for user in users() {
        let world = World::new(user);
        let plan = Plan::new("busy", "/bin/sh", &world.workspace).with_args(["-c", "echo $0"]);
        assert_eq!(world.run(&plan).succeeded(), "busy\n");
    }
}

/// Something that connects to the socket of its first argument.
const CONNECT: &str = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])";
/// Something that is its own server.
const OWN: &str = "import socket; l = socket.socket(socket.AF_UNIX); l.bind('own'); l.listen(); \
                   socket.socket(socket.AF_UNIX).connect('own')";

#[test]
fn a_folder_that_the_user_opens_shows_files_and_no_way_to_the_host() {
    if !has("python3") {
        return;
    }
    for user in users() {
        let mut world = World::new(user);
        let file = world.make(world.outside.join("open/file"), "text");
        let open = file.parent().unwrap();
        world.allow(Access::Read, open);
        let service = Service::new(open);
        // Both came before this run, and one after the launcher was built would be no different.
        let socket = service.socket.to_str().unwrap();
        world.run(&world.plan("python3", &["-c", CONNECT, socket])).failed();
        world.sh(&format!("echo x > {}/pipe", open.display())).failed();
        assert_eq!(world.sh(&format!("cat {}", file.display())).succeeded(), "text");
        service.heard_nothing();
    }
}

#[test]
fn without_such_a_folder_the_run_has_sockets_of_its_own() {
    if !has("python3") {
        return;
    }
    for user in users() {
        let world = World::new(user);
        world.run(&world.plan("python3", &["-c", OWN])).succeeded();
    }
}

#[test]
fn pipes_that_a_run_with_namespaces_of_its_own_could_write_to_are_missing_as_ipc() {
    for user in users() {
        let mut world = World::new(user);
        world.set("syscalls.allow", json!(["userns"]));
        assert!(world.launcher().missing().is_empty());
        world
            .allow(Access::Read, world.make(world.outside.join("open/file"), "").parent().unwrap());
        assert!(world.launcher().check().unwrap_err().to_string().contains("pipes"));
        world.set("best-effort", json!(["ipc"]));
        assert_eq!(world.launcher().missing(), ["ipc"]);
    }
}

/// A socket and a pipe of the host, open to everyone.
struct Service {
    socket: std::path::PathBuf,
    listener: UnixListener,
    pipe: std::fs::File,
}

impl Service {
    fn new(folder: &Path) -> Self {
        let (socket, pipe) = (folder.join("socket"), folder.join("pipe"));
        let listener = UnixListener::bind(&socket).unwrap();
        listener.set_nonblocking(true).unwrap();
        nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        for path in [&socket, &pipe] {
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o777)).unwrap();
        }
        let flags = nix::fcntl::OFlag::O_RDWR | nix::fcntl::OFlag::O_NONBLOCK;
        let pipe = nix::fcntl::open(&pipe, flags, Mode::empty()).unwrap().into();
        Service { socket, listener, pipe }
    }

    fn heard_nothing(mut self) {
        assert!(self.listener.accept().is_err());
        assert!(self.pipe.read(&mut [0; 8]).is_err());
    }
}
