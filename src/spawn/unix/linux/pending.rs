//! The handle by which another thread ends a child that has not exec'd yet.

use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::syscall::syscall;

/// A child that has not exec'd yet. The kernel stores its pidfd here before it runs, so that another
/// thread can end a child that hangs: in its step, or in an exec from a dead network mount.
#[derive(Debug)]
pub(crate) struct Pending {
    pidfd: AtomicI32,
    /// Held while the descriptor is used and while it is taken away, so that it is never stale.
    lock: Mutex<()>,
    killed: AtomicBool,
}

impl Pending {
    pub(crate) fn new() -> Self {
        Pending { pidfd: AtomicI32::new(-1), lock: Mutex::new(()), killed: AtomicBool::new(false) }
    }

    /// Kills the child if it exists and has not exec'd yet.
    pub(crate) fn kill(&self) {
        self.killed.store(true, Ordering::SeqCst);
        let _held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let fd = self.pidfd.load(Ordering::SeqCst);
        if fd >= 0 {
            // SAFETY: the descriptor is open until `take`, which waits for the lock. A child that is
            // gone already is no error.
            unsafe {
                let args = [fd as usize, libc::SIGKILL as usize, 0, 0, 0];
                syscall(libc::SYS_pidfd_send_signal, args);
            }
        }
    }

    /// Whether nobody waits for the child any more: what comes before it can be left as well.
    pub(crate) fn is_killed(&self) -> bool {
        self.killed.load(Ordering::SeqCst)
    }

    /// Where the kernel is to store the pidfd of the next child.
    pub(super) fn slot(&self) -> *mut i32 {
        self.pidfd.as_ptr()
    }

    /// Takes the descriptor of a child that has exec'd or ended.
    pub(super) fn take(&self) -> OwnedFd {
        let _held = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the kernel has stored a new descriptor, and the swap makes this its only owner.
        unsafe { OwnedFd::from_raw_fd(self.pidfd.swap(-1, Ordering::SeqCst)) }
    }
}
