//! A Landlock domain that limits nothing but whom the command can signal and which abstract sockets
//! it can reach.
//!
//! For launchers that confine by namespaces: abstract sockets belong to the network namespace, so
//! they stay reachable when a command shares the host's network. The domain handles no file right,
//! and such a domain leaves mounting alone (`tests/scope.rs` holds a wrapper to that).
#![expect(unsafe_code, reason = "implements the child step's contract")]

use std::os::fd::{AsFd, OwnedFd};

use cofferdam_launcher::{ChildStep, LaunchError, StepError};

use crate::abi::Abi;
use crate::{confine, ruleset};

/// Puts whatever is exec'd into a domain of its own for signals and abstract sockets. Descendants
/// share the domain, so they reach each other.
#[derive(Debug)]
pub struct ScopeStep {
    ruleset: OwnedFd,
}

impl ScopeStep {
    /// Prepares the step for one run. `None` where the kernel has no scopes: before Linux 6.12, or
    /// without Landlock.
    ///
    /// # Errors
    /// [`LaunchError::System`] when the kernel refuses the ruleset.
    pub fn new() -> Result<Option<ScopeStep>, LaunchError> {
        match Abi::of_kernel() {
            Ok(abi) if abi.has_scopes() => {
                Ok(Some(ScopeStep { ruleset: ruleset::scopes_only(abi)? }))
            }
            _ => Ok(None),
        }
    }
}

// SAFETY: two raw system calls on a number and an open descriptor; nothing else happens.
unsafe impl ChildStep for ScopeStep {
    fn apply(&self) -> Result<(), StepError> {
        confine::forbid_new_privileges()?;
        confine::restrict(self.ruleset.as_fd())
    }

    fn explain(&self) -> String {
        "set        no_new_privs\n\
         restrict   signals and abstract sockets to the run (Landlock scopes)\n"
            .to_owned()
    }
}
