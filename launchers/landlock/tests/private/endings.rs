//! Nothing outlives its run, and nothing outlives its host.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::json;

use crate::support::{User, World, has, users};

#[test]
fn a_daemon_ends_with_the_command() {
    for user in users() {
        let world = World::new(user);
        // The output ends when the last process that holds it has ended, so this waits for the daemon.
        let ran = world.sh("setsid -f sleep 1000; (setsid sleep 1000 &) ; echo begun");
        assert_eq!(ran.succeeded(), "begun\n");
    }
}

#[test]
fn orphans_are_reaped_while_the_command_runs() {
    for user in users() {
        let world = World::new(user);
        let script = "(true & true & true &); i=0\n\
            while grep -qs '^State:.Z' /proc/[0-9]*/status && [ $i -lt 1000 ]; do i=$((i + 1)); done\n\
            [ $i -lt 1000 ] && echo none";
        assert_eq!(world.sh(script).succeeded(), "none\n");
    }
}

/// Not a test by itself: a host that starts a run which never ends, with its own standard input.
#[test]
fn hosts_a_run() {
    if std::env::var_os("TEST_HOST").is_none() {
        return;
    }
    let world = World::new(User::Own);
    let launcher = world.launcher();
    let plan = world.plan("sh", &["-c", "setsid -f sleep 1000; echo ready; sleep 1000"]);
    let stdin = File::from(io::stdin().as_fd().try_clone_to_owned().unwrap());
    let mut live = world.start_with(&launcher, &plan, stdin);
    crate::support::say(live.next_line().trim());
    live.finish(&launcher);
}

#[test]
fn a_killed_host_takes_everything_along() {
    if users().is_empty() {
        return;
    }
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "endings::hosts_a_run", "--nocapture"])
        .env("TEST_HOST", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(host.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("ready") {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "the host ended by itself");
    }
    let input = host.stdin.take().unwrap();
    host.kill().unwrap();
    host.wait().unwrap();
    // The processes inside have the other end, so the pipe breaks when the last of them has ended.
    let mut broken = [PollFd::new(input.as_fd(), PollFlags::empty())];
    poll(&mut broken, PollTimeout::from(20_000_u16)).unwrap();
    assert_eq!(broken[0].revents(), Some(PollFlags::POLLERR));
}

#[test]
fn limits_hold_for_the_command() {
    if !has("python3") {
        return;
    }
    for user in users() {
        let mut world = World::new(user);
        world.set("limits", json!({"memory": 200_000_000, "open-files": 64, "cpu-seconds": 100}));
        assert_eq!(world.sh("ulimit -n; ulimit -t").succeeded(), "64\n100\n");
        let plan = world.plan("python3", &["-c", "bytearray(300_000_000)"]);
        assert!(world.run(&plan).failed().stderr.contains("MemoryError"));
    }
}

#[test]
fn the_limit_on_processes_counts_those_of_the_run() {
    if !has("python3") {
        return;
    }
    for user in users() {
        if user != User::Nobody && nix::unistd::getuid().is_root() {
            continue;
        }
        let mut world = World::new(user);
        world.set("best-effort", json!(["limits"]));
        let script = "import os\ntry:\n while True:\n  os.fork() or os._exit(0 if os.read(0, 1) else 0)\n\
                      except BlockingIOError: print('refused')";
        let one = script.replace("while True", "if True");
        world.set("limits", json!({"processes": 1}));
        let ran = world.run(&world.plan("python3", &["-c", &one]));
        assert_eq!(ran.succeeded(), "refused\n");
        world.set("limits", json!({"processes": 2}));
        let ran = world.run(&world.plan("python3", &["-c", &one]));
        assert_eq!(ran.succeeded(), "");
    }
}
