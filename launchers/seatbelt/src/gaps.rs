//! What the policy asks for and macOS cannot do.

use std::collections::BTreeSet;

use cofferdam_launcher::LaunchError;
use cofferdam_profiles::{Limits, NetworkMode, Policy, Promise};

use crate::NAME;
use crate::profile::shares_memory;

/// One thing that is not enforced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    promise: Promise,
    rule: &'static str,
}

/// All gaps, in the order of their names.
pub(crate) fn of(policy: &Policy) -> Vec<Gap> {
    let gap = |promise, rule| Gap { promise, rule };
    let mut gaps = Vec::new();
    if shares_memory(policy) {
        gaps.push(gap(
            Promise::Ipc,
            "`ipc` (POSIX semaphores and shared memory have names that all programs of the user share)",
        ));
    }
    if policy.limits != Limits::default() {
        gaps.push(gap(Promise::Limits, "the `[limits]` table"));
    }
    if policy.network.mode == NetworkMode::Off {
        gaps.push(gap(
            Promise::Loopback,
            "`loopback` (there is one loopback, the host's, and it is closed while the network is off)",
        ));
    }
    gaps.push(gap(
        Promise::Processes,
        "`processes` (macOS has no process namespaces: a daemon outlives its run, and others can be slowed down)",
    ));
    gaps
}

/// The names of the gaps, for payloads.
pub(crate) fn missing(gaps: &[Gap]) -> Vec<String> {
    gaps.iter().map(|gap| gap.promise.to_string()).collect()
}

/// Whether the policy can live with the gaps.
///
/// # Errors
/// [`LaunchError::CannotEnforce`] with every rule that is neither enforced nor best effort.
pub(crate) fn accept(gaps: &[Gap], best_effort: &BTreeSet<Promise>) -> Result<(), LaunchError> {
    let refused: Vec<_> = gaps.iter().filter(|gap| !best_effort.contains(&gap.promise)).collect();
    if refused.is_empty() {
        return Ok(());
    }
    let rules: Vec<_> = refused.iter().map(|gap| gap.rule).collect();
    let names: Vec<_> = refused.iter().map(|gap| format!("\"{}\"", gap.promise)).collect();
    Err(LaunchError::CannotEnforce {
        launcher: NAME.to_owned(),
        rule: rules.join("; "),
        remedy: format!(
            "no launcher can on macOS: run it in a virtual machine, or let the profile say `best-effort = [{}]`",
            names.join(", ")
        ),
    })
}
