//! The directories of one test.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::User;

/// A workspace and what lies around it, removed with this value.
///
/// It is not below the system's temporary directory, which profiles treat in a way of their own, and
/// not below a home directory, which other users may not enter.
#[derive(Debug)]
pub(crate) struct Place {
    root: TempDir,
    user: User,
}

impl Place {
    /// The folders `work`, `outside`, `home` and `cache`, all of which belong to the user: whatever
    /// is refused there is refused by the sandbox, and not for the owner's sake.
    pub(crate) fn new(user: User) -> Self {
        let root = TempDir::with_prefix_in("e2e-", "/var/tmp").unwrap();
        fs::set_permissions(root.path(), Permissions::from_mode(0o755)).unwrap();
        let place = Place { root, user };
        for folder in ["work", "outside", "home", "cache"] {
            place.folder(folder);
        }
        place
    }

    /// The path of something in this place.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.path().join(name)
    }

    /// The same as text. Every path that a test makes is UTF-8 unless it says otherwise.
    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).into_os_string().into_string().unwrap()
    }

    /// A directory that belongs to the user; its parents are made as well.
    pub(crate) fn folder(&self, name: impl AsRef<Path>) -> PathBuf {
        let mut path = self.root.path().to_owned();
        for part in name.as_ref().components() {
            path.push(part);
            if !path.exists() {
                fs::create_dir(&path).unwrap();
                self.give(&path);
            }
        }
        path
    }

    /// A file that belongs to the user.
    pub(crate) fn file(&self, name: impl AsRef<Path>, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name.as_ref());
        if let Some(folder) = name.as_ref().parent() {
            self.folder(folder);
        }
        fs::write(&path, text).unwrap();
        self.give(&path);
        path
    }

    /// An executable file that belongs to the user.
    pub(crate) fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.file(name, text);
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// The text of a file, empty where there is none.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Whether something of this name exists, if only a link that leads nowhere.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// Everything below a folder, as sorted paths relative to it.
    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.path(name)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let shown = path.strip_prefix(self.path(name)).unwrap().to_string_lossy();
                found.push(shown.into_owned());
                if path.symlink_metadata().unwrap().is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }

    fn give(&self, path: &Path) {
        if let Some(id) = self.user.id() {
            chown(path, Some(id), Some(id)).unwrap();
        }
    }
}
