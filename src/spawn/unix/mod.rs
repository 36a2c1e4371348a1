//! The child: made by `clone3(2)` in the host's memory, prepared by raw system calls, ended by its
//! exec. All unsafe code of the runner stands in this folder.
//!
//! Until the exec the child runs on the host's memory (CLONE_VM) while the thread that made it is
//! suspended (CLONE_VFORK) and every other thread goes on. So it costs nothing to start from a host
//! that holds gigabytes, and the child may do only what `ChildStep` says as well: raw system calls on
//! values that were prepared before, no heap, no lock, no libc function, no panic, no write outside
//! its own stack and the [`Failure`] slot.
//!
//! * [`clone`]: the system call that returns twice. [`stack`]: where the child runs.
//! * [`child`]: what the child does.
//! * [`away`]: whether that has left the host's terminal behind.
//! * [`pending`]: the handle by which another thread ends a child that hangs.
//! * [`syscall`]: system calls that leave libc's thread state alone.

mod away;
mod child;
mod clone;
mod pending;
mod stack;
mod syscall;

use std::ffi::{CStr, CString, c_char};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

use cofferdam_launcher::ChildStep;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::Session;
use child::ChildView;

pub(super) use away::{AWAY, IsAway};
pub(super) use child::EXEC;
pub(crate) use pending::Pending;
pub(super) use stack::Stack;
pub(super) use syscall::SignalsBlocked;

/// What one child is made from. Borrowed by the spawning thread, which is suspended while the child
/// reads it.
pub(super) struct Recipe<'a> {
    pub(super) program: &'a CStr,
    pub(super) argv: &'a [CString],
    pub(super) env: &'a [CString],
    pub(super) dir: BorrowedFd<'a>,
    /// Each is the target number itself, or above 2.
    pub(super) stdio: [RawFd; 3],
    /// All above 2.
    pub(super) keep: &'a [RawFd],
    pub(super) session: Session,
    pub(super) step: Option<&'a dyn ChildStep>,
}

/// A stage of the child that failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Failure {
    pub(super) stage: &'static str,
    pub(super) errno: i32,
}

/// A started child: it has exec'd.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) pid: i32,
    pub(super) pidfd: OwnedFd,
}

/// Why there is no child.
#[derive(Debug)]
pub(super) enum CloneError {
    /// No process could be made.
    Clone(io::Error),
    /// The child was made, failed at a stage, and has been reaped.
    Child(Failure),
}

/// Makes one child and returns when it has exec'd or failed.
///
/// All signals must be blocked in the calling thread: a handler that ran in the child would run on
/// the host's memory. The calling thread must live as long as the child may: the child's parent-death
/// signal follows the thread.
pub(super) fn start(
    recipe: &Recipe<'_>,
    host: BorrowedFd<'_>,
    stack: &mut Stack,
    pending: &Pending,
) -> Result<Started, CloneError> {
    let argv = pointers(recipe.argv);
    let env = pointers(recipe.env);
    let mut failure: Option<Failure> = None;
    let view = ChildView {
        program: recipe.program.as_ptr(),
        argv: argv.as_ptr(),
        env: env.as_ptr(),
        dir: recipe.dir.as_raw_fd(),
        stdio: recipe.stdio,
        keep: recipe.keep,
        session: recipe.session,
        step: recipe.step,
        host: host.as_raw_fd(),
        failure: &raw mut failure,
    };
    let pid = clone::child(&view, stack, pending).map_err(CloneError::Clone)?;
    let pidfd = pending.take();
    // SAFETY: the child has exec'd or ended, so nothing else refers to the slot; volatile because
    // the compiler cannot know that the clone wrote there.
    match unsafe { (&raw const failure).read_volatile() } {
        None => Ok(Started { pid, pidfd }),
        Some(failure) => {
            reap(&pidfd);
            Err(CloneError::Child(failure))
        }
    }
}

/// The null-terminated list that `execve(2)` takes. It points into `strings`, which must outlive it.
fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    let end = std::iter::once(std::ptr::null());
    strings.iter().map(|string| string.as_ptr()).chain(end).collect()
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

/// Registers a pidfd with the event loop of the calling task.
pub(crate) fn in_reactor(pidfd: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an OwnedFd is one and the same open descriptor for as long as it lives.
    unsafe { AsyncFd::register_with_interest(pidfd, Interest::READABLE) }.map_err(io::Error::from)
}
