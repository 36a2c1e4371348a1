//! What the policy asks for and macOS cannot do.

use cofferdam_profiles::{Limits, NetworkMode, Policy, Promise};
use cofferdam_view::gaps::{Gap, unsearched};

use crate::profile::shares_memory;

/// What helps against all of them.
const ELSEWHERE: &str = "no launcher can on macOS: run it in a virtual machine";

/// All gaps, in the order of their names.
pub(crate) fn of(policy: &Policy) -> Vec<Gap> {
    let gap = |promise, rule: &str| Gap {
        promise: Some(promise),
        rule: rule.to_owned(),
        remedy: ELSEWHERE,
    };
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
    gaps.extend(unsearched(&policy.filesystem));
    gaps
}
