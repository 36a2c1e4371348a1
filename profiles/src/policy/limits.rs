//! Resource limits.

/// Resource limits of a run; `None` leaves what the host has. See `setrlimit(2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of memory, at least 1: of the whole run where it has a cgroup of its own, of each process
    /// elsewhere.
    pub memory: Option<u64>,
    /// Processes and threads, at least 1.
    pub processes: Option<u64>,
    /// Open files of one process, at least 1.
    pub open_files: Option<u64>,
    /// Bytes of one file; 0 lets a run write nothing but empty files.
    pub file_size: Option<u64>,
    /// Seconds of processor time of one process, at least 1. One that catches SIGXCPU gets one more.
    pub cpu_seconds: Option<u64>,
}
