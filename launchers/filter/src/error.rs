//! Why a filter could not be made.

use cofferdam_profiles::Origin;

/// The terms do not make a filter.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// There is no table of system calls for this architecture.
    #[error("there is no system call filter for `{0}` processors")]
    Machine(&'static str),
    /// `[syscalls] allow` names something that does not exist.
    #[error("`{name}` ({origin}) is neither a system call nor a group; did you mean `{nearest}`?")]
    UnknownName {
        /// What was written.
        name: String,
        /// Where.
        origin: Origin,
        /// The valid name that is most like it.
        nearest: &'static str,
    },
    /// `[syscalls] allow` names a call that another key decides.
    #[error("`{name}` ({origin}) cannot be allowed here; {instead} decides it")]
    DecidedElsewhere {
        /// The call.
        name: String,
        /// Where it was written.
        origin: Origin,
        /// The key of the profile that decides.
        instead: &'static str,
    },
    /// The table alternates so often between verdicts that the search among them does not fit the
    /// jumps of the kernel's filter language.
    #[error("the system call table has {0} runs of equal verdicts, which is more than fit")]
    TooManyRuns(usize),
}
