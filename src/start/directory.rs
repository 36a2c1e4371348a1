//! Where a run starts.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::NotBegun;
use crate::gate::Refusal;
use crate::runner::Terms;
use crate::spawn::TO_ENTER;

/// The working directory of a run, open.
#[derive(Debug)]
pub(super) struct Directory {
    /// Its physical path.
    pub(super) path: PathBuf,
    /// As the caller and the settings have written it.
    pub(super) written: PathBuf,
    pub(super) open: OwnedFd,
}

/// Opens the working directory, and checks that the policy shows it.
pub(super) fn directory(terms: &Terms, cwd: Option<&Path>) -> Result<Directory, NotBegun> {
    let wanted = match cwd.filter(|cwd| !cwd.as_os_str().is_empty()) {
        Some(cwd) => terms.dir.join(cwd),
        None => terms.dir.clone(),
    };
    let refuse =
        |source: io::Error| NotBegun::Refused(Refusal::Directory { dir: wanted.clone(), source });
    let physical = wanted.canonicalize().map_err(refuse)?;
    let flags = TO_ENTER | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::open(&physical, flags, Mode::empty());
    let opened = opened.map_err(|errno| refuse(errno.into()))?;
    rustix::fs::access(&physical, rustix::fs::Access::EXEC_OK)
        .map_err(|errno| refuse(errno.into()))?;
    if let Some(policy) = &terms.policy
        && !policy.filesystem.may_read(&physical)
    {
        return Err(NotBegun::Refused(Refusal::DirectoryOutside {
            dir: physical,
            profile: policy.name.clone(),
            roots: terms.writable_roots(),
        }));
    }
    Ok(Directory { path: physical, written: wanted, open: opened })
}

/// Where a run with this `cwd` would start: a physical path. `None` where it could not.
#[cfg(feature = "mcp")]
pub(crate) fn physical_directory(terms: &Terms, cwd: Option<&Path>) -> Option<PathBuf> {
    directory(terms, cwd).ok().map(|directory| directory.path)
}
