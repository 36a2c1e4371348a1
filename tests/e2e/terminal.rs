//! `cofferdam run` at a terminal: the command gets one of its own, and the person's is as it was
//! afterwards.

use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Setup, Sleep, Terminal, User, eventually, everywhere, finish, ignored};

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
