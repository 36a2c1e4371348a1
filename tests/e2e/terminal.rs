//! `cofferdam run` at a terminal: the command gets one of its own, and the person's is as it was
//! afterwards.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};

use crate::support::{LIMIT, Setup, Sleep, User, eventually, everywhere, finish, ignored};

/// A person's terminal.
struct Terminal {
    keyboard: File,
    /// Kept open, so that the settings can be read when everybody else is gone.
    screen: OwnedFd,
    shown: Receiver<Vec<u8>>,
    /// What was shown since the last time that somebody looked for something.
    unread: String,
}

impl Terminal {
    fn new() -> Self {
        let size = nix::pty::Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = nix::pty::openpty(&size, None).unwrap();
        let keyboard = File::from(pair.master);
        let mut output = keyboard.try_clone().unwrap();
        let (told, shown) = channel();
        thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut chunk) {
                if told.send(chunk[..count].to_owned()).is_err() {
                    return;
                }
            }
        });
        Terminal { keyboard, screen: pair.slave, shown, unread: String::new() }
    }

    /// Starts a command here, in a session of its own, as a shell's terminal would.
    fn start(&self, user: User, command: &Command) -> Child {
        let mut outer = Command::new("setsid");
        outer.arg("--ctty").arg(command.get_program()).args(command.get_args()).env_clear();
        outer.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        outer.env("TERM", "xterm").current_dir(command.get_current_dir().unwrap());
        let stream = || self.screen.try_clone().unwrap();
        outer.stdin(stream()).stdout(stream()).stderr(stream());
        user.applied_to(&mut outer);
        outer.spawn().unwrap()
    }

    fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until this is shown, and gives what came before it.
    #[track_caller]
    fn shows(&mut self, wanted: &str) -> String {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(place) = self.unread.find(wanted) {
                let before = self.unread[..place].to_owned();
                self.unread.drain(..place + wanted.len());
                return before;
            }
            match self.shown.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.unread.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("`{wanted}` is not shown, but {:?}", self.unread)
                }
            }
        }
    }

    /// The settings, as text that can be compared.
    fn settings(&self) -> String {
        let settings = tcgetattr(&self.screen).unwrap();
        format!(
            "{:?} {:?} {:?} {:?}",
            settings.input_modes,
            settings.output_modes,
            settings.control_modes,
            settings.local_modes
        )
    }

    fn resize(&self, rows: u16, columns: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.keyboard, size).unwrap();
    }

    /// The path of the terminal's device.
    fn name(&self) -> String {
        nix::unistd::ttyname(&self.screen).unwrap().to_str().unwrap().to_owned()
    }
}

/// A terminal with a command in it, under the launcher of a setup.
fn at_terminal(setup: &Setup, command: &[&str]) -> (Terminal, Child) {
    let terminal = Terminal::new();
    let child = terminal.start(setup.user, &setup.run_command(&[], command));
    (terminal, child)
}

#[test]
fn an_interpreter_edits_lines_and_is_interrupted() {
    let with_editing = Command::new("/usr/bin/python3").args(["-c", "import readline"]).status();
    if !with_editing.is_ok_and(|status| status.success()) {
        return ignored("/usr/bin/python3 cannot edit lines");
    }
    everywhere(|setup| {
        let (mut terminal, child) = at_terminal(setup, &["/usr/bin/python3", "-q"]);
        terminal.shows(">>> ");
        // To the start of the line, and on from there.
        terminal.types("+1\u{1}41\r");
        terminal.shows("\n42\r\n");
        terminal.shows(">>> ");
        // A sleep of Python's own would not do: interrupted just before it, Python sleeps on.
        let sleep = Sleep::new(795);
        let seconds = sleep.seconds();
        terminal.types(&format!("import subprocess; subprocess.run(['sleep', '{seconds}'])\r"));
        sleep.await_running(1);
        terminal.types("\u{3}");
        terminal.shows("KeyboardInterrupt");
        terminal.shows(">>> ");
        // Python would end as an interrupted program if this were not the last that it did.
        terminal.types("6*7\r");
        terminal.shows("\n42\r\n");
        terminal.shows(">>> ");
        terminal.types("\u{4}");
        finish(child).exited(0);
    });
}

#[test]
fn an_interactive_shell_has_job_control() {
    everywhere(|setup| {
        let (mut terminal, child) = at_terminal(setup, &["bash", "--norc", "-i"]);
        terminal.shows(if setup.user == User::Own { "# " } else { "$ " });
        let sleep = Sleep::new(791);
        terminal.types(&format!("sleep {}\r", sleep.seconds()));
        sleep.await_running(1);
        terminal.types("\u{1a}");
        terminal.shows("Stopped");
        terminal.types("echo $((6 * 7)); kill %1; exit 5\r");
        terminal.shows("42\r\n");
        terminal.types("exit 5\r");
        finish(child).exited(5);
        sleep.await_gone();
    });
}

#[test]
fn ctrl_c_ends_a_program_that_does_not_handle_it() {
    everywhere(|setup| {
        let sleep = Sleep::new(793);
        let (mut terminal, child) = at_terminal(setup, &["sleep", sleep.seconds()]);
        let before = Terminal::new().settings();
        sleep.await_running(1);
        terminal.types("\u{3}");
        finish(child).exited(130);
        assert_eq!(terminal.settings(), before);
        sleep.await_gone();
    });
}

#[test]
fn the_window_has_the_size_of_the_persons_and_follows_it() {
    everywhere(|setup| {
        let script = "trap 'stty size' WINCH; stty size; echo ready; while :; do sleep 0.05; done";
        let (mut terminal, child) = at_terminal(setup, &["sh", "-c", script]);
        terminal.shows("40 100");
        terminal.shows("ready");
        terminal.resize(33, 77);
        terminal.shows("33 77");
        terminal.types("\u{3}");
        finish(child).exited(130);
    });
}

#[test]
fn the_terminal_of_the_command_is_not_the_persons() {
    everywhere(|setup| {
        let (mut terminal, child) =
            at_terminal(setup, &["sh", "-c", "test -t 0 || exit 9; tty; echo end; exit 3"]);
        let shown = terminal.shows("end");
        assert!(!shown.lines().any(|line| line == terminal.name()), "{shown}");
        finish(child).exited(3);
    });
}

#[test]
fn the_terminal_is_as_it_was_after_every_end() {
    everywhere(|setup| {
        let ends: [(&str, Option<Signal>, i32); 6] = [
            ("exit 0", None, 0),
            ("stty raw -echo; exit 4", None, 4),
            ("kill -KILL $$", None, 137),
            ("stty raw -echo; echo ready; exec sleep 600", Some(Signal::TERM), 143),
            ("stty raw -echo; echo ready; exec sleep 600", Some(Signal::HUP), 129),
            ("stty raw -echo; echo ready; exec sleep 600", Some(Signal::INT), 130),
        ];
        for (script, signal, code) in ends {
            let mut terminal = Terminal::new();
            let before = terminal.settings();
            let child = terminal.start(setup.user, &setup.run_command(&[], ["sh", "-c", script]));
            if let Some(signal) = signal {
                terminal.shows("ready");
                assert!(eventually(|| terminal.settings() != before), "it was never raw");
                kill_process(Pid::from_child(&child), signal).unwrap();
            }
            finish(child).exited(code);
            assert_eq!(terminal.settings(), before, "after `{script}` and {signal:?}");
        }
    });
}

#[test]
fn a_command_that_was_not_found_leaves_the_terminal_alone() {
    everywhere(|setup| {
        let mut terminal = Terminal::new();
        let before = terminal.settings();
        let child = terminal.start(setup.user, &setup.run_command(&[], ["nosuchtool"]));
        finish(child).exited(127);
        terminal.shows("nosuchtool");
        assert_eq!(terminal.settings(), before);
    });
}

#[test]
fn all_that_a_command_wrote_is_shown_before_the_end() {
    everywhere(|setup| {
        let (mut terminal, child) = at_terminal(setup, &["seq", "-f", "line %.0f", "20000"]);
        terminal.shows("line 20000\r\n");
        finish(child).exited(0);
    });
}

#[test]
fn a_killed_cofferdam_takes_the_command_at_its_terminal_with_it() {
    everywhere(|setup| {
        let sleep = Sleep::new(797);
        let (_terminal, mut child) = at_terminal(setup, &["sleep", sleep.seconds()]);
        sleep.await_running(1);
        kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
        child.wait().unwrap();
        sleep.await_gone();
    });
}

#[test]
fn a_terminal_is_given_or_withheld_on_request() {
    everywhere(|setup| {
        let script = "test -t 0 && test -t 1 && test -t 2 && echo all; test -t 0 || echo none";
        let ran = setup.run(&["--tty"], ["sh", "-c", script]);
        assert_eq!(ran.exited(0).stdout, "all\n", "{ran:?}");
        let mut terminal = Terminal::new();
        let child =
            terminal.start(setup.user, &setup.run_command(&["--no-tty"], ["sh", "-c", script]));
        let shown = terminal.shows("none");
        assert!(!shown.contains("all"), "{shown}");
        finish(child).exited(0);
    });
}
