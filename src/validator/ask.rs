//! One question to an external program: it is written, the answer is read, both within bounds.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};

use super::answer::Answer;
use crate::spawn::{Child, Pending};

/// More than this is no reason.
const MOST: usize = 64 * 1024;

/// A validator that runs, with our ends of its pipes. They never block.
pub(super) struct Asked {
    pub(super) child: Child,
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: Option<OwnedFd>,
}

impl Asked {
    /// Writes the question and waits for the end of the program, or of the time. The program is gone
    /// afterwards, with all that it has started.
    /// So it is, soon, where nobody waits for the run any more.
    pub(super) fn answer(
        mut self,
        question: &[u8],
        deadline: Instant,
        pending: &Pending,
    ) -> io::Result<Answer> {
        /// How often that is looked at.
        const LOOK: Duration = Duration::from_millis(50);
        let mut unwritten = question;
        let mut stdout = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || pending.is_killed() {
                return Ok(Answer::Late);
            }
            self.wait(Timespec::try_from(left.min(LOOK)).unwrap_or_default())?;
            self.write(&mut unwritten);
            self.read(&mut stdout);
            if stdout.len() > MOST {
                return Ok(Answer::Flood);
            }
            if self.child.has_ended() {
                self.read(&mut stdout);
                self.child.sweep();
                return Ok(Answer::Ended { how: self.child.reap(), stdout });
            }
        }
    }

    /// Until one of the pipes can be used, or the program has ended.
    fn wait(&self, time: Timespec) -> io::Result<()> {
        let mut fds = vec![PollFd::from_borrowed_fd(self.child.exit(), PollFlags::IN)];
        let stdin = self.stdin.as_ref().map(|fd| PollFd::new(fd, PollFlags::OUT));
        let stdout = self.stdout.as_ref().map(|fd| PollFd::new(fd, PollFlags::IN));
        fds.extend([stdin, stdout].into_iter().flatten());
        match poll(&mut fds, Some(&time)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// A program that does not want to know has closed its input, which is no mistake.
    fn write(&mut self, unwritten: &mut &[u8]) {
        let Some(stdin) = &self.stdin else { return };
        match write(stdin, unwritten) {
            Ok(count) => *unwritten = &unwritten[count..],
            Err(Errno::AGAIN | Errno::INTR) => return,
            Err(_) => *unwritten = &[],
        }
        if unwritten.is_empty() {
            self.stdin = None;
        }
    }

    fn read(&mut self, stdout: &mut Vec<u8>) {
        let mut chunk = [0; 4096];
        while let Some(pipe) = &self.stdout {
            match read(pipe.as_fd(), &mut chunk) {
                Ok(0) => self.stdout = None,
                Ok(count) => stdout.extend_from_slice(&chunk[..count]),
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
            if stdout.len() > MOST {
                return;
            }
        }
    }
}
