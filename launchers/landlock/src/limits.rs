//! The policy's limits as resource limits of the kernel (`setrlimit(2)`).

use std::fmt;

use cofferdam_profiles::Limits;
use nix::sys::resource::{Resource, getrlimit};

/// One limit, soft and hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    /// The number of the resource (`RLIMIT_DATA` and so on).
    pub(crate) resource: u32,
    pub(crate) value: u64,
    key: &'static str,
}

impl Limit {
    /// The value to set, where so many processes that are not the command's are counted with its own.
    pub(crate) fn for_run(&self, own_processes: u64) -> u64 {
        let is_count = self.resource == libc::RLIMIT_NPROC;
        self.value.saturating_add(if is_count { own_processes } else { 0 })
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.key, self.value)
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
        Some(Limit { resource: resource as u32, value: value?.min(highest), key })
    })
    .collect()
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
        let values: Vec<_> = of(&limits).iter().map(|limit| (limit.key, limit.value)).collect();
        assert_eq!(values, [("open-files", hard), ("cpu-seconds", 7)]);
    }
}
