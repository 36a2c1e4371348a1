//! A started child and the tree below it: how it is ended, and how its status is taken.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitIdStatus, kill_process_group};

pub(crate) use cofferdam_launcher::Ended;
use cofferdam_launcher::Refusals;

use super::unix::Process;

/// A child that has exec'd. Dropping it kills the tree and takes the status, so that whoever starts
/// something also ends it.
#[derive(Debug)]
pub(crate) struct Child {
    process: Process,
    /// Whether the child leads a process group of its own.
    leads: bool,
    /// The command itself where the child is only its wrapper.
    command: Option<Process>,
    status: Option<OwnedFd>,
    refusals: Option<Refusals>,
    reaped: bool,
}

impl Child {
    pub(super) fn new(
        process: Process,
        leads: bool,
        status: Option<OwnedFd>,
        refusals: Option<Refusals>,
    ) -> Self {
        Child { process, leads, command: None, status, refusals, reaped: false }
    }

    /// Readable when the child has ended.
    pub(crate) fn exit(&self) -> BorrowedFd<'_> {
        self.process.exit()
    }

    /// The reading end of the launcher's status pipe.
    pub(crate) fn take_status(&mut self) -> Option<OwnedFd> {
        self.status.take()
    }

    /// What tells of the system calls that the child is refused. They wait for whoever takes it.
    pub(crate) fn take_refusals(&mut self) -> Option<Refusals> {
        self.refusals.take()
    }

    /// The wrapper has told the command's process id. A number that is somebody else's by now is not
    /// taken: while the wrapper lives, its child's number is not given away.
    pub(crate) fn set_command(&mut self, pid: u32) {
        let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
        if let Ok(command) = Process::open(pid)
            && !ended(self.exit(), Duration::ZERO)
        {
            self.command = Some(command);
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

    /// Stops everything that a kill reaches, so that it cannot react to the end of others any more.
    pub(crate) fn hold(&self) {
        self.signal(Signal::STOP);
        if let Some(command) = self.command.as_ref().filter(|_| !self.reaped) {
            command.signal(Signal::STOP);
        }
    }

    /// Passes a signal to the group, or to the child where it leads none.
    pub(crate) fn signal(&self, signal: Signal) {
        if self.reaped {
            return;
        }
        if self.leads {
            let _ = kill_process_group(self.process.pid(), signal);
        }
        self.process.signal(signal);
    }

    /// Kills what is left of the group once the child itself has ended. The zombie still holds the
    /// group's number.
    pub(crate) fn sweep(&self) {
        if self.leads && !self.reaped {
            let _ = kill_process_group(self.process.pid(), Signal::KILL);
        }
    }

    /// Kills the command behind a wrapper, which is normally gone with it.
    pub(crate) fn kill_command(&self) {
        if let Some(command) = &self.command {
            command.signal(Signal::KILL);
        }
    }

    /// Readable at the end of the command behind a wrapper.
    pub(crate) fn take_command(&mut self) -> Option<OwnedFd> {
        self.command.take().map(Process::into_exit)
    }

    /// Whether the child has ended. Its status may be taken already.
    pub(crate) fn has_ended(&self) -> bool {
        ended(self.exit(), Duration::ZERO)
    }

    /// How an ended child has ended, without taking its status; `None` as for [`Child::reap`].
    pub(crate) fn look(&self) -> Option<Ended> {
        let status = if self.reaped { None } else { self.process.look().ok().flatten() };
        status.as_ref().and_then(read_status)
    }

    /// Takes the status of an ended child; `None` while it runs, and where the host has taken it
    /// (it ignores SIGCHLD, or waits for every child).
    pub(crate) fn reap(&mut self) -> Option<Ended> {
        if self.reaped {
            return None;
        }
        match self.process.status() {
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
        let command = self.command.as_ref().filter(|_| !self.reaped)?;
        let id = command.pid();
        let own = nix::unistd::Pid::from_raw(id.as_raw_nonzero().get());
        // 0 for a session from outside of this pid namespace.
        let session = nix::unistd::getsid(Some(own)).ok()?;
        (session == own && !ended(command.exit(), Duration::ZERO)).then_some(id)
    }
}

fn read_status(status: &WaitIdStatus) -> Option<Ended> {
    let exited = status.exit_status().map(Ended::Exited);
    exited.or_else(|| status.terminating_signal().map(Ended::Signaled))
}

/// Waits until the process of an exit descriptor has ended.
fn ended(exit: BorrowedFd<'_>, within: Duration) -> bool {
    let end = Instant::now() + within;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let left = rustix::event::Timespec::try_from(left).ok();
        match poll(&mut [PollFd::from_borrowed_fd(exit, PollFlags::IN)], left.as_ref()) {
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
            if ended(self.exit(), KILLED_WITHIN) {
                self.sweep();
                self.reap();
            }
        }
    }
}
