//! What must not get out of a run, or into it, beside files and network.

use std::io::Read;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::process::Command;

use nix::sys::stat::Mode;
use serde_json::{Value, json};

use crate::support::{Client, Era, Setup, Sleep, User, confined, everywhere, ignored};

/// Whether a payload says that a promise of the profile is not enforced here.
fn is_missing(payload: &Value, promise: &str) -> bool {
    payload["sandbox"]["missing"].as_array().is_some_and(|all| all.contains(&json!(promise)))
}

/// The same command, started with two more open descriptors, as careless clients do.
fn with_descriptors(setup: &Setup, command: &Command) -> Command {
    let secret = setup.place.file("secret", "SECRET");
    let script = "exec 9< \"$0\" 1500< \"$0\"; exec \"$@\"";
    let mut outer = Command::new("bash");
    outer.args(["-c", script]).arg(secret).arg(command.get_program()).args(command.get_args());
    setup.prepared(&mut outer);
    outer
}

#[test]
fn descriptors_that_the_server_inherited_are_closed() {
    everywhere(|setup| {
        let mut client =
            Client::start(with_descriptors(setup, &setup.serve_command(json!({}))), Era::Legacy);
        for number in [9, 1500] {
            let script = format!("cat <&{number}");
            let answer = client.run(json!({ "command": "bash", "args": ["-c", script] }));
            let payload = answer.ran();
            assert_ne!(payload["exit"], 0, "{payload}");
            assert_eq!(payload["stdout"], "", "{payload}");
        }
        client.run(json!({ "command": "ls", "args": ["/proc/self/fd"] })).printed("0\n1\n2\n3\n");
        client.run(json!({ "command": "nosuchtool" })).not_started(&["nosuchtool"]);
    });
}

#[test]
fn descriptors_of_the_shell_are_not_passed_on() {
    everywhere(|setup| {
        let run = setup.run_command(&[], ["ls", "/proc/self/fd"]);
        let command = with_descriptors(setup, &run).spawn().unwrap();
        crate::support::finish(command).printed("0\n1\n2\n3\n");
    });
}

#[test]
fn a_process_of_the_host_is_not_signalled() {
    confined(|setup| {
        let sleep = Sleep::new(731);
        let mut command = Command::new("sleep");
        command.arg(sleep.seconds());
        setup.prepared(&mut command);
        let mut host = command.spawn().unwrap();
        sleep.await_running(1);
        let mut client = setup.serve(json!({}));
        let pid = host.id();
        let server = client.pid().as_raw_nonzero();
        for script in [
            format!("kill -9 {pid}"),
            "kill -9 $PPID".to_owned(),
            format!("kill -9 {server}"),
            "kill -9 -1".to_owned(),
        ] {
            let answer = client.sh(&script);
            assert_eq!(answer.ran()["sandbox"]["active"], true, "{answer:?}");
        }
        assert_eq!(sleep.running().len(), 1, "the host's process is gone");
        client.is_alive();
        host.kill().unwrap();
        host.wait().unwrap();
    });
}

#[test]
fn the_memory_and_the_environment_of_the_server_stay_closed() {
    confined(|setup| {
        let mut command = setup.serve_command(json!({}));
        command.env("SECRET_TOKEN", "s3cr3t");
        let mut client = Client::start(command, Era::Legacy);
        let pid = client.pid().as_raw_nonzero();
        let script = format!(
            "cat /proc/{pid}/environ /proc/{pid}/maps; readlink /proc/{pid}/fd/* /proc/{pid}/cwd; \
             ls /proc/{pid}/root/; \
             for p in /proc/[0-9]*; do cat $p/environ; done 2>&1 | grep -a s3cr3t; true"
        );
        let answer = client.sh(&script);
        assert_eq!(answer.exited(0)["stdout"], "", "{answer:?}");
    });
}

#[test]
fn a_socket_of_a_service_outside_is_not_reached() {
    confined(|setup| {
        let path = setup.place.path("outside/service");
        let service = UnixListener::bind(&path).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o777)).unwrap();
        service.set_nonblocking(true).unwrap();
        let program = "import socket, sys\nsocket.socket(socket.AF_UNIX).connect(sys.argv[1])";
        let outside = setup.place.text("outside");
        let connect = ["python3", "-c", program, path.to_str().unwrap()];
        let payload = setup.payload(&[], connect);
        assert_eq!(payload["exit"], 1, "{payload}");
        assert!(service.accept().is_err());
        let payload = setup.payload(&["--read", &outside], connect);
        assert_eq!(payload["exit"], 1, "{payload}");
        assert!(service.accept().is_err());
        let payload = setup.payload(&["--socket", path.to_str().unwrap()], connect);
        match payload["exit"] == 0 {
            true => assert!(service.accept().is_ok()),
            // Stricter than the policy is allowed, and said.
            false => ignored(format!("{} opens no single socket here: {payload}", setup.launcher)),
        }
    });
}

#[test]
fn an_abstract_socket_of_the_host_is_not_reached() {
    use std::os::linux::net::SocketAddrExt;
    confined(|setup| {
        let name = setup.place.text("abstract");
        let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
        let service = UnixListener::bind_addr(&address).unwrap();
        service.set_nonblocking(true).unwrap();
        let program =
            "import socket, sys\nsocket.socket(socket.AF_UNIX).connect('\\0' + sys.argv[1])";
        for options in [&[][..], &["--net"]] {
            let payload = setup.payload(options, ["python3", "-c", program, &name]);
            assert_eq!(payload["exit"], 1, "{payload}");
            assert!(service.accept().is_err(), "{options:?}");
        }
    });
}

#[test]
fn a_pipe_outside_is_not_written() {
    confined(|setup| {
        let path = setup.place.path("outside/pipe");
        nix::unistd::mkfifo(&path, Mode::from_bits_truncate(0o666)).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
        assert!(path.metadata().unwrap().file_type().is_fifo());
        let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NONBLOCK;
        let reader = rustix::fs::open(&path, flags, rustix::fs::Mode::empty()).unwrap();
        let outside = setup.place.text("outside");
        let script = format!("echo x > {}", path.display());
        let payload = setup.payload(&[], ["sh", "-c", &script]);
        assert_ne!(payload["exit"], 0, "{payload}");
        let payload = setup.payload(&["--read", &outside], ["sh", "-c", &script]);
        assert_ne!(payload["exit"], 0, "{payload}");
        let mut reader = std::fs::File::from(reader);
        assert!(reader.read(&mut [0; 8]).is_err(), "something was written");
    });
}

#[test]
fn mode_and_times_of_files_outside_stay_or_are_named_as_missing() {
    confined(|setup| {
        let file = setup.place.file("outside/file", "text\n");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        let before = file.metadata().unwrap().modified().unwrap();
        let script = format!("chmod 666 {0}; touch -d @0 {0}; true", file.display());
        let outside = setup.place.text("outside");
        for options in [&[][..], &["--read", &outside]] {
            let payload = setup.payload(options, ["sh", "-c", &script]);
            if is_missing(&payload, "metadata") {
                return ignored(format!("{} has no `metadata` here, and says so", setup.launcher));
            }
            let after = file.metadata().unwrap();
            assert_eq!(after.permissions().mode() & 0o777, 0o640, "{payload}");
            assert_eq!(after.modified().unwrap(), before, "{payload}");
        }
    });
}

#[test]
fn a_file_outside_is_not_linked_or_moved_in() {
    confined(|setup| {
        let secret = setup.place.file("outside/secret", "SECRET\n");
        let script = format!(
            "ln {0} here; ln -s {0} soft; mv {0} moved; cp {0} copy; cat here soft moved copy \
             /proc/self/root{0} /proc/self/cwd/../outside/secret; true",
            secret.display()
        );
        let ran = setup.sh(&script);
        assert!(!ran.stdout.contains("SECRET"), "{ran:?}");
        assert_eq!(setup.place.read("outside/secret"), "SECRET\n");
        assert!(!setup.place.has("work/here") && !setup.place.has("work/moved"));
    });
}

#[test]
fn there_is_no_terminal_to_reach() {
    everywhere(|setup| {
        setup.sh("( : > /dev/tty ) 2> /dev/null && echo reached; true").printed("");
    });
}

#[test]
fn nobody_is_privileged_inside() {
    confined(|setup| {
        let script = "grep -E '^(CapEff|CapPrm|CapBnd|CapInh|CapAmb|NoNewPrivs)' /proc/self/status";
        let ran = setup.sh(script);
        for line in ran.exited(0).stdout.lines() {
            let (name, value) = line.split_once(":\t").unwrap();
            // Without privileges none can be taken from the bounding set; nor does it matter then.
            if name == "CapBnd" && setup.user == User::Ordinary {
                continue;
            }
            let expected = if name == "NoNewPrivs" { 1 } else { 0 };
            assert_eq!(u64::from_str_radix(value, 16).unwrap(), expected, "{ran:?}");
        }
        assert_eq!(ran.stdout.lines().count(), 6, "{ran:?}");
        for script in ["mount -t tmpfs t /mnt", "unshare -Ur true", "chroot / true"] {
            assert_ne!(setup.sh(script).code, Some(0), "{script}");
        }
    });
}

#[test]
fn the_settings_of_the_kernel_are_not_written() {
    confined(|setup| {
        let script = "for f in kernel/core_pattern kernel/hostname vm/drop_caches; do \
                      ( : >> /proc/sys/$f ) 2> /dev/null && echo opened $f; done; \
                      ( : >> /proc/sysrq-trigger ) 2> /dev/null && echo opened sysrq; true";
        setup.sh(script).printed("");
    });
}

#[test]
fn the_standard_streams_of_a_captured_run_are_pipes_and_nothing_else() {
    everywhere(|setup| {
        let mut client = setup.serve(json!({}));
        client
            .sh("[ -p /dev/stdout ] && [ -p /dev/stderr ] && [ -c /dev/stdin ] && echo ok")
            .printed("ok\n");
    });
}
