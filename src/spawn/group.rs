//! A started child and the tree below it: how it is ended, and how its status is taken.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, pidfd_open,
    pidfd_send_signal, waitid,
};

pub(crate) use cofferdam_launcher::Ended;

use super::unix::Started;

/// A child that has exec'd. Dropping it kills the tree and takes the status, so that whoever starts
/// something also ends it.
#[derive(Debug)]
pub(crate) struct Child {
    pid: Pid,
    pidfd: OwnedFd,
    /// Whether the child leads a process group of its own.
    leads: bool,
    /// The command itself where the child is only its wrapper.
    command: Option<(Pid, OwnedFd)>,
    status: Option<OwnedFd>,
    reaped: bool,
}

impl Child {
    pub(super) fn new(started: Started, leads: bool, status: Option<OwnedFd>) -> Self {
        let pid = Pid::from_raw(started.pid).expect("a clone gives its parent a positive number");
        Child { pid, pidfd: started.pidfd, leads, command: None, status, reaped: false }
    }

    /// Readable when the child has ended.
    pub(crate) fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// The reading end of the launcher's status pipe.
    pub(crate) fn take_status(&mut self) -> Option<OwnedFd> {
        self.status.take()
    }

    /// The wrapper has told the command's process id. A number that is somebody else's by now is not
    /// taken: while the wrapper lives, its child's number is not given away.
    pub(crate) fn set_command(&mut self, pid: u32) {
        let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
        if let Ok(command) = pidfd_open(pid, PidfdFlags::empty())
            && !ended(self.pidfd.as_fd(), Duration::ZERO)
        {
            self.command = Some((pid, command));
        }
    }

    /// Whether the wrapper has told of the command.
    pub(crate) fn knows_command(&self) -> bool {
        self.command.is_some()
    }

    /// Kills everything that can be reached: the group, the child, the command behind a wrapper.
    /// Only before [`Child::reap`]: afterwards the group's number may be a stranger's.
    pub(crate) fn kill(&self) {
        if self.reaped {
            return;
        }
        self.signal(Signal::KILL);
        self.kill_command();
    }

    /// Passes a signal to the group, or to the child where it leads none.
    pub(crate) fn signal(&self, signal: Signal) {
        if self.reaped {
            return;
        }
        if self.leads {
            let _ = kill_process_group(self.pid, signal);
        }
        let _ = pidfd_send_signal(&self.pidfd, signal);
    }

    /// Kills what is left of the group once the child itself has ended. The zombie still holds the
    /// group's number.
    pub(crate) fn sweep(&self) {
        if self.leads && !self.reaped {
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
    }

    /// Kills the command behind a wrapper, which is normally gone with it.
    pub(crate) fn kill_command(&self) {
        if let Some((_, command)) = &self.command {
            let _ = pidfd_send_signal(command, Signal::KILL);
        }
    }

    /// The pidfd of the command behind a wrapper, to wait for its end.
    pub(crate) fn take_command(&mut self) -> Option<OwnedFd> {
        self.command.take().map(|(_, pidfd)| pidfd)
    }

    /// Whether the child has ended. Its status may be taken already.
    pub(crate) fn has_ended(&self) -> bool {
        ended(self.pidfd.as_fd(), Duration::ZERO)
    }

    /// Takes the status of an ended child; `None` while it runs, and where the host has taken it
    /// (it ignores SIGCHLD, or waits for every child).
    pub(crate) fn reap(&mut self) -> Option<Ended> {
        if self.reaped {
            return None;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        match waitid(WaitId::PidFd(self.pidfd.as_fd()), options) {
            Ok(Some(status)) => {
                self.reaped = true;
                read_status(&status)
            }
            Ok(None) => None,
            Err(_) => {
                self.reaped = true;
                None
            }
        }
    }
}

/// What the program needs, which stands between a terminal and the command.
#[cfg(feature = "cli")]
impl Child {
    /// Passes a signal on to the command: to its own group, where it has left that of its wrapper, and
    /// the wrapper stays, to tell how the command took it.
    pub(crate) fn pass_on(&self, signal: Signal) {
        match self.command_apart() {
            Some(group) => drop(kill_process_group(group, signal)),
            None => self.signal(signal),
        }
    }

    /// The process group of a command that has left the session of its wrapper. No signal to the
    /// wrapper's group reaches it, and none from the terminal of that session.
    pub(crate) fn command_apart(&self) -> Option<Pid> {
        let (pid, pidfd) = self.command.as_ref().filter(|_| !self.reaped)?;
        let session = rustix::process::getsid(Some(*pid)).ok()?;
        (session == *pid && !ended(pidfd.as_fd(), Duration::ZERO)).then_some(session)
    }
}

fn read_status(status: &WaitIdStatus) -> Option<Ended> {
    let exited = status.exit_status().map(Ended::Exited);
    exited.or_else(|| status.terminating_signal().map(Ended::Signaled))
}

/// Waits until the process of a pidfd has ended.
fn ended(pidfd: BorrowedFd<'_>, within: Duration) -> bool {
    let end = Instant::now() + within;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let left = rustix::event::Timespec::try_from(left).ok();
        match poll(&mut [PollFd::from_borrowed_fd(pidfd, PollFlags::IN)], left.as_ref()) {
            Ok(0) => return false,
            Ok(_) => return true,
            Err(error) if io::Error::from(error).kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        /// SIGKILL takes effect within microseconds, but for a process stuck in the kernel; that one
        /// is left to the init of the system.
        const KILLED_WITHIN: Duration = Duration::from_millis(200);
        if !self.reaped {
            self.kill();
            if ended(self.pidfd.as_fd(), KILLED_WITHIN) {
                self.sweep();
                self.reap();
            }
        }
    }
}
