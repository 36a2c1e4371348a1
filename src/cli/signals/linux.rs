//! Signals from a `signalfd(2)`.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// Where blocked signals can be read.
#[derive(Debug)]
pub(super) struct Source(SignalFd);

impl Source {
    pub(super) fn new(set: &SigSet) -> io::Result<Self> {
        Ok(Source(SignalFd::with_flags(set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?))
    }

    /// The next one, if there is one.
    pub(super) fn next(&self) -> Option<Signal> {
        let info = self.0.read_signal().ok().flatten()?;
        i32::try_from(info.ssi_signo).ok()?.try_into().ok()
    }
}

impl AsFd for Source {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The signals that were ignored when this program was started (`proc(5)`, SigIgn). All others, where
/// the file cannot be read.
pub(super) fn ignored() -> SigSet {
    parse_ignored(&fs::read_to_string("/proc/self/status").unwrap_or_default())
}

fn parse_ignored(status: &str) -> SigSet {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let mut set = SigSet::empty();
    for signal in Signal::iterator().filter(|signal| mask >> (*signal as i32 - 1) & 1 == 1) {
        set.add(signal);
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_ignored_is_read_from_the_mask() {
        let set = parse_ignored("Name:\tx\nSigBlk:\t0000000000000002\nSigIgn:\t0000000000001001\n");
        let found: Vec<_> = set.iter().collect();
        assert_eq!(found, [Signal::SIGHUP, Signal::SIGPIPE]);
        assert_eq!(parse_ignored("").iter().count(), 0);
    }
}
