//! What stands where, looked up once while a policy is resolved.
//!
//! The entries of a profile share most of their way (`/etc`, the home directory, the workspace), so
//! that every folder would be asked for dozens of times. And a policy is to show one moment of the
//! machine, not several.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// What stands at a path. Links are not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sight {
    Absent,
    Directory,
    /// A link, and what it holds.
    Link(PathBuf),
    /// A Unix socket (`unix(7)`).
    Socket,
    /// Anything else.
    File,
}

/// All that was looked up so far.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    /// By the path's bytes: comparing paths part by part takes longer than asking the system.
    sights: RefCell<HashMap<OsString, Sight>>,
    names: RefCell<HashMap<OsString, Rc<[OsString]>>>,
}

impl Looks {
    /// What stands at a path, no component of which but the last may be a link.
    ///
    /// # Errors
    /// It cannot be looked at. Errors are not remembered.
    pub(crate) fn at(&self, path: &Path) -> io::Result<Sight> {
        if let Some(sight) = self.sights.borrow().get(path.as_os_str()) {
            return Ok(sight.clone());
        }
        let sight = look(path)?;
        self.sights.borrow_mut().insert(path.as_os_str().to_owned(), sight.clone());
        Ok(sight)
    }

    /// Whether a directory was found at exactly this path.
    pub(crate) fn is_known_folder(&self, path: &Path) -> bool {
        self.sights.borrow().get(path.as_os_str()) == Some(&Sight::Directory)
    }

    /// Something was made since: what was absent is looked up again.
    pub(crate) fn forget_absent(&self) {
        self.sights.borrow_mut().retain(|_, sight| *sight != Sight::Absent);
    }

    /// The names in a directory, in no particular order; none where it cannot be read.
    pub(crate) fn names(&self, dir: &Path) -> Rc<[OsString]> {
        let key: &OsStr = dir.as_os_str();
        if let Some(names) = self.names.borrow().get(key) {
            return names.clone();
        }
        let entries = fs::read_dir(dir).into_iter().flatten();
        let names: Rc<[OsString]> =
            entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
        self.names.borrow_mut().insert(key.to_owned(), names.clone());
        names
    }
}

fn look(path: &Path) -> io::Result<Sight> {
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => fs::read_link(path).map(Sight::Link),
        Ok(found) if found.is_dir() => Ok(Sight::Directory),
        Ok(found) if found.file_type().is_socket() => Ok(Sight::Socket),
        Ok(_) => Ok(Sight::File),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Sight::Absent),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn one_policy_sees_one_moment() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        symlink("file", &link).unwrap();
        let looks = Looks::default();
        assert_eq!(looks.at(&file).unwrap(), Sight::Absent);
        assert_eq!(looks.names(folder.path()).len(), 1);
        fs::write(&file, "").unwrap();
        assert_eq!(looks.at(&file).unwrap(), Sight::Absent);
        assert_eq!(looks.names(folder.path()).len(), 1);
        looks.forget_absent();
        assert_eq!(looks.at(&file).unwrap(), Sight::File);
        assert_eq!(looks.at(folder.path()).unwrap(), Sight::Directory);
        assert_eq!(looks.at(&link).unwrap(), Sight::Link("file".into()));
    }
}
