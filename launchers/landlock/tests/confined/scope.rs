//! The scope-only domain, as the bubblewrap launcher uses it.

use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::CommandExt;
use std::process::Command;

use cofferdam_landlock::ScopeStep;
use cofferdam_launcher::ChildStep;

/// Not a test by itself: takes the scope and becomes the command in the environment.
#[test]
fn becomes_a_scoped_command() {
    let Some(script) = std::env::var_os("TEST_SCOPED") else { return };
    ScopeStep::new().unwrap().unwrap().apply().unwrap();
    panic!("{}", Command::new("/bin/sh").arg("-c").arg(script).exec());
}

fn scoped(script: &str) -> std::process::Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "scope::becomes_a_scoped_command", "--nocapture"])
        .env("TEST_SCOPED", script)
        .output()
        .unwrap()
}

#[test]
fn a_scope_closes_abstract_sockets_and_signals_and_nothing_else() {
    if ScopeStep::new().unwrap().is_none() {
        println!("ignored, because this kernel has no Landlock scopes");
        return;
    }
    let name = format!("cofferdam-scope-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let listener = UnixListener::bind_addr(&address).unwrap();
    let connect =
        format!("python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('\\0{name}')\"");
    let output = scoped(&connect);
    assert!(!output.status.success(), "{output:?}");
    listener.set_nonblocking(true).unwrap();
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);

    let output = scoped(&format!("kill -0 {}", std::process::id()));
    assert!(!output.status.success(), "{output:?}");
    assert!(scoped("cat /etc/passwd > /dev/null").status.success());
}

#[test]
fn a_wrapper_can_still_mount_inside_a_scope() {
    if ScopeStep::new().unwrap().is_none() {
        println!("ignored, because this kernel has no Landlock scopes");
        return;
    }
    let wrapped = "bwrap --unshare-user --unshare-pid --ro-bind / / --proc /proc --dev /dev \
                   --tmpfs /tmp --die-with-parent --cap-drop ALL -- echo mounted";
    let plain = Command::new("/bin/sh").args(["-c", wrapped]).output();
    if !plain.is_ok_and(|output| output.status.success()) {
        println!("ignored, because bubblewrap does not work here");
        return;
    }
    let output = scoped(wrapped);
    assert!(String::from_utf8_lossy(&output.stdout).contains("mounted"), "{output:?}");
}
