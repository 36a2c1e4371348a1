//! Why a launcher could not do its work. One activity, one type.

use std::io;
use std::path::PathBuf;

/// A launcher cannot work here, or could not wrap this command.
///
/// Messages finish the sentence "the sandbox could not be built: …". They name the thing; the cause
/// is the [`source`](std::error::Error::source), and [`LaunchError::remedy`] says what would help.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The wrapper's program is not on this machine, or may not be used.
    #[error("the program `{program}` that wraps the command is not usable")]
    WrapperMissing {
        /// Its name or path.
        program: String,
        /// What would help.
        remedy: String,
    },
    /// The system lacks something that this launcher stands on.
    #[error("{what}")]
    Unsupported {
        /// What is lacking, with the reason that the system gave.
        what: String,
        /// What would help.
        remedy: String,
    },
    /// The policy holds a rule that this launcher cannot enforce.
    #[error("the {launcher} launcher cannot enforce {rule}")]
    CannotEnforce {
        /// This launcher's name.
        launcher: String,
        /// The rule, by the policy's words, or two rules that contradict each other here.
        rule: String,
        /// A launcher that can, or the change to the profile that would help.
        remedy: String,
    },
    /// A path of the policy cannot be used.
    #[error("the path `{}` of the policy cannot be used", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The wrapper ran and failed before the command began.
    #[error("the sandbox could not be set up, the command did not run: {0}")]
    Failed(String),
    /// A system call of the preparation failed.
    #[error("{stage}")]
    System {
        /// What was being done.
        stage: &'static str,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Any other reason.
    #[error("{0}")]
    Other(String),
}

impl LaunchError {
    /// A wrapper that is not there.
    pub fn wrapper_missing(program: impl Into<String>, remedy: impl Into<String>) -> Self {
        LaunchError::WrapperMissing { program: program.into(), remedy: remedy.into() }
    }

    /// A system that lacks something.
    pub fn unsupported(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        LaunchError::Unsupported { what: what.into(), remedy: remedy.into() }
    }

    /// What would help, where that is known.
    pub fn remedy(&self) -> Option<&str> {
        match self {
            LaunchError::WrapperMissing { remedy, .. }
            | LaunchError::Unsupported { remedy, .. }
            | LaunchError::CannotEnforce { remedy, .. } => Some(remedy),
            _ => None,
        }
    }
}

impl From<String> for LaunchError {
    fn from(reason: String) -> Self {
        LaunchError::Other(reason)
    }
}

impl From<&str> for LaunchError {
    fn from(reason: &str) -> Self {
        LaunchError::Other(reason.to_owned())
    }
}
