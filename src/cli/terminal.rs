//! The person's terminal: who may read it, and in which mode it is.
//!
//! It is shared with the shell and with the other programs of a pipeline, so it is touched only
//! while cofferdam is in its foreground, and whatever is changed is changed back: the value restores
//! it when it is dropped, on every way out.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

use rustix::termios::{LocalModes, OptionalActions, OutputModes, Termios, tcgetattr, tcsetattr};

/// When keys go to the command as they are pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// Always: the command's terminal does the echo, the editing of lines and the interrupts.
    Always,
    /// While the command asks for them by the mode of its own terminal. Until then the person's
    /// terminal edits lines, and another program of the pipeline may take it: a pager behind `|`.
    OnRequest {
        /// Whether lines are read meanwhile. Otherwise nothing is: stdin comes from elsewhere.
        lines: bool,
    },
}

/// What the command has made of its own terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Wish {
    /// It takes keys, and not lines.
    pub(super) keys: bool,
    /// Its terminal makes new lines of line feeds, so that nobody else has to.
    pub(super) new_lines: bool,
}

/// The person's terminal.
#[derive(Debug)]
pub(super) struct Terminal {
    fd: Rc<OwnedFd>,
    keys: Keys,
    /// The settings to restore, while they are changed.
    before: Option<Termios>,
}

impl Terminal {
    /// Changes nothing yet.
    pub(super) fn new(fd: Rc<OwnedFd>, keys: Keys) -> Self {
        Terminal { fd, keys, before: None }
    }

    /// The settings that a person has made.
    pub(super) fn settings(&self) -> Option<Termios> {
        tcgetattr(&self.fd).ok()
    }

    /// Takes or returns the keys, as it should be now.
    pub(super) fn follow(&mut self, wish: impl FnOnce() -> Wish) {
        if !self.in_foreground() {
            // The shell has taken the terminal, and its settings, back.
            self.before = None;
            return;
        }
        let wish = match self.keys {
            Keys::Always => Wish { keys: true, new_lines: true },
            Keys::OnRequest { .. } => wish(),
        };
        if !wish.keys {
            self.restore();
        } else if self.before.is_none() {
            self.before = self.make_raw(wish.new_lines).ok();
        }
    }

    /// Whether keys go to the command as they are pressed. Otherwise lines do, or nothing.
    pub(super) fn takes_keys(&self) -> bool {
        self.before.is_some()
    }

    /// Whether what is typed now is for the command.
    pub(super) fn may_read(&self) -> bool {
        if self.takes_keys() {
            return self.in_foreground();
        }
        match self.keys {
            // A terminal that takes keys although nobody here has made it so serves another program.
            Keys::OnRequest { lines: true } => self.in_foreground() && self.edits_lines(),
            Keys::OnRequest { lines: false } | Keys::Always => false,
        }
    }

    /// Puts the settings back.
    pub(super) fn restore(&mut self) {
        if let Some(before) = self.before.take()
            && self.in_foreground()
        {
            // A terminal that is gone needs no restoring.
            let _ = tcsetattr(&self.fd, OptionalActions::Now, &before);
        }
    }

    /// Returns the settings as they were. `new_lines`: somebody else makes them.
    fn make_raw(&self, new_lines: bool) -> io::Result<Termios> {
        let before = tcgetattr(&self.fd)?;
        let mut raw = before.clone();
        raw.make_raw();
        if !new_lines {
            raw.output_modes |= before.output_modes & OutputModes::OPOST;
        }
        tcsetattr(&self.fd, OptionalActions::Now, &raw)?;
        Ok(before)
    }

    fn edits_lines(&self) -> bool {
        self.settings().is_some_and(|termios| termios.local_modes.contains(LocalModes::ICANON))
    }

    /// Reading or setting it from the background would stop the whole job (`termios(3)`). Where it is
    /// not the controlling terminal there are no jobs, and nobody to share it with. In a pid namespace
    /// that the group was not made in, it is 0.
    fn in_foreground(&self) -> bool {
        nix::unistd::tcgetpgrp(&self.fd).map_or(true, |group| group == nix::unistd::getpgrp())
    }
}

impl AsFd for Terminal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.restore();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::pty::Pty;

    /// A terminal that controls nobody. The first value keeps it alive.
    fn terminal(keys: Keys) -> (Pty, Terminal) {
        let (pty, slave) = Pty::open(None).unwrap();
        (pty, Terminal::new(Rc::new(slave), keys))
    }

    fn modes(pty: &Pty) -> (LocalModes, OutputModes) {
        let termios = tcgetattr(pty).unwrap();
        (termios.local_modes, termios.output_modes)
    }

    const KEYS: Wish = Wish { keys: true, new_lines: false };

    #[test]
    fn it_is_as_before_when_the_value_is_dropped_even_by_a_panic() {
        let (pty, mut terminal) = terminal(Keys::Always);
        let before = modes(&pty);
        terminal.follow(Wish::default);
        assert!(pty.wish().keys && terminal.may_read());
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _held = terminal;
            std::panic::resume_unwind(Box::new("on the way"));
        }));
        assert!(panic.is_err());
        assert_eq!(modes(&pty), before);
    }

    #[test]
    fn keys_on_request_come_and_go_with_the_request() {
        let (pty, mut terminal) = terminal(Keys::OnRequest { lines: false });
        let before = modes(&pty);
        terminal.follow(Wish::default);
        assert_eq!(modes(&pty), before);
        assert!(!terminal.may_read());
        terminal.follow(|| KEYS);
        assert!(pty.wish().keys && terminal.may_read());
        terminal.follow(Wish::default);
        assert_eq!(modes(&pty), before);
    }

    #[test]
    fn new_lines_are_made_once() {
        for new_lines in [true, false] {
            let (pty, mut terminal) = terminal(Keys::OnRequest { lines: true });
            terminal.follow(|| Wish { new_lines, ..KEYS });
            assert_eq!(modes(&pty).1.contains(OutputModes::OPOST), !new_lines);
        }
    }

    #[test]
    fn lines_are_read_only_while_no_other_program_takes_the_keys() {
        let (pty, terminal) = terminal(Keys::OnRequest { lines: true });
        assert!(terminal.may_read());
        let mut pager = tcgetattr(&pty).unwrap();
        pager.make_raw();
        tcsetattr(&pty, OptionalActions::Now, &pager).unwrap();
        assert!(!terminal.may_read());
    }
}
