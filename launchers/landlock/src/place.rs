//! What a path of the policy names, held open.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use nix::fcntl::{AT_FDCWD, OFlag, OpenHow, ResolveFlag, openat2};

/// A file or folder, open without any right to it.
///
/// While it is held its inode is not freed, so no other file can get its number: what has the same
/// device and number is the same file.
#[derive(Debug)]
pub(crate) struct Place {
    file: File,
    device: u64,
    inode: u64,
    is_dir: bool,
}

impl Place {
    /// Opens what stands at a path now.
    ///
    /// # Errors
    /// Nothing is there, or a link is in the path.
    pub(crate) fn open(path: &Path) -> io::Result<Place> {
        let file = open(path)?;
        let found = file.metadata()?;
        Ok(Place { device: found.dev(), inode: found.ino(), is_dir: found.is_dir(), file })
    }

    /// Whether the path names this very file or folder.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let is_same = |found: Metadata| (found.dev(), found.ino()) == (self.device, self.inode);
        path.symlink_metadata().is_ok_and(is_same)
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.is_dir
    }
}

/// Opens without reading rights, and without following a link anywhere in the path: the path was
/// physical when the policy was resolved, so a link in it now was put there since.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let how = OpenHow::new()
        .flags(OFlag::O_PATH | OFlag::O_CLOEXEC)
        .resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
    Ok(openat2(AT_FDCWD, path, how)?.into())
}

impl AsFd for Place {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_that_was_replaced_is_another_place() {
        let folder = tempfile::tempdir().unwrap();
        let (path, new) = (folder.path().join("file"), folder.path().join("new"));
        fs::write(&path, "old").unwrap();
        let place = Place::open(&path).unwrap();
        assert!(place.is_at(&path));
        fs::write(&path, "written again").unwrap();
        assert!(place.is_at(&path));
        fs::write(&new, "new").unwrap();
        fs::rename(&new, &path).unwrap();
        assert!(!place.is_at(&path));
    }

    #[test]
    fn a_path_with_a_link_in_it_is_no_place() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::create_dir(top.join("real")).unwrap();
        fs::write(top.join("real/file"), "").unwrap();
        symlink("real", top.join("link")).unwrap();
        assert!(Place::open(&top.join("real/file")).is_ok());
        let error = Place::open(&top.join("link/file")).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ELOOP));
        let place = Place::open(&top.join("real")).unwrap();
        assert!(!place.is_at(&top.join("link")));
    }
}
