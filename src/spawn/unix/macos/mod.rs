//! Children on macOS: made by `fork(2)`, on a copy of the host's memory, and prepared by calls that may
//! be made after a fork (`sigaction(2)`).
//!
//! There is no pidfd. A process's end is told by a kqueue of its own, which is a descriptor that can be
//! polled like any other; and a number cannot be somebody else's as long as the host, whose child it is,
//! has not taken its status. There is no parent-death signal either: a [`keeper`] watches host and child.
//!
//! * [`away`]: whether a child has left the host's terminal behind.
//! * [`child`]: what the child does before its exec. [`report`]: how it tells a failure.
//! * [`descriptors`]: which are open, and how they are closed.
//! * [`keeper`]: ends the child when the host has gone.
//! * [`listener`]: nothing here passes system calls on.
//! * [`pending`]: the handle by which another thread ends a child that hangs.
//! * [`pipe`]: how much a pipe holds.
//! * [`process`]: what has exec'd.
//! * [`signals`]: those of the calling thread, and those that this program was told to ignore.
//!
//! None of this has run on a Mac yet: it is checked for types and lints.

mod away;
mod child;
mod descriptors;
mod keeper;
mod listener;
mod pending;
mod pipe;
mod process;
mod report;
mod signals;

use std::io;
use std::os::fd::AsRawFd;

use super::{CloneError, EXEC, Failure, Recipe, Session, pointers};
use child::ChildView;
use descriptors::Descriptors;
use keeper::Keeper;

pub(in crate::spawn) use away::{AWAY, IsAway};
pub(crate) use listener::{WaitingCall, next_call, receive_listener, refuse_call};
pub(crate) use pending::Pending;
pub(crate) use pipe::widen_pipe;
pub(in crate::spawn) use process::Process;
pub(in crate::spawn) use signals::SignalsBlocked;
#[cfg(feature = "cli")]
pub(crate) use signals::is_ignored;

/// What a thread needs to make children.
#[derive(Debug)]
pub(in crate::spawn) struct Maker;

impl Maker {
    pub(in crate::spawn) fn new() -> io::Result<Self> {
        Ok(Maker)
    }

    /// Makes one child and returns when it has exec'd or failed.
    ///
    /// All signals must be blocked in the calling thread: a handler of the host's must not run in the
    /// child.
    pub(in crate::spawn) fn start(
        &mut self,
        recipe: &Recipe<'_>,
        pending: &Pending,
    ) -> Result<Process, CloneError> {
        if recipe.group.is_some() {
            return Err(CloneError::Clone(io::ErrorKind::Unsupported.into()));
        }
        let argv = pointers(recipe.argv);
        let env = pointers(recipe.env);
        let (reports, report) = report::channel().map_err(CloneError::Clone)?;
        let mut open = Descriptors::look().map_err(CloneError::Clone)?;
        let view = ChildView {
            program: recipe.program.as_ptr(),
            argv: argv.as_ptr(),
            env: env.as_ptr(),
            dir: recipe.dir.as_raw_fd(),
            stdio: recipe.stdio,
            keep: recipe.keep,
            session: recipe.session,
            step: recipe.step,
            report: report.as_raw_fd(),
        };
        // SAFETY: the child calls `run`, which never returns and makes only calls that may be made
        // after a fork, on values that were prepared before.
        let pid = match unsafe { libc::fork() } {
            0 => child::run(&view, &mut open),
            pid if pid < 0 => return Err(CloneError::Clone(io::Error::last_os_error())),
            pid => pid,
        };
        pending.set(pid);
        drop(report);
        let failure = reports.read();
        pending.take();
        let mut process = Process::child(pid).map_err(|error| {
            // Nobody could tell its end. It has begun, so it is ended.
            process::kill_and_reap(pid);
            CloneError::Clone(error)
        })?;
        if let Some(failure) = failure {
            process::kill_and_reap(pid);
            return Err(CloneError::Child(failure));
        }
        let leads = recipe.session != Session::Inherited;
        match Keeper::start(pid, leads) {
            Ok(keeper) => process.keep(keeper),
            Err(error) => {
                process::kill_and_reap(pid);
                return Err(CloneError::Clone(error));
            }
        }
        Ok(process)
    }
}
