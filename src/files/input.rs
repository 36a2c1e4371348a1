//! A file in place of standard input.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::OFlags;

use super::rights::Use;
use super::walk::Identity;
use super::{Beneath, FileProblem, Rights};

/// A file that a command reads through a pipe.
#[derive(Debug)]
pub(crate) struct InputFile {
    pub(super) file: OwnedFd,
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
}

impl InputFile {
    /// Opens it, if the run may read it.
    pub(crate) fn open(beneath: Beneath, rights: Rights<'_>) -> Result<Self, FileProblem> {
        rights.by_name(&beneath, Use::Read)?;
        let opened = beneath.open(OFlags::RDONLY)?;
        let (file, stat) = opened.ok_or(rustix::io::Errno::NOENT)?;
        rights.by_file(&beneath, &file, &stat, Use::Read)?;
        Ok(InputFile { file, path: beneath.path, identity: Identity::of(&stat) })
    }
}
