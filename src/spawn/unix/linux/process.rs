//! A process that has exec'd, by its pidfd: a number that is somebody else's by now is never meant.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitIdStatus, pidfd_open, pidfd_send_signal,
    waitid,
};

/// A process, and the descriptor that tells of its end.
#[derive(Debug)]
pub(in crate::spawn) struct Process {
    pid: Pid,
    pidfd: OwnedFd,
}

impl Process {
    /// A child that was just made.
    pub(super) fn new(pid: i32, pidfd: OwnedFd) -> Self {
        let pid = Pid::from_raw(pid).expect("a clone gives its parent a positive number");
        Process { pid, pidfd }
    }

    /// A process that somebody else has made.
    pub(in crate::spawn) fn open(pid: Pid) -> io::Result<Self> {
        Ok(Process { pid, pidfd: pidfd_open(pid, PidfdFlags::empty())? })
    }

    pub(in crate::spawn) fn pid(&self) -> Pid {
        self.pid
    }

    /// Readable when it has ended.
    pub(in crate::spawn) fn exit(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// The same, to wait for its end and nothing else.
    pub(in crate::spawn) fn into_exit(self) -> OwnedFd {
        self.pidfd
    }

    /// Sends a signal. One that has gone is no error.
    pub(in crate::spawn) fn signal(&self, signal: Signal) {
        let _ = pidfd_send_signal(&self.pidfd, signal);
    }

    /// The status of a child that has ended, which can still be taken; `None` while it runs.
    pub(in crate::spawn) fn look(&self) -> io::Result<Option<WaitIdStatus>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::PidFd(self.pidfd.as_fd()), options)?)
    }

    /// Takes the status of a child that has ended; `None` while it runs.
    pub(in crate::spawn) fn status(&self) -> io::Result<Option<WaitIdStatus>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        Ok(waitid(WaitId::PidFd(self.pidfd.as_fd()), options)?)
    }
}
