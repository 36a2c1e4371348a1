use std::process::{Child, Command};

use serde_json::json;

use crate::support::{Place, User, users};

/// A process of the host, of the user who will attack it.
struct Victim(Child);

impl Victim {
    fn of(user: User) -> Self {
        let mut command = match user {
            User::Own => Command::new("sleep"),
            User::Nobody => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sleep"]);
                command
            }
        };
        Victim(command.arg("331").env("SECRET_TOKEN", "s3cr3t").spawn().unwrap())
    }

    fn is_alive(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn no_process_outside_can_be_signalled() {
    for user in users() {
        let mut victim = Victim::of(user);
        let place = Place::new(user);
        place.sh(&format!("kill -9 {}", victim.0.id())).failed_with("not permitted");
        place.sh("kill -9 $PPID").failed_with("not permitted");
        place
            .python(&format!(
                "import os, signal\nfd = os.pidfd_open({})\nsignal.pidfd_send_signal(fd, 9)",
                victim.0.id()
            ))
            .failed_with("PermissionError");
        assert!(victim.is_alive());
    }
}

#[test]
fn no_process_outside_can_be_limited() {
    for user in users() {
        let victim = Victim::of(user);
        Place::new(user)
            .python(&format!(
                "import resource as r\nr.prlimit({}, r.RLIMIT_NOFILE, (0, 0))",
                victim.0.id()
            ))
            .failed_with("PermissionError");
        let limits = std::fs::read_to_string(format!("/proc/{}/limits", victim.0.id())).unwrap();
        let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
        assert_ne!(files.split_whitespace().nth(3), Some("0"), "{files}");
    }
}

#[test]
fn its_own_children_can_be_signalled() {
    for user in users() {
        Place::new(user).sh("sleep 332 & kill -9 $!; wait $!; echo $?").printed("137");
    }
}

#[test]
fn memory_and_environment_of_a_process_outside_stay_closed() {
    for user in users() {
        let victim = Victim::of(user);
        let place = Place::new(user);
        for file in ["environ", "mem", "maps", "root/etc/passwd", "cwd/.", "fd/0"] {
            let ran = place.sh(&format!("head -c 99 < /proc/{}/{file}", victim.0.id()));
            assert_ne!(ran.code, Some(0), "{file}: {ran:?}");
            assert!(!ran.stdout.contains("s3cr3t"), "{file}: {ran:?}");
        }
    }
}

#[test]
fn no_capability_is_left_and_none_comes_back() {
    for user in users() {
        let ran = Place::new(user).sh("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status");
        for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
            assert!(ran.stdout.contains(&format!("{set}:\t0000000000000000")), "{ran:?}");
        }
        assert!(ran.stdout.contains("NoNewPrivs:\t1"), "{ran:?}");
        assert!(ran.stdout.contains("Seccomp:\t2"), "{ran:?}");
    }
}

#[test]
fn tracing_mounting_and_new_namespaces_are_refused() {
    for user in users() {
        let place = Place::new(user);
        for script in [
            "unshare -Ur true",
            "unshare -m true",
            "mount -t tmpfs x .",
            "chroot . true",
            "nsenter -t 1 -m true",
            "strace -o /dev/null true",
            "hostname cofferdam-test",
            "dmesg",
            "date -s 2001-01-01",
        ] {
            let ran = place.sh(script);
            assert_ne!(ran.code, Some(0), "{script}: {ran:?}");
            assert_ne!(ran.code, Some(127), "{script} is not there: {ran:?}");
        }
    }
}

#[test]
fn a_new_session_can_be_started() {
    for user in users() {
        Place::new(user).sh("setsid echo own; setsid -w true && echo ok").printed("own\nok");
    }
}

#[test]
fn limits_hold() {
    for user in users() {
        let place = Place::new(user);
        let place = place.and(json!({"limits": {
            "memory": 200_000_000, "open-files": 64, "file-size": 1_000_000, "cpu-seconds": 100,
        }}));
        place.sh("ulimit -n; ulimit -t").printed("64\n100");
        place.python("bytearray(300_000_000)").failed_with("MemoryError");
        place.python("bytearray(50_000_000); print('ok')").printed("ok");
        let ran = place.sh("head -c 2000000 /dev/zero > big");
        assert_ne!(ran.code, Some(0));
        assert!(place.read("work/big").len() <= 1_000_000);
    }
}

#[test]
fn the_limit_on_processes_holds_for_ordinary_users() {
    for user in users() {
        if user == User::Own && nix::unistd::getuid().is_root() {
            continue;
        }
        // One is the command itself, so there is room for no other.
        let place = Place::new(user).and(json!({"limits": {"processes": 1}}));
        let ran = place.python("import os\nif os.fork() == 0: print('forked')");
        ran.failed_with("BlockingIOError");
    }
}

#[test]
fn thirty_two_bit_calls_are_killed() {
    if !cfg!(target_arch = "x86_64") {
        println!("ignored, because only x86_64 has a second entry to the kernel");
        return;
    }
    // mov eax, 20 (getpid of i386); int 0x80; mov edi, eax; and edi, 1; mov eax, 60; syscall
    let program = "import ctypes, mmap\n\
        m = mmap.mmap(-1, 4096, prot=7)\n\
        m.write(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3')\n\
        f = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\n\
        print('ran', f() > 0)";
    let plain = Command::new("/usr/bin/python3").args(["-c", program]).output().unwrap();
    if !String::from_utf8_lossy(&plain.stdout).contains("ran True") {
        println!("ignored, because this kernel takes no 32-bit calls");
        return;
    }
    let ran = Place::new(User::Own).python(program);
    assert_eq!(ran.code, None, "{ran:?}");
    assert!(!ran.stdout.contains("ran"), "{ran:?}");
}
