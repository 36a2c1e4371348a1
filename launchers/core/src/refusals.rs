//! What a filter of system calls has refused, told while the command goes on.

use std::fmt;
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// How the runner gets to know which system calls a filter has refused (`seccomp_unotify(2)`).
///
/// A filter that answers a call with `SECCOMP_RET_USER_NOTIF` leaves the answer to whoever holds its
/// listener. The child that installs it sends the listener over a socket, and the runner answers every
/// call with the error that the [`RefusalTable`] gives: it refuses always, never lets a call go on,
/// and looks at nothing but numbers. So this is a way to tell of refusals and not to decide on them.
///
/// A launcher that does this promises three things:
///
/// * It does so only where [`Plan::takes_refusals`](crate::Plan::takes_refusals), and falls back on a
///   filter that refuses by itself where the kernel gives no listener.
/// * Both the listener and the sending end of the socket are closed at the exec: the command must never
///   hold either.
/// * The filter refuses `seccomp(2)` with `SECCOMP_FILTER_FLAG_NEW_LISTENER`. Of several filters that
///   pass a call on, the kernel asks the one installed last, so a listener of the command's own could
///   let everything pass.
///
/// The runner answers a bounded number of calls and then closes the listener, as it does when the run
/// is over. The kernel answers `ENOSYS` from then on.
pub struct Refusals {
    socket: OwnedFd,
    table: Arc<dyn RefusalTable>,
}

impl Refusals {
    /// `socket` is the receiving end of a connected pair of Unix sockets; the child sends one message
    /// with one descriptor (`SCM_RIGHTS`), or closes its end.
    pub fn new(socket: OwnedFd, table: Arc<dyn RefusalTable>) -> Self {
        Refusals { socket, table }
    }

    /// The socket, and what is said to each call.
    pub fn into_parts(self) -> (OwnedFd, Arc<dyn RefusalTable>) {
        (self.socket, self.table)
    }
}

impl fmt::Debug for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusals").field("socket", &self.socket).finish_non_exhaustive()
    }
}

/// What a filter says to the calls that it passes on.
pub trait RefusalTable: Send + Sync {
    /// What is said to one call. There is no way to allow it.
    fn refuse(&self, call: &FilteredCall) -> RefusedCall;
}

/// A call as a filter sees it (`struct seccomp_data`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilteredCall {
    /// Its number, of this architecture.
    pub number: u32,
    /// An `AUDIT_ARCH_` value (`linux/audit.h`).
    pub architecture: u32,
    /// Its arguments. Some are addresses in the memory of the command.
    pub args: [u64; 6],
}

/// A call that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RefusedCall {
    /// The name of the system call: `unshare`.
    pub name: String,
    /// What decided among its arguments, in one word or a few: `CLONE_NEWUSER`. May be empty.
    pub arguments: String,
    /// The error number that it fails with, 1 to 4095 (`errno(3)`); for any other number `EPERM`.
    pub errno: i32,
    /// Why, for people: a fragment of a sentence.
    pub why: String,
}
