//! Readable folders in which the host may keep sockets and named pipes.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use cofferdam_launcher::{Launcher, Plan};
use cofferdam_profiles::Access;
use nix::sys::stat::Mode;

use crate::support::{World, has, users};

const CONNECT: &str = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])";
/// Something that is its own server.
const OWN: &str = "import socket; l = socket.socket(socket.AF_UNIX); l.bind('own'); l.listen(); \
                   socket.socket(socket.AF_UNIX).connect('own')";

/// A socket and a pipe of the host, open to everyone.
struct Service {
    socket: PathBuf,
    listener: UnixListener,
    pipe: fs::File,
}

impl Service {
    fn new(folder: &Path) -> Self {
        let (socket, pipe) = (folder.join("socket"), folder.join("pipe"));
        let listener = UnixListener::bind(&socket).unwrap();
        listener.set_nonblocking(true).unwrap();
        nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
        for path in [&socket, &pipe] {
            fs::set_permissions(path, PermissionsExt::from_mode(0o777)).unwrap();
        }
        let flags = nix::fcntl::OFlag::O_RDWR | nix::fcntl::OFlag::O_NONBLOCK;
        let pipe = nix::fcntl::open(&pipe, flags, Mode::empty()).unwrap().into();
        Service { socket, listener, pipe }
    }

    fn heard_nothing(&mut self) {
        assert!(self.listener.accept().is_err());
        assert!(self.pipe.read(&mut [0; 8]).is_err());
    }
}

/// A world in which a folder of this name is opened.
fn opened(world: &mut World, name: &str) -> PathBuf {
    let folder = world.outside.join(name);
    world.make(folder.join("file"), "text");
    world.allow(Access::Read, &folder);
    folder
}

#[test]
fn sockets_and_pipes_in_it_are_not_the_hosts_and_the_runs_own_sockets_work() {
    if !has("python3") {
        return;
    }
    for user in users() {
        for name in ["open", "a:b\\c,d", "lowerdir=x:"] {
            let mut world = World::new(user);
            let folder = opened(&mut world, name);
            let launcher = world.launcher();
            launcher.check().unwrap();
            assert!(launcher.missing().is_empty());
            // After the launcher was built, and before the run.
            let mut service = Service::new(&folder);
            world.make(folder.join("below/file"), "");
            let socket = service.socket.to_str().unwrap();
            let ran = world.run(&world.plan("python3", &["-c", CONNECT, socket]));
            assert!(ran.failed().stderr.contains("ConnectionRefused"), "{ran:?}");
            world.sh(&format!("echo x > '{}/pipe'", folder.display())).failed();
            let ran = world.sh(&format!("ls -A '{0}' && ls -A '{0}/below'", folder.display()));
            assert_eq!(ran.succeeded(), "below\nfile\npipe\nsocket\nfile\n");
            let ran = world.sh(&format!("cat '{0}/file'; touch '{0}/new'", folder.display()));
            assert!(ran.stdout == "text" && !folder.join("new").exists(), "{ran:?}");
            world.run(&world.plan("python3", &["-c", OWN])).succeeded();
            service.heard_nothing();
        }
    }
}

#[test]
fn what_other_rules_say_below_it_holds() {
    for user in users() {
        let mut world = World::new(user);
        let folder = opened(&mut world, "open");
        let secret = world.make(folder.join("secret/key"), "SECRET");
        let output = world.make(folder.join("deep/output/x"), "");
        world.allow(Access::Deny, secret.parent().unwrap());
        world.allow(Access::Write, output.parent().unwrap());
        let script = format!(
            "cd {}; cat secret/key; ls secret; echo out > deep/output/y; echo no > deep/y; cat file",
            folder.display()
        );
        assert_eq!(world.sh(&script).stdout, "text");
        assert_eq!(fs::read_to_string(output.with_file_name("y")).unwrap(), "out\n");
        assert!(!folder.join("deep/y").exists());
    }
}

#[test]
fn a_run_can_stand_in_it_and_start_a_program_of_it() {
    for user in users() {
        let mut world = World::new(user);
        let folder = opened(&mut world, "open");
        let program = folder.join("program");
        fs::copy("/usr/bin/printf", &program).unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let plan = Plan::new("program", &program, &folder).with_args(["%s", "done"]);
        assert_eq!(world.run(&plan).succeeded(), "done");
        let plan = Plan::new("pwd", "/usr/bin/pwd", &folder);
        assert_eq!(world.run(&plan).succeeded().trim(), folder.to_str().unwrap());
    }
}

#[test]
fn an_explanation_says_how_it_is_shown() {
    for user in users() {
        let mut world = World::new(user);
        let folder = opened(&mut world, "open");
        let text = world.launcher().explain(&world.plan("true", &[""; 0])).unwrap();
        let line = format!("mount      {}  read, through an overlay", folder.display());
        assert!(text.contains(&line), "{text}");
        world.allow(Access::Read, "/");
        let text = world.launcher().explain(&world.plan("true", &[""; 0])).unwrap();
        assert!(text.contains("\nsockets    no Unix sockets but pairs: `/`"), "{text}");
    }
}
