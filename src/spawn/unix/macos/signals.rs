//! Signals of the calling thread, of a child, and of this program.

use std::mem::MaybeUninit;
use std::ptr;

/// The highest number (`signal(3)`).
const LAST: i32 = 31;

/// All signals blocked in this thread, and as they were again when dropped.
pub(in crate::spawn) struct SignalsBlocked {
    before: libc::sigset_t,
}

impl SignalsBlocked {
    pub(in crate::spawn) fn new() -> Self {
        let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: `sigfillset` fills the one set, and `pthread_sigmask` the other.
        unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            SignalsBlocked { before: before.assume_init() }
        }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        // SAFETY: the set was filled by `new`; the old one is not asked for.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, ptr::null_mut()) };
    }
}

/// In a child: default dispositions and an empty mask. What the host ignores (SIGPIPE in every Rust
/// program) stays ignored over an exec otherwise. The errno tells why it failed.
pub(super) fn restore_defaults() -> Result<(), ()> {
    // SAFETY: a zeroed action is SIG_DFL with no flags and an empty mask; and so is the set.
    unsafe {
        let default: libc::sigaction = std::mem::zeroed();
        for signal in (1..=LAST).filter(|signal| ![libc::SIGKILL, libc::SIGSTOP].contains(signal)) {
            if libc::sigaction(signal, &default, ptr::null_mut()) < 0 {
                return Err(());
            }
        }
        let none: libc::sigset_t = std::mem::zeroed();
        match libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut()) {
            0 => Ok(()),
            _ => Err(()),
        }
    }
}

/// Whether this program was told to ignore a signal, as `nohup` does.
#[cfg(feature = "cli")]
pub(crate) fn is_ignored(signal: i32) -> bool {
    let mut now = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: no new action is given, and the present one is written where that succeeds.
    unsafe {
        libc::sigaction(signal, ptr::null(), now.as_mut_ptr()) == 0
            && now.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
