//! The child: made, prepared and replaced by its exec, and what it has become until its status is taken.
//! All unsafe code of the runner stands in this folder.
//!
//! Each system has its own way, with the same names:
//!
//! * [`Maker`]: what a spawning thread needs; [`Maker::start`] makes one child.
//! * [`Pending`]: the handle by which another thread ends a child that hangs before its exec.
//! * [`IsAway`]: looks from inside a child whether it has left the host's terminal behind.
//! * [`Process`]: a child that has exec'd: its end, its signals, its status.
//! * [`SignalsBlocked`]: for the thread that makes children.
//! * [`next_call`]: which system calls of a child its filter has refused.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

use std::ffi::{CStr, CString, c_char};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};

use cofferdam_launcher::ChildStep;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::Session;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;

#[cfg(all(feature = "cli", target_os = "macos"))]
pub(crate) use system::is_ignored;
pub(super) use system::{AWAY, IsAway, Maker, Process, SignalsBlocked};
pub(crate) use system::{
    Pending, WaitingCall, next_call, receive_listener, refuse_call, widen_pipe,
};

/// The name of the last stage: the program itself could not be started.
pub(super) const EXEC: &str = "start the program";

/// What one child is made from. Borrowed by the spawning thread, which waits while the child reads it.
pub(super) struct Recipe<'a> {
    pub(super) program: &'a CStr,
    pub(super) argv: &'a [CString],
    pub(super) env: &'a [CString],
    pub(super) dir: BorrowedFd<'a>,
    /// The cgroup of the child. Linux only.
    pub(super) group: Option<BorrowedFd<'a>>,
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

/// Why there is no child.
#[derive(Debug)]
pub(super) enum CloneError {
    /// No process could be made.
    Clone(io::Error),
    /// The child was made, failed at a stage, and has been reaped.
    Child(Failure),
}

/// The null-terminated list that `execve(2)` takes. It points into `strings`, which must outlive it.
fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    let end = std::iter::once(std::ptr::null());
    strings.iter().map(|string| string.as_ptr()).chain(end).collect()
}

/// Registers the descriptor that tells of a process's end with the event loop of the calling task.
pub(crate) fn in_reactor(exit: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an OwnedFd is one and the same open descriptor for as long as it lives.
    unsafe { AsyncFd::register_with_interest(exit, Interest::READABLE) }.map_err(io::Error::from)
}
