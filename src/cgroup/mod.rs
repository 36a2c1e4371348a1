//! A cgroup for each run (`cgroups(7)`, version 2), which limits the memory and the processes of all of it.
//!
//! A resource limit counts what one process takes, or what one user runs on the whole machine; a cgroup
//! counts what a run takes, names the limit that ended it, and ends whatever is left of it. But it can be
//! made only below a cgroup that was delegated to this process.
//!
//! * [`place`]: finds that one. * [`run`]: the cgroup of one run. * [`delegation`]: what counts as delegated.
//!
//! What is limited here is not asked of a launcher ([`left_to_launcher`]): its resource limits would come
//! first, and refuse to root, whose processes the kernel does not count, what can be kept. On macOS no
//! place is ever found.

mod delegation;
mod place;
mod run;

use std::sync::Arc;

use cofferdam_profiles::{Limits, Policy};

pub(crate) use place::Place;
#[cfg(feature = "cli")]
pub(crate) use place::move_when_needed;
#[cfg(all(feature = "cli", target_os = "linux"))]
pub(crate) use place::place;
pub(crate) use run::{Exceeded, RunGroup};

/// The policy as a launcher is to enforce it: without the limits that a run's cgroup keeps.
pub(crate) fn left_to_launcher(policy: &Arc<Policy>) -> Arc<Policy> {
    match place_for(&policy.limits) {
        Some(place) => {
            let mut left = Policy::clone(policy);
            left.limits = place.leaves(policy.limits);
            Arc::new(left)
        }
        None => policy.clone(),
    }
}

/// Where the cgroups of runs with these limits are made. Without a limit that one could keep nothing is
/// looked for.
pub(crate) fn place_for(limits: &Limits) -> Option<&'static Place> {
    let place = if concerns(limits) { place::place().as_ref().ok() } else { None };
    place.filter(|place| place.leaves(*limits) != *limits)
}

/// What the cgroup of a run with these limits keeps, for people.
#[cfg(feature = "cli")]
pub(crate) fn limited(limits: &Limits) -> Vec<String> {
    let (memory, processes) = place_for(limits).map_or((None, None), |place| place.keeps(limits));
    let both = [("memory", memory), ("processes", processes)];
    both.into_iter().filter_map(|(name, value)| Some(format!("{name} = {}", value?))).collect()
}

/// Whether a cgroup could keep any of them.
fn concerns(limits: &Limits) -> bool {
    limits.memory.is_some() || limits.processes.is_some()
}
