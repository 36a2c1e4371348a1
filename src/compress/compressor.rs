//! All filters that there are.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::choose::choose;
use super::filter::Programs;
use super::load::{FilterError, from_path, shipped};
use super::recipe::Recipe;

/// The filters: those of the operator first, then the shipped ones. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Compressor {
    own: Arc<[Programs]>,
    shipped: Arc<[Programs]>,
    paths: Arc<[PathBuf]>,
}

impl Default for Compressor {
    /// The shipped filters.
    fn default() -> Self {
        Compressor { own: Arc::default(), shipped: shipped(), paths: Arc::default() }
    }
}

impl Compressor {
    /// The filters of a file, or of all `.toml` files of a folder in the order of their names, before
    /// the shipped ones. None of them may lie below `workspace`, a physical path: what judges the
    /// output of commands must not be theirs to change.
    ///
    /// # Errors
    /// [`FilterError`], for the first file that cannot be used.
    pub fn with_filters(path: &Path, workspace: &Path) -> Result<Self, FilterError> {
        let (mut paths, own) = from_path(path, workspace)?;
        // Of a folder, what is put into it is read the next time.
        if !paths.iter().any(|read| read == path) {
            paths.push(path.to_owned());
        }
        Ok(Compressor { own: own.into(), paths: paths.into(), ..Compressor::default() })
    }

    /// The files of the operator's own filters, and their folder. No command should be able to write
    /// them: see [`RunnerBuilder::reserve`](crate::RunnerBuilder::reserve).
    #[must_use]
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// What is done with the output of this command line.
    #[must_use]
    pub fn recipe(&self, command: &OsStr, args: &[OsString]) -> Recipe {
        Recipe::new(choose(self.own.iter().chain(self.shipped.iter()), command, args))
    }
}
