//! Whoever listens has no part in the refusal itself, and the command gets hold of nothing.

use rustix::process::Signal;
use serde_json::json;

use super::{has_python, payload, script, telling};
use crate::support::{confined, eventually};

/// Prints the error number of each of many calls, refused and allowed.
const ERRORS: &str = r#"
print("mount", mount(), "umount", call("umount2", b"/", 0), "chroot", call("chroot", b"/"))
print("keyctl", call("syscall", KEYCTL, 0, -3, 0), "bpf", call("syscall", BPF, 0, 0, 0))
print("perf", call("syscall", PERF, 0, 0, -1, -1, 0), "clone3", call("syscall", 435, 0, 0))
for flags in (0, 0x10000000, 0x20000, 0x40000000, 0x7e020080):
    print("unshare", hex(flags), call("unshare", flags))
for request in (0x5412, 0x541c, 0x541d, 0x5423, 0x5413):
    print("ioctl", hex(request), call("ioctl", 0, request, bytes(8)))
for family in range(50):
    for kind in (1, 2, 3, 5):
        print("socket", family, kind, call("socket", family, kind, 0))
print("pair", call("socketpair", 1, 2, 0, (ctypes.c_int * 2)()), "ptrace", call("ptrace", 16, 1, 0, 0))
print("personality", call("personality", 8), "swapoff", call("swapoff", b"/"))
print("sethostname", call("sethostname", b"x", 1), "nowhere", call("syscall", 4000))
"#;

#[test]
fn the_errors_inside_are_the_same_whether_anybody_listens_or_not() {
    if !has_python() {
        return;
    }
    confined(|setup| {
        let words = script(setup, "errors.py", ERRORS);
        // Nobody listens to a run whose output is not captured.
        let plain = setup.run(&[], &words);
        plain.exited(0);
        assert!(plain.stdout.contains("mount 1 umount 1 "), "{plain:?}");
        assert_eq!(setup.payload(&[], &words)["stdout"], plain.stdout);
        let mut client = setup.serve(json!({}));
        client.run(json!({ "command": words[0], "args": [words[1]] })).printed(&plain.stdout);
    });
}

#[test]
fn the_command_holds_neither_a_listener_nor_a_socket() {
    telling(|setup| {
        let text = r#"
for fd in os.listdir("/proc/self/fd"):
    try: print(fd, os.readlink("/proc/self/fd/" + fd).split(":")[0])
    except OSError: pass
print("refused", mount())"#;
        let payload = payload(setup, text);
        let stdout = payload["stdout"].as_str().unwrap();
        assert!(stdout.ends_with("refused 1\n"), "{payload}");
        assert_eq!(stdout.lines().count(), 4, "{payload}");
        assert!(!stdout.contains("socket") && !stdout.contains("anon_inode"), "{payload}");
    });
}

/// Whether a process has this among its arguments.
fn is_running(word: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|it| std::fs::read(it.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line.split(|byte| *byte == 0).any(|it| it == word.as_bytes()))
}

/// Tries to install a filter with a listener, which would be asked in place of the runner's.
const SECOND: &str = r#"
code = (ctypes.c_ubyte * 8)(*struct.pack("HBBI", 6, 0, 0, 0x7fc00000))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
program = Program(1, ctypes.addressof(code))
def second():
    return [call("syscall", SECCOMP, 1, flags, ctypes.byref(program)) for flags in (8, 8 | 32, 8 | 17)]
"#;

#[test]
fn no_second_listener_can_take_the_place_of_the_first_even_when_that_is_closed() {
    telling(|setup| {
        let text = format!(
            "{SECOND}\nprint(second())\nfor _ in range(3000): last = mount()\nprint(last, second())"
        );
        // EBUSY each time; and the kernel refuses what nobody answers any more (ENOSYS).
        let payload = payload(setup, &text);
        assert_eq!(payload["stdout"], "[16, 16, 16]\n38 [16, 16, 16]\n", "{payload}");
    });
}

#[test]
fn a_flood_of_refused_calls_ends_and_what_was_counted_is_told() {
    telling(|setup| {
        let text = "for i in range(1000000): call('socket', 100 + i, 1, 0)
print('refused: Address family not supported by protocol', file=sys.stderr); sys.exit(1)";
        let payload = payload(setup, text);
        let sandbox = &payload["sandbox"];
        assert_eq!(sandbox["denied"].as_array().map(Vec::len), Some(16), "{payload}");
        assert_eq!(sandbox["denied"][0]["target"], "socket family 100", "{payload}");
        // 1024 calls are answered.
        assert_eq!(sandbox["more-denied"], 1008, "{payload}");
        assert_eq!(sandbox["verdict"], "denied", "{payload}");
    });
}

#[test]
fn threads_and_processes_that_are_refused_at_once_all_go_on() {
    telling(|setup| {
        let text = "
import threading
def many():
    for _ in range(20): assert mount() == 1
for _ in range(4):
    if os.fork() == 0:
        all = [threading.Thread(target=many) for _ in range(4)]
        [it.start() for it in all]; [it.join() for it in all]
        os._exit(0)
print([os.wait()[1] for _ in range(4)])";
        assert_eq!(payload(setup, text)["stdout"], "[0, 0, 0, 0]\n");
    });
}

#[test]
fn a_run_that_is_being_refused_things_goes_with_its_server() {
    telling(|setup| {
        let [python, script] = script(setup, "script.py", "while True: mount()");
        let mut client = setup.serve(json!({}));
        let call = json!({ "command": python, "args": [&script], "timeout": 600 });
        client.begin("sh_run", call);
        assert!(eventually(|| is_running(&script)), "it has not begun");
        client.signal(Signal::KILL);
        assert!(eventually(|| !is_running(&script)), "it has outlived its server");
    });
}
