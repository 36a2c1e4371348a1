//! What a file is like, to be compared with what it is like later.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file, and all that can be known about it but when it was read.
#[derive(Debug)]
pub(crate) struct Snapshot {
    path: PathBuf,
    seen: Option<Seen>,
}

#[derive(Debug, PartialEq, Eq)]
struct Seen {
    inode: u64,
    mode: u32,
    owner: (u32, u32),
    links: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    target: Option<PathBuf>,
    text: Option<Vec<u8>>,
    entries: Option<Vec<PathBuf>>,
    attributes: Vec<u8>,
}

impl Snapshot {
    pub(crate) fn of(path: impl AsRef<Path>) -> Snapshot {
        let path = path.as_ref().to_owned();
        Snapshot { seen: look(&path), path }
    }

    /// Whether anything is different now.
    pub(crate) fn changed(&self) -> bool {
        look(&self.path) != self.seen
    }
}

fn look(path: &Path) -> Option<Seen> {
    let metadata = path.symlink_metadata().ok()?;
    let mut attributes = vec![0; 4096];
    let length = rustix::fs::llistxattr(path, attributes.as_mut_slice()).unwrap_or(0);
    attributes.truncate(length);
    let entries = metadata.is_dir().then(|| {
        let entries = fs::read_dir(path).map(|all| all.flatten().map(|entry| entry.path()));
        let mut entries: Vec<_> = entries.into_iter().flatten().collect();
        entries.sort();
        entries
    });
    Some(Seen {
        inode: metadata.ino(),
        mode: metadata.mode(),
        owner: (metadata.uid(), metadata.gid()),
        links: metadata.nlink(),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
        target: fs::read_link(path).ok(),
        text: metadata.is_file().then(|| fs::read(path).unwrap_or_default()),
        entries,
        attributes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writing_touching_and_removing_are_changes_and_reading_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "text").unwrap();
        let before = Snapshot::of(&path);
        assert_eq!(fs::read_to_string(&path).unwrap(), "text");
        assert!(!before.changed());
        fs::write(&path, "other").unwrap();
        assert!(before.changed());
        let before = Snapshot::of(folder.path());
        fs::remove_file(path).unwrap();
        assert!(before.changed());
    }
}
