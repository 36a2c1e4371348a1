//! The host's terminal is out of reach of the commands of a server, and a server that cannot keep it
//! so does not start.

use std::process::Command;
use std::time::Duration;

use cofferdam::{Request, Runner};
use serde_json::json;

use crate::support::{
    Client, Era, Launcher, Place, Setup, Sleep, Terminal, User, eventually, everywhere, ignored,
    refuses_to_start,
};

/// Tries to reach a terminal in every way there is, and prints each that worked.
const REACH: &str = r#"
import array, fcntl, os, sys, termios, tty
path = sys.argv[1]
if sys.stdin.read() != '':
    print('read the keyboard')
def reach(name, fd):
    try:
        fcntl.ioctl(fd, termios.TIOCSTI, b'x')
        print(name, 'typed')
    except OSError:
        pass
    try:
        tty.setraw(fd)
        print(name, 'made raw')
    except (OSError, termios.error):
        pass
for fd in (0, 1, 2):
    reach('stream', fd)
for name, flags in (('/dev/tty', os.O_RDWR), (path, os.O_RDWR | os.O_NOCTTY)):
    try:
        fd = os.open(name, flags)
    except OSError:
        continue
    print(name, 'opened')
    reach(name, fd)
"#;

#[test]
fn no_command_of_a_server_reaches_the_terminal_that_the_server_has() {
    everywhere(|setup| {
        let mut terminal = Terminal::new();
        let server = terminal.controlling(setup, &setup.serve_command(json!({})));
        let mut client = Client::start(server, Era::Legacy);
        terminal.types("secret\r");
        let keys = "secret\n".len() as u64;
        assert!(eventually(|| terminal.unread_keys() == keys));
        let before = terminal.settings();
        let name = terminal.name();
        let answer =
            client.run(json!({ "command": "python3", "args": ["-c", REACH, name], "timeout": 20 }));
        let payload = answer.exited(0);
        let missing = payload["sandbox"]["missing"].as_array();
        let is_missing = missing.is_some_and(|missing| missing.contains(&json!("pty")));
        if setup.launcher == Launcher::None || is_missing {
            // By its path it is a file of this user like any other: `pty` is what promises more.
            let found = payload["stdout"].as_str().unwrap();
            let by_path = |line: &str| line.starts_with(&name);
            assert!(found.lines().all(by_path), "{found}");
            assert!(!found.contains("typed") || setup.user == User::Own, "{found}");
            ignored(format!("{} does not promise `pty`, and says so", setup.launcher));
        } else {
            assert_eq!(payload["stdout"], "", "{payload}");
            assert_eq!(terminal.settings(), before);
            assert_eq!(terminal.unread_keys(), keys, "keys were taken, or typed");
        }
        client.closed().exited(0);
    });
}

/// The command, where `setsid(2)` is refused.
fn without_sessions(setup: &Setup, command: &Command) -> Command {
    let number = match std::env::consts::ARCH {
        "aarch64" => 157,
        _ => 112,
    };
    // A filter that answers EPERM to this one call (`seccomp(2)`).
    let script = format!(
        "import ctypes, os, struct, sys\n\
         code = [(0x20, 0, 0, 0), (0x15, 0, 1, {number}), (6, 0, 0, 0x50001), (6, 0, 0, 0x7fff0000)]\n\
         code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *one) for one in code))\n\
         filter = struct.pack('HxxxxxxQ', 4, ctypes.addressof(code))\n\
         libc = ctypes.CDLL(None, use_errno=True)\n\
         assert libc.prctl(38, 1, 0, 0, 0) == 0\n\
         assert libc.prctl(22, 2, filter, 0, 0) == 0, ctypes.get_errno()\n\
         os.execvp(sys.argv[1], sys.argv[1:])"
    );
    let mut outer = Command::new("python3");
    outer.args(["-c", &script]).arg(command.get_program()).args(command.get_args());
    setup.prepared(&mut outer);
    outer
}

#[test]
fn a_server_that_cannot_keep_its_terminal_away_does_not_start() {
    everywhere(|setup| {
        let server = without_sessions(setup, &setup.serve_command(json!({})));
        refuses_to_start(
            server,
            &["kept from the terminal", "start a session", "setsid(2)", "`isolate-terminal`"],
        );
    });
}

#[test]
fn a_server_that_need_not_keep_it_away_starts_all_the_same() {
    let setup = Setup::plain();
    let server = setup.serve_command(json!({ "isolate-terminal": false }));
    let mut client = Client::start(without_sessions(&setup, &server), Era::Legacy);
    client.sh("echo hi").printed("hi\n");
}

/// The session, the process group and the parent's session of a command of this runner.
fn sessions(runner: &Runner) -> Vec<i32> {
    let script = "import os; print(os.getpid(), os.getsid(0), os.getpgid(0))";
    let outcome = runner.run_blocking(Request::new("python3").args(["-c", script])).unwrap();
    outcome.payload().stdout.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

#[test]
fn a_command_leads_a_session_of_its_own_unless_the_settings_say_otherwise() {
    let place = Place::new(User::Own);
    let builder = || Runner::builder().allow_any().workspace(place.path("work"));
    let isolated = sessions(&builder().build().unwrap());
    assert_eq!((isolated[1], isolated[2]), (isolated[0], isolated[0]));
    let kept = sessions(&builder().isolate_terminal(false).build().unwrap());
    // 0, for both, where the tests run in a pid namespace that was entered from outside.
    assert_eq!(kept[1], nix::unistd::getsid(None).unwrap().as_raw());
    assert_ne!(kept[2], kept[0]);
}

#[test]
fn a_command_that_is_not_kept_away_reads_what_the_host_reads_and_dies_alone() {
    let place = Place::new(User::Own);
    let builder = Runner::builder().allow_any().workspace(place.path("work"));
    let runner = builder.isolate_terminal(false).build().unwrap();
    let input = |request| runner.run_blocking(request).unwrap().payload().stdout;
    let link = || Request::new("readlink").arg("/proc/self/fd/0");
    let own = std::fs::read_link("/proc/self/fd/0").unwrap();
    assert_eq!(input(link()), format!("{}\n", own.display()));
    assert!(input(link().stdin("")).starts_with("pipe:"));

    // Without a group of its own there is nobody else to be signalled.
    let sleep = Sleep::new(755);
    let script = format!("sleep {} > /dev/null 2>&1 & wait", sleep.seconds());
    let request = Request::new("sh").args(["-c", &script]).timeout(Duration::from_millis(500));
    assert!(runner.run_blocking(request).unwrap().timed_out);
    sleep.await_running(1);
    for left in sleep.running() {
        rustix::process::kill_process(left, rustix::process::Signal::KILL).unwrap();
    }
    sleep.await_gone();
}
