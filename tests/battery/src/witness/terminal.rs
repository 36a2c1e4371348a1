//! A person's terminal.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::verdict::{At, Trouble};

/// Both ends of a pair.
#[derive(Debug)]
pub(crate) struct Terminal {
    screen: File,
    other: OwnedFd,
    path: PathBuf,
}

impl Terminal {
    pub(crate) fn new() -> Result<Terminal, Trouble> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let screen = openpt(flags)
            .map_err(|error| Trouble::unavailable(format!("no terminals here: {error}")))?;
        grantpt(&screen).at("make a terminal")?;
        unlockpt(&screen).at("make a terminal")?;
        let name = ptsname(&screen, Vec::new()).at("make a terminal")?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let other = rustix::fs::open(name.as_c_str(), flags, Mode::empty());
        let other = other.at("open a terminal")?;
        // What is typed is not shown by itself, so that all that is shown was written by somebody.
        let mut settings = tcgetattr(&other).at("set up a terminal")?;
        settings.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&other, OptionalActions::Now, &settings).at("set up a terminal")?;
        rustix::io::ioctl_fionbio(&screen, true).at("set up a terminal")?;
        let path = PathBuf::from(name.to_string_lossy().into_owned());
        Ok(Terminal { screen: screen.into(), other, path })
    }

    /// Its name in `/dev/pts`.
    pub(crate) fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// To be somebody's stream.
    pub(crate) fn stream(&self) -> Result<OwnedFd, Trouble> {
        self.other.try_clone().at("copy a descriptor")
    }

    /// How it is set up, to be compared.
    pub(crate) fn settings(&self) -> Result<String, Trouble> {
        Ok(format!("{:?}", tcgetattr(&self.other).at("look at a terminal")?))
    }

    /// Whether these words were shown.
    pub(crate) fn shows(&mut self, words: &str) -> bool {
        let mut bytes = vec![0; 65536];
        let count = self.screen.read(&mut bytes).unwrap_or(0);
        String::from_utf8_lossy(&bytes[..count]).contains(words)
    }

    /// Whether somebody has put characters into its input: they would go to the person's shell.
    pub(crate) fn was_typed_into(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [PollFd::new(&self.other, PollFlags::IN)], Some(&now))
            .is_ok_and(|ready| ready > 0)
    }
}
