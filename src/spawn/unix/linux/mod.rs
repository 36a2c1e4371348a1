//! Children on Linux: made by `clone3(2)` in the host's memory, prepared by raw system calls.
//!
//! Until the exec the child runs on the host's memory (CLONE_VM) while the thread that made it is
//! suspended (CLONE_VFORK) and every other thread goes on. So it costs nothing to start from a host
//! that holds gigabytes, and the child may do only what `ChildStep` says as well: raw system calls on
//! values that were prepared before, no heap, no lock, no libc function, no panic, no write outside
//! its own stack and the [`Failure`] slot.
//!
//! * [`away`]: whether a child has left the host's terminal behind.
//! * [`clone`]: the system call that returns twice. [`stack`]: where the child runs.
//! * [`child`]: what the child does.
//! * [`listener`]: which system calls a filter passes on to the host, and their refusal.
//! * [`pending`]: the handle by which another thread ends a child that hangs.
//! * [`pipe`]: how much a pipe holds.
//! * [`process`]: what has exec'd, by its pidfd.
//! * [`syscall`]: system calls that leave libc's thread state alone.

mod away;
mod child;
mod clone;
mod listener;
mod pending;
mod pipe;
mod process;
mod stack;
mod syscall;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use super::{CloneError, EXEC, Failure, Recipe, Session, pointers};
use child::ChildView;
use stack::Stack;

pub(in crate::spawn) use away::{AWAY, IsAway};
pub(crate) use listener::{WaitingCall, next_call, receive_listener, refuse_call};
pub(crate) use pending::Pending;
pub(crate) use pipe::widen_pipe;
pub(in crate::spawn) use process::Process;
pub(in crate::spawn) use syscall::SignalsBlocked;

/// What a thread needs to make children.
#[derive(Debug)]
pub(in crate::spawn) struct Maker {
    stack: Stack,
    /// A pidfd of this process, opened before any clone.
    host: OwnedFd,
}

impl Maker {
    pub(in crate::spawn) fn new() -> io::Result<Self> {
        let (host, flags) = (rustix::process::getpid(), rustix::process::PidfdFlags::empty());
        Ok(Maker { host: rustix::process::pidfd_open(host, flags)?, stack: Stack::new()? })
    }

    /// Makes one child and returns when it has exec'd or failed.
    ///
    /// All signals must be blocked in the calling thread: a handler that ran in the child would run on
    /// the host's memory. The calling thread must live as long as the child may: the child's
    /// parent-death signal follows the thread.
    pub(in crate::spawn) fn start(
        &mut self,
        recipe: &Recipe<'_>,
        pending: &Pending,
    ) -> Result<Process, CloneError> {
        let argv = pointers(recipe.argv);
        let env = pointers(recipe.env);
        let mut failure: Option<Failure> = None;
        let mut view = ChildView {
            program: recipe.program.as_ptr(),
            argv: argv.as_ptr(),
            env: env.as_ptr(),
            dir: recipe.dir.as_raw_fd(),
            enters: None,
            stdio: recipe.stdio,
            keep: recipe.keep,
            session: recipe.session,
            step: recipe.step,
            host: self.host.as_raw_fd(),
            failure: &raw mut failure,
        };
        let group = recipe.group.map(|group| group.as_raw_fd());
        let pid =
            clone::child(&mut view, &mut self.stack, pending, group).map_err(CloneError::Clone)?;
        let pidfd = pending.take();
        // SAFETY: the child has exec'd or ended, so nothing else refers to the slot; volatile because
        // the compiler cannot know that the clone wrote there.
        match unsafe { (&raw const failure).read_volatile() } {
            None => Ok(Process::new(pid, pidfd)),
            Some(failure) => {
                reap(&pidfd);
                Err(CloneError::Child(failure))
            }
        }
    }
}

/// Takes the status of a child that failed before its exec, so that no zombie stays.
fn reap(pidfd: &OwnedFd) {
    // SAFETY: `info` is written by the kernel and large enough; a null rusage is allowed.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let id = pidfd.as_raw_fd() as libc::id_t;
        while libc::waitid(libc::P_PIDFD, id, &mut info, libc::WEXITED | libc::__WALL) < 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }
}
