//! The launcher's own options.

use std::path::PathBuf;

/// What can be chosen about this launcher, beside the policy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// The absolute path of bubblewrap; `None` looks in PATH and then in the usual folders.
    pub program: Option<PathBuf>,
}
