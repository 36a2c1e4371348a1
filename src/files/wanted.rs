//! The files that a request names.

use std::path::{Path, PathBuf};

use super::{STDIN_FILE, STDOUT_APPEND, STDOUT_FILE};

/// The files in place of standard streams, as a request names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StreamFiles {
    pub(crate) stdin: Option<PathBuf>,
    pub(crate) stdout: Option<PathBuf>,
    pub(crate) append: Option<PathBuf>,
}

/// What becomes of that which an output file holds already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputMode {
    Replace,
    Append,
}

impl OutputMode {
    pub(crate) fn key(self) -> &'static str {
        match self {
            OutputMode::Replace => STDOUT_FILE,
            OutputMode::Append => STDOUT_APPEND,
        }
    }
}

impl StreamFiles {
    /// The file that the output goes to.
    pub(crate) fn output(&self) -> Option<(&Path, OutputMode)> {
        let replaced = self.stdout.as_deref().map(|path| (path, OutputMode::Replace));
        replaced.or_else(|| self.append.as_deref().map(|path| (path, OutputMode::Append)))
    }

    /// All of them, with their keys.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let all =
            [(STDIN_FILE, &self.stdin), (STDOUT_FILE, &self.stdout), (STDOUT_APPEND, &self.append)];
        all.into_iter().filter_map(|(key, path)| Some((key, path.as_deref()?)))
    }
}
