//! The child step of a run: everything that confines the command, in the only order that works.
#![expect(unsafe_code, reason = "implements the child step's contract")]

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use cofferdam_filter::Filter;
use cofferdam_launcher::{ChildStep, StepError};

use crate::confine;
use crate::limits::Limit;

/// Prepared confinement of one run.
pub(crate) struct Confinement {
    limits: Arc<[Limit]>,
    ruleset: OwnedFd,
    filter: Arc<Filter>,
    telling: Option<Telling>,
}

/// The filter that tells of its refusals, and where its listener is to be sent.
pub(crate) struct Telling {
    pub(crate) filter: Arc<Filter>,
    pub(crate) socket: OwnedFd,
}

impl Confinement {
    pub(crate) fn new(
        limits: Arc<[Limit]>,
        ruleset: OwnedFd,
        filter: Arc<Filter>,
        telling: Option<Telling>,
    ) -> Self {
        Confinement { limits, ruleset, filter, telling }
    }

    /// Where the kernel gives no listener, the filter refuses by itself and nobody is told.
    fn install_filter(&self) -> Result<(), StepError> {
        if let Some(Telling { filter, socket }) = &self.telling
            && let Some(listener) = confine::install_with_listener(filter.program())
        {
            listener.send(socket.as_fd());
            return Ok(());
        }
        confine::install(self.filter.program())
    }
}

// SAFETY: `apply` and all that it calls in `confine.rs` make raw system calls on values that exist
// already, read through shared references, and write to their own stack only. A listener is a descriptor
// of the child alone. Nothing there
// allocates, locks or panics, and no user or group id changes. Giving up capabilities leaves the
// new credentials a subset of the old, so the shared memory stays dumpable.
unsafe impl ChildStep for Confinement {
    fn apply(&self) -> Result<(), StepError> {
        for limit in self.limits.iter() {
            confine::limit(limit)?;
        }
        confine::drop_capabilities()?;
        // Both Landlock and seccomp want this first from a process without capabilities.
        confine::forbid_new_privileges()?;
        confine::restrict(self.ruleset.as_fd())?;
        // Last: what it refuses need not be refused to the stages above.
        self.install_filter()
    }

    fn explain(&self) -> String {
        let mut text = String::new();
        for limit in self.limits.iter() {
            text.push_str(&format!("limit      {limit}\n"));
        }
        text.push_str("drop       all capabilities\n");
        text.push_str("set        no_new_privs\n");
        text.push_str("restrict   with the Landlock ruleset\n");
        text.push_str(&format!("filter     {}\n", self.filter.summary()));
        text
    }
}
