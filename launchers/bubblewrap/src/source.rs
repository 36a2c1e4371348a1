//! Opens the host's files that a run is given, anew for every run.
//!
//! A path of the policy is physical, and stays the name of the rule: a file that was replaced since
//! the start is the one that counts. What may not happen is that a link has been put in its way,
//! which would lead the mount to another place. So no link is followed, at any component.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use cofferdam_launcher::LaunchError;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, OpenHow, ResolveFlag, openat2};
use nix::sys::stat::{SFlag, fstat};

use crate::mount::Source;

/// The size in bytes up to which a file is small. The largest usual ones below `/etc` (the cache of
/// libraries, the list of file types) have some 100 KiB.
const SMALL: i64 = 256 * 1024;

/// A file of the host, opened only to be named.
pub(crate) struct Opened {
    fd: OwnedFd,
    pub(crate) is_folder: bool,
}

/// Opens `path` without following a link. `None` where nothing is there.
///
/// # Errors
/// [`LaunchError::Path`]: `ELOOP` for a link in the way, `EACCES` for a folder that may not be
/// passed. See `openat2(2)`.
pub(crate) fn open(path: &Path) -> Result<Option<Opened>, LaunchError> {
    let fd = match open_physical(path, OFlag::O_PATH) {
        Ok(fd) => fd,
        Err(Errno::ENOENT | Errno::ENOTDIR) => return Ok(None),
        Err(Errno::ELOOP) => return Err(refused(path, link_in_the_way())),
        Err(errno) => return Err(refused(path, errno.into())),
    };
    let stat = fstat(&fd).map_err(|errno| refused(path, errno.into()))?;
    let kind = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT;
    Ok(Some(Opened { fd, is_folder: kind == SFlag::S_IFDIR }))
}

/// A small file, opened to be read, and its permission bits. `None` for anything else, and for what
/// this user may not read: that is bound like other files.
pub(crate) fn open_small(path: &Path) -> Option<(OwnedFd, u32)> {
    // Not to wait for the other end of a named pipe.
    let fd = open_physical(path, OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY).ok()?;
    let stat = fstat(&fd).ok()?;
    let is_file = SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == SFlag::S_IFREG;
    (is_file && stat.st_size <= SMALL).then_some((fd, stat.st_mode & 0o777))
}

fn open_physical(path: &Path, flags: OFlag) -> Result<OwnedFd, Errno> {
    let how =
        OpenHow::new().flags(flags | OFlag::O_CLOEXEC).resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
    openat2(AT_FDCWD, path, how)
}

impl Opened {
    /// The file as a source for bubblewrap.
    pub(crate) fn into_source(self, path: &Path, by_descriptor: bool) -> Source {
        match by_descriptor {
            true => Source::Descriptor { fd: self.fd, path: path.to_owned() },
            false => Source::Path(path.to_owned()),
        }
    }
}

/// The error for a path that a run cannot do without.
pub(crate) fn gone(path: &Path) -> LaunchError {
    refused(path, io::Error::from(io::ErrorKind::NotFound))
}

fn refused(path: &Path, source: io::Error) -> LaunchError {
    LaunchError::Path { path: path.to_owned(), source }
}

fn link_in_the_way() -> io::Error {
    io::Error::other(
        "a symbolic link stands in it now, which was not there when the policy was resolved",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        (folder, path)
    }

    #[test]
    fn what_is_there_is_opened_and_told_apart() {
        let (_guard, folder) = folder();
        fs::write(folder.join("file"), "").unwrap();
        assert!(open(&folder).unwrap().unwrap().is_folder);
        assert!(!open(&folder.join("file")).unwrap().unwrap().is_folder);
        assert!(open(&folder.join("none")).unwrap().is_none());
        assert!(open(&folder.join("file/below")).unwrap().is_none());
    }

    #[test]
    fn only_small_files_are_opened_for_reading() {
        let (_guard, folder) = folder();
        fs::write(folder.join("small"), "text").unwrap();
        fs::write(folder.join("large"), vec![0; SMALL as usize + 1]).unwrap();
        symlink("small", folder.join("link")).unwrap();
        nix::unistd::mkfifo(&folder.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert!(open_small(&folder.join("small")).is_some());
        for other in ["large", "link", "pipe", "none", "."] {
            assert!(open_small(&folder.join(other)).is_none(), "{other}");
        }
    }

    #[test]
    fn a_link_is_followed_neither_at_the_end_nor_on_the_way() {
        let (_guard, folder) = folder();
        fs::create_dir_all(folder.join("real/below")).unwrap();
        symlink(folder.join("real"), folder.join("link")).unwrap();
        for path in ["link", "link/below"] {
            let error = open(&folder.join(path)).err().unwrap();
            assert!(matches!(error, LaunchError::Path { .. }), "{error:?}");
        }
    }
}
