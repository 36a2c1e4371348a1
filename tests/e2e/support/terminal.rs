//! A person's terminal: a pseudo-terminal whose other end a test holds.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};

use super::{LIMIT, Setup, User};

/// A person's terminal.
pub(crate) struct Terminal {
    keyboard: File,
    /// Kept open, so that the settings can be read when everybody else is gone.
    screen: OwnedFd,
    shown: Receiver<Vec<u8>>,
    /// What was shown since the last time that somebody looked for something.
    unread: String,
}

impl Terminal {
    pub(crate) fn new() -> Self {
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
    pub(crate) fn start(&self, user: User, command: &Command) -> Child {
        let mut outer = Command::new("setsid");
        outer.arg("--ctty").arg(command.get_program()).args(command.get_args()).env_clear();
        outer.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        outer.env("TERM", "xterm").current_dir(command.get_current_dir().unwrap());
        let stream = || self.screen.try_clone().unwrap();
        outer.stdin(stream()).stdout(stream()).stderr(stream());
        user.applied_to(&mut outer);
        outer.spawn().unwrap()
    }

    pub(crate) fn types(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until this is shown, and gives what came before it.
    #[track_caller]
    pub(crate) fn shows(&mut self, wanted: &str) -> String {
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
    pub(crate) fn settings(&self) -> String {
        let settings = tcgetattr(&self.screen).unwrap();
        format!(
            "{:?} {:?} {:?} {:?}",
            settings.input_modes,
            settings.output_modes,
            settings.control_modes,
            settings.local_modes
        )
    }

    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.keyboard, size).unwrap();
    }

    /// The path of the terminal's device.
    pub(crate) fn name(&self) -> String {
        nix::unistd::ttyname(&self.screen).unwrap().to_str().unwrap().to_owned()
    }

    /// The same command with this as its controlling terminal, although its streams are others: as a
    /// server that a client starts which a person has started here. Needs python3.
    pub(crate) fn controlling(&self, setup: &Setup, command: &Command) -> Command {
        let script = "import os, sys\n\
                      os.setsid()\n\
                      os.open(sys.argv[1], os.O_RDWR)\n\
                      os.open('/dev/tty', os.O_RDWR)\n\
                      os.execvp(sys.argv[2], sys.argv[2:])";
        let mut outer = Command::new("python3");
        outer
            .args(["-c", script, &self.name()])
            .arg(command.get_program())
            .args(command.get_args());
        setup.prepared(&mut outer);
        if let Some(id) = setup.user.id() {
            std::os::unix::fs::chown(self.name(), Some(id), Some(id)).unwrap();
        }
        outer
    }

    /// What was typed and nobody has read yet.
    pub(crate) fn unread_keys(&self) -> u64 {
        rustix::io::ioctl_fionread(&self.screen).unwrap()
    }
}
