//! A process that has exec'd, by its number and a kqueue that tells of its end.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::event::{EvFlags, EventFilter, FilterFlag, KEvent, Kqueue};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process, waitid};

use super::Keeper;

/// A process, and the descriptor that tells of its end.
#[derive(Debug)]
pub(in crate::spawn) struct Process {
    pid: Pid,
    exit: OwnedFd,
    /// Ends the process with the host. It goes before the status is taken.
    keeper: Option<Keeper>,
}

impl Process {
    /// A child that was just made.
    pub(super) fn child(pid: i32) -> io::Result<Self> {
        let pid = Pid::from_raw(pid).ok_or(Errno::ESRCH)?;
        let exit = match exit_of(pid) {
            // It has ended already, and waits to be reaped: a descriptor that is readable at once.
            Err(Errno::ESRCH) => io::pipe()?.0.into(),
            exit => exit?,
        };
        Ok(Process { pid, exit, keeper: None })
    }

    /// A process that somebody else has made.
    pub(in crate::spawn) fn open(pid: Pid) -> io::Result<Self> {
        Ok(Process { pid, exit: exit_of(pid)?, keeper: None })
    }

    pub(super) fn keep(&mut self, keeper: Keeper) {
        self.keeper = Some(keeper);
    }

    pub(in crate::spawn) fn pid(&self) -> Pid {
        self.pid
    }

    /// Readable when it has ended.
    pub(in crate::spawn) fn exit(&self) -> BorrowedFd<'_> {
        self.exit.as_fd()
    }

    /// The same, to wait for its end and nothing else.
    pub(in crate::spawn) fn into_exit(self) -> OwnedFd {
        self.exit
    }

    /// Sends a signal. One that has gone is no error. The number of a child is its own until its status
    /// is taken.
    pub(in crate::spawn) fn signal(&self, signal: Signal) {
        let _ = kill_process(self.pid, signal);
    }

    /// The status of a child that has ended, which can still be taken; `None` while it runs.
    pub(in crate::spawn) fn look(&self) -> io::Result<Option<WaitIdStatus>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(self.pid), options)?)
    }

    /// Takes the status of a child that has ended; `None` while it runs.
    pub(in crate::spawn) fn status(&self) -> io::Result<Option<WaitIdStatus>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        Ok(waitid(WaitId::Pid(self.pid), options)?)
    }
}

/// A kqueue that is readable when the process has ended.
fn exit_of(pid: Pid) -> Result<OwnedFd, Errno> {
    let queue = Kqueue::new()?;
    let number = pid.as_raw_nonzero().get() as usize;
    let (filter, flags) = (EventFilter::EVFILT_PROC, EvFlags::EV_ADD);
    let exit = KEvent::new(number, filter, flags, FilterFlag::NOTE_EXIT, 0, 0);
    queue.kevent(&[exit], &mut [], None)?;
    Ok(queue.into())
}

/// Ends a child and takes its status, so that no zombie stays.
pub(super) fn kill_and_reap(pid: i32) {
    // SAFETY: the number is that of a child whose status nobody has taken; a null status is allowed.
    unsafe {
        libc::kill(pid, libc::SIGKILL);
        while libc::waitpid(pid, std::ptr::null_mut(), 0) < 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }
}
