//! [`Refusals`] in an event loop.

use std::io;
use std::os::fd::OwnedFd;
use std::task::{Context, Poll};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::refusals::{Refusals, Served};
use crate::evidence::RefusedCalls;
use crate::spawn::in_reactor;

/// Hears what a stage is refused.
pub(super) struct Listening {
    refusals: Refusals,
    /// What is waited for: a copy of the descriptor, registered.
    registered: Option<AsyncFd<OwnedFd>>,
}

impl Listening {
    pub(super) fn new(refusals: Refusals) -> Self {
        let mut listening = Listening { refusals, registered: None };
        // A child that confines itself has sent its listener already.
        listening.refusals.serve();
        listening.register();
        listening
    }

    /// Where the event loop takes no more descriptors, nobody answers, and the kernel does.
    fn register(&mut self) {
        self.registered = None;
        let copy = self.refusals.fd().map(|fd| fd.try_clone_to_owned());
        match copy.map(|copy| copy.and_then(in_reactor)) {
            Some(Ok(registered)) => self.registered = Some(registered),
            Some(Err(_)) => self.refusals.close(),
            None => {}
        }
    }

    /// Waits until there is something to do.
    pub(super) fn poll_ready(&self, context: &mut Context<'_>) -> Poll<()> {
        match &self.registered {
            Some(registered) => registered.poll_read_ready(context).map(drop),
            None => Poll::Pending,
        }
    }

    /// Does it, without waiting.
    pub(super) fn serve(&mut self) {
        let Listening { refusals, registered } = self;
        let Some(registered) = registered else { return };
        let served = registered.try_io(Interest::READABLE, |_| match refusals.serve() {
            Served::All => Err(io::ErrorKind::WouldBlock.into()),
            served => Ok(served),
        });
        if served.is_ok_and(|served| served == Served::Moved) {
            self.register();
        }
    }

    pub(super) fn into_told(self) -> RefusedCalls {
        self.refusals.into_told()
    }
}
