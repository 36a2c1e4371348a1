//! The handle by which another thread ends a child that has not exec'd yet.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// A child that has not exec'd yet, so that another thread can end one that hangs: in its step, or in
/// an exec from a dead network mount.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Held while the number is used and while it is taken away: until then the host has not taken the
    /// child's status, so the number is the child's.
    pid: Mutex<Option<i32>>,
    killed: AtomicBool,
}

impl Pending {
    pub(crate) fn new() -> Self {
        Pending::default()
    }

    /// Kills the child if it exists and has not exec'd yet.
    pub(crate) fn kill(&self) {
        self.killed.store(true, Ordering::SeqCst);
        if let Some(pid) = *self.pid.lock().unwrap_or_else(PoisonError::into_inner) {
            // SAFETY: takes two numbers. A child that is gone already is no error.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    }

    /// Whether nobody waits for the child any more: what comes before it can be left as well.
    pub(crate) fn is_killed(&self) -> bool {
        self.killed.load(Ordering::SeqCst)
    }

    pub(super) fn set(&self, pid: i32) {
        *self.pid.lock().unwrap_or_else(PoisonError::into_inner) = Some(pid);
    }

    /// The child has exec'd or ended.
    pub(super) fn take(&self) {
        *self.pid.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
