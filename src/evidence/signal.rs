//! The end that the filter of system calls makes: it kills what calls the kernel in the way of another
//! architecture, and refuses everything else with an error.

use super::{Denial, Sure};
use crate::Exit;

/// The signal, and what a shell makes of it.
const SIGSYS: i32 = libc::SIGSYS;
const BY_SHELL: i32 = 128 + SIGSYS;

/// The denial that an exit tells of.
pub(super) fn denial(exit: Exit) -> Option<Denial> {
    let is_refused = matches!(exit, Exit::Signal(SIGSYS) | Exit::Code(BY_SHELL));
    is_refused.then(|| {
        Denial::new("syscall", "a call that is no call of this system", "syscalls", Sure::Syscall)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_filters_own_signal_is_evidence() {
        assert_eq!(denial(Exit::Signal(SIGSYS)).unwrap().sure, Sure::Syscall);
        assert!(denial(Exit::Code(BY_SHELL)).is_some());
        for exit in [Exit::Code(1), Exit::Signal(9), Exit::Code(137), Exit::Unknown] {
            assert_eq!(denial(exit), None);
        }
    }
}
