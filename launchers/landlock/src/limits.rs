//! The policy's limits as resource limits of the kernel (`setrlimit(2)`).

use std::fmt;

use cofferdam_profiles::Limits;
use nix::sys::resource::{Resource, getrlimit};

/// One limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    /// The number of the resource (`RLIMIT_DATA` and so on).
    pub(crate) resource: u32,
    /// Where the kernel begins to refuse, or sends a signal that tells why.
    pub(crate) soft: u64,
    /// Where it ends.
    pub(crate) hard: u64,
    /// Its name in `[limits]`.
    pub(crate) key: &'static str,
}

impl Limit {
    /// What to set, where so many processes that are not the command's are counted with its own.
    pub(crate) fn for_run(&self, own_processes: u64) -> Limit {
        let own = if self.resource == libc::RLIMIT_NPROC { own_processes } else { 0 };
        let (soft, hard) = (self.soft.saturating_add(own), self.hard.saturating_add(own));
        Limit { soft, hard, ..*self }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.key, self.soft)
    }
}

/// The limits to set, none above what the host itself has: that could not be raised.
pub(crate) fn of(limits: &Limits) -> Vec<Limit> {
    [
        // Not the address space (RLIMIT_AS): node and other just-in-time compilers reserve
        // gigabytes of it and use little.
        (limits.memory, Resource::RLIMIT_DATA, "memory"),
        (limits.processes, Resource::RLIMIT_NPROC, "processes"),
        (limits.open_files, Resource::RLIMIT_NOFILE, "open-files"),
        (limits.file_size, Resource::RLIMIT_FSIZE, "file-size"),
        (limits.cpu_seconds, Resource::RLIMIT_CPU, "cpu-seconds"),
    ]
    .into_iter()
    .filter_map(|(value, resource, key)| {
        let highest = getrlimit(resource).map_or(u64::MAX, |(_, hard)| hard);
        let soft = value?.min(highest);
        let hard = soft.saturating_add(grace(resource)).min(highest);
        Some(Limit { resource: resource as u32, soft, hard, key })
    })
    .collect()
}

/// At the hard limit on processor time the kernel kills without a word, at the soft one it sends SIGXCPU. So
/// that the end tells why, there is a second between them; who catches the signal has that much more.
fn grace(resource: Resource) -> u64 {
    if resource == Resource::RLIMIT_CPU { 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_above_the_host_s_own_becomes_the_host_s_own() {
        let mut limits = Limits::default();
        limits.open_files = Some(u64::MAX);
        limits.cpu_seconds = Some(7);
        let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        let values: Vec<_> =
            of(&limits).iter().map(|limit| (limit.key, limit.soft, limit.hard)).collect();
        assert_eq!(values, [("open-files", hard, hard), ("cpu-seconds", 7, 8)]);
    }
}
