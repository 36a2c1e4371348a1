//! Why a launch could not be started.

use std::io;
use std::path::{Path, PathBuf};

use super::unix::{EXEC, Failure};

/// A launch that could not be started: nothing ran.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SpawnError {
    /// The launcher returned something that cannot be spawned.
    #[error("the launcher returned a launch that cannot be spawned: {0}")]
    Shape(&'static str),
    /// The kernel made no process.
    #[error("no process could be made")]
    Clone(#[source] io::Error),
    /// The child failed before the exec.
    #[error("could not {stage}")]
    Stage {
        /// What it was about to do.
        stage: &'static str,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
    /// The program could not be exec'd.
    #[error("could not start `{}`", program.display())]
    Exec {
        /// The path.
        program: PathBuf,
        /// What the kernel said.
        #[source]
        source: io::Error,
    },
}

impl SpawnError {
    pub(super) fn of(failure: Failure, program: &Path) -> Self {
        let source = io::Error::from_raw_os_error(failure.errno);
        match failure.stage {
            EXEC => SpawnError::Exec { program: program.to_owned(), source },
            stage => SpawnError::Stage { stage, source },
        }
    }
}
