//! Hears which system calls the filter of one stage refuses, and refuses them.
//!
//! Who is confined waits for the answer, so it comes from whoever watches the run anyway. The kernel
//! needs nobody for the refusal itself: when this is dropped, it answers `ENOSYS`.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use cofferdam_launcher::RefusalTable;

use crate::evidence::RefusedCalls;
use crate::spawn::{Heard, Received, next_call, receive_listener, refuse_call};

/// So many calls are answered, and then the kernel does it alone. A program that is refused more has
/// said what it wants, and each answer costs two switches between processes.
const MOST: usize = 1024;
/// So many without looking at anything else.
const AT_ONCE: usize = 32;

/// What one stage is refused.
pub(crate) struct Refusals {
    way: Way,
    table: Arc<dyn RefusalTable>,
    told: RefusedCalls,
    answered: usize,
}

enum Way {
    /// The child has not sent the listener yet.
    Socket(OwnedFd),
    Listener(OwnedFd),
    Closed,
}

/// What came of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Served {
    /// Nothing is left to do now.
    All,
    /// There may be more.
    Some,
    /// There is another descriptor to wait for, or none.
    Moved,
}

impl Refusals {
    pub(crate) fn new(refusals: cofferdam_launcher::Refusals) -> Self {
        let (socket, table) = refusals.into_parts();
        Refusals { way: Way::Socket(socket), table, told: RefusedCalls::default(), answered: 0 }
    }

    /// What is readable when there is something to do.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        match &self.way {
            Way::Socket(fd) | Way::Listener(fd) => Some(fd.as_fd()),
            Way::Closed => None,
        }
    }

    /// Does what there is to do, without waiting.
    pub(crate) fn serve(&mut self) -> Served {
        for _ in 0..AT_ONCE {
            let next = match &self.way {
                Way::Closed => return Served::All,
                Way::Socket(socket) => match receive_listener(socket.as_fd()) {
                    Received::NotYet => return Served::All,
                    Received::Listener(listener) => Way::Listener(listener),
                    Received::Never => Way::Closed,
                },
                Way::Listener(listener) => match next_call(listener) {
                    Heard::Nothing => return Served::All,
                    Heard::Over => Way::Closed,
                    Heard::Call(waiting) => {
                        let refused = self.table.refuse(&waiting.call);
                        refuse_call(listener, waiting, errno(refused.errno));
                        self.told.add(refused);
                        self.answered += 1;
                        if self.answered < MOST {
                            continue;
                        }
                        Way::Closed
                    }
                },
            };
            self.way = next;
            return Served::Moved;
        }
        Served::Some
    }

    /// Answers nothing any more. The kernel does.
    pub(super) fn close(&mut self) {
        self.way = Way::Closed;
    }

    /// What was refused.
    pub(crate) fn into_told(self) -> RefusedCalls {
        self.told
    }
}

/// An error number that is one: 0 would be a success.
fn errno(errno: i32) -> i32 {
    /// The kernel's `MAX_ERRNO`.
    const LARGEST: i32 = 4095;
    if (1..=LARGEST).contains(&errno) { errno } else { libc::EPERM }
}

impl fmt::Debug for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refusals").field("told", &self.told).finish_non_exhaustive()
    }
}
