//! Confinement that is applied in the child, between its creation and its exec.

/// A prepared confinement.
///
/// # Safety
///
/// [`apply`](ChildStep::apply) runs in a child that **shares the memory of the host process** until
/// it execs, while every other thread of the host goes on. An implementation must therefore:
///
/// * make raw system calls only: no libc function that touches thread state (`errno` included), no
///   `set*id` wrapper, no call that changes a user or group id;
/// * allocate nothing, free nothing, take no lock, and never panic;
/// * write to nothing but its own stack (64 KiB are there, with a guard page below);
/// * return, or end the child with `exit_group`; it must never exec or clone.
///
/// Everything that can fail or allocate belongs into the launcher's `wrap`, in the host.
#[expect(
    unsafe_code,
    reason = "declares a contract that the compiler cannot check; no unsafe block"
)]
pub unsafe trait ChildStep: Send + Sync {
    /// Confines the calling process.
    ///
    /// # Errors
    /// The stage that failed and its errno. The child then ends, and the run was not started.
    fn apply(&self) -> Result<(), StepError>;

    /// What `apply` does, as text for a person. Called in the host.
    fn explain(&self) -> String;
}

/// A stage of a child step that failed. Plain data: it crosses from the child to the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepError {
    /// What was being done: `drop capabilities`, `restrict file access`.
    pub stage: &'static str,
    /// The error number that the kernel gave (`errno(3)`).
    pub errno: i32,
}
