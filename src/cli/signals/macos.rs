//! Signals from a kqueue. It tells of each one that is sent to this process, blocked or not; what was
//! blocked stays so, and does nothing.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::libc::timespec;
use nix::sys::event::{EvFlags, EventFilter, FilterFlag, KEvent, Kqueue};
use nix::sys::signal::{SigSet, Signal};

/// Where signals can be read.
#[derive(Debug)]
pub(super) struct Source(Kqueue);

impl Source {
    pub(super) fn new(set: &SigSet) -> io::Result<Self> {
        let queue = Kqueue::new()?;
        for signal in set.iter() {
            let (filter, flags) = (EventFilter::EVFILT_SIGNAL, EvFlags::EV_ADD | EvFlags::EV_CLEAR);
            let event = KEvent::new(signal as usize, filter, flags, FilterFlag::empty(), 0, 0);
            queue.kevent(&[event], &mut [], None)?;
        }
        Ok(Source(queue))
    }

    /// The next one, if there is one.
    pub(super) fn next(&self) -> Option<Signal> {
        let now = timespec { tv_sec: 0, tv_nsec: 0 };
        let none =
            KEvent::new(0, EventFilter::EVFILT_SIGNAL, EvFlags::empty(), FilterFlag::empty(), 0, 0);
        let mut events = [none];
        match self.0.kevent(&[], &mut events, Some(now)) {
            Ok(1) => i32::try_from(events[0].ident()).ok()?.try_into().ok(),
            _ => None,
        }
    }
}

impl AsFd for Source {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The signals that were ignored when this program was started.
pub(super) fn ignored() -> SigSet {
    let ignored = Signal::iterator().filter(|signal| crate::spawn::is_ignored(*signal as i32));
    ignored.collect()
}
