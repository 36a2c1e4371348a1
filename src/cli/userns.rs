//! Whether a user namespace can be made here, and used. Files tell only limits; what a security
//! module or a container allows is seen by trying.

use std::fs;
use std::io;

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};

/// What went wrong, at which step.
#[derive(Debug, thiserror::Error)]
#[error("could not {stage}")]
pub(super) struct Refused {
    stage: &'static str,
    #[source]
    source: io::Error,
}

/// Makes one for this very process, with the other namespaces that launchers need.
///
/// It cannot be undone, so it is the last thing that a process does before it prints and ends. The
/// process must have no other thread.
pub(super) fn enter() -> Result<(), Refused> {
    let (user, group) = (geteuid(), getegid());
    step("make a user namespace", || Ok(unshare(CloneFlags::CLONE_NEWUSER)?))?;
    // Ubuntu's restriction lets the namespace be made and refuses what comes next.
    step("map this user into it", || {
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
    })?;
    step("make a mount namespace in it", || Ok(unshare(CloneFlags::CLONE_NEWNS)?))?;
    step("make a network namespace in it", || Ok(unshare(CloneFlags::CLONE_NEWNET)?))?;
    step("make a process namespace in it", || Ok(unshare(CloneFlags::CLONE_NEWPID)?))
}

fn step(stage: &'static str, run: impl FnOnce() -> io::Result<()>) -> Result<(), Refused> {
    run().map_err(|source| Refused { stage, source })
}
