//! A new text in the place of the old one: written beside it and moved over it, so that a client, or
//! a power failure, sees either of them whole.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use super::{ClientFile, FileError, Found};

/// Who may read a file that did not exist before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli::init) enum Fresh {
    /// Whoever the umask lets, as for other files of a project.
    Shared,
    /// The person alone, as clients make their own files.
    Own,
}

impl Fresh {
    fn file_mode(self) -> u32 {
        match self {
            Fresh::Shared => 0o666,
            Fresh::Own => 0o600,
        }
    }

    fn folder_mode(self) -> u32 {
        match self {
            Fresh::Shared => 0o777,
            Fresh::Own => 0o700,
        }
    }
}

impl ClientFile {
    /// Writes a new text. Returns where the old one is kept; `None` if there was none.
    ///
    /// # Errors
    /// [`FileError::Write`], and [`FileError::Changed`] if it is no longer as it was read. Nothing is
    /// changed then but that folders for it may be there.
    pub(in crate::cli::init) fn replace(
        &self,
        text: &str,
        fresh: Fresh,
    ) -> Result<Option<PathBuf>, FileError> {
        let failed = |source| FileError::Write { path: self.path.clone(), source };
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        DirBuilder::new()
            .recursive(true)
            .mode(fresh.folder_mode())
            .create(folder)
            .map_err(failed)?;
        let new = NewFile::write(&self.path, text, self.found.as_ref(), fresh).map_err(failed)?;
        let kept = self.found.as_ref().map(|found| backup(&self.path, found)).transpose();
        let kept = kept.map_err(failed)?;
        let moved = match self.is_as_it_was() {
            true => new.move_to(&self.path).map_err(failed),
            false => Err(FileError::Changed { path: self.path.clone() }),
        };
        if moved.is_err()
            && let Some(kept) = &kept
        {
            let _ = fs::remove_file(kept);
        }
        moved?;
        // The new text is in its place. Some file systems cannot promise that it survives a power
        // failure, and then it is this or the old one.
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
        Ok(kept)
    }

    /// Between this look and the move another program may still write; a client does so seldom enough.
    fn is_as_it_was(&self) -> bool {
        match (&self.found, fs::read(&self.path)) {
            (Some(found), Ok(now)) => now == found.text.as_bytes(),
            (None, Err(error)) => error.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }
}

/// A file beside the one that it shall replace; removed if it does not.
struct NewFile {
    path: Option<PathBuf>,
}

impl NewFile {
    fn write(path: &Path, text: &str, old: Option<&Found>, fresh: Fresh) -> io::Result<Self> {
        let random = getrandom::u64()?;
        let beside = with_suffix(path, &format!(".new-{random:016x}"));
        let mode = old.map_or(fresh.file_mode(), |_| Fresh::Own.file_mode());
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&beside)?;
        let new = NewFile { path: Some(beside) };
        file.write_all(text.as_bytes())?;
        if let Some(old) = old {
            be_like(&file, old)?;
        }
        file.sync_all()?;
        Ok(new)
    }

    fn move_to(mut self, path: &Path) -> io::Result<()> {
        if let Some(beside) = &self.path {
            fs::rename(beside, path)?;
        }
        self.path = None;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}

/// Gives a file the group and the mode of another one; both belong to this user.
fn be_like(file: &File, old: &Found) -> io::Result<()> {
    if file.metadata()?.gid() != old.group {
        fchown(file, None, Some(old.group))?;
    }
    file.set_permissions(Permissions::from_mode(old.mode))
}

/// Keeps the old text as NAME.bak-N, with the first number that is free.
fn backup(path: &Path, old: &Found) -> io::Result<PathBuf> {
    let mut number = 1_u32;
    let (mut file, kept) = loop {
        let kept = with_suffix(path, &format!(".bak-{number}"));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&kept) {
            Ok(file) => break (file, kept),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < u32::MAX => {
                number += 1;
            }
            Err(error) => return Err(error),
        }
    };
    file.write_all(old.text.as_bytes())?;
    be_like(&file, old)?;
    file.sync_all()?;
    Ok(kept)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn every_old_text_is_kept_and_the_mode_stays() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        let path = dir.join("f");
        fs::write(&path, "1").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        for (text, number) in [("2", 1), ("3", 2)] {
            let kept = ClientFile::open(&path).unwrap().replace(text, Fresh::Own).unwrap();
            assert_eq!(kept, Some(dir.join(format!("f.bak-{number}"))));
        }
        let read = |name: &str| fs::read_to_string(dir.join(name)).unwrap();
        assert_eq!([read("f"), read("f.bak-1"), read("f.bak-2")], ["3", "1", "2"]);
        for name in ["f", "f.bak-1", "f.bak-2"] {
            assert_eq!(dir.join(name).metadata().unwrap().mode() & 0o777, 0o640, "{name}");
        }
        assert_eq!(names(&dir), ["f", "f.bak-1", "f.bak-2"]);
    }

    #[test]
    fn a_new_file_gets_its_folders_and_no_backup() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("a/b/f");
        assert_eq!(ClientFile::open(&path).unwrap().replace("x", Fresh::Own).unwrap(), None);
        assert_eq!(fs::read_to_string(&path).unwrap(), "x");
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(path.parent().unwrap().metadata().unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn what_another_program_wrote_meanwhile_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap().join("f");
        for before in [None, Some("1")] {
            if let Some(text) = before {
                fs::write(&path, text).unwrap();
            }
            let file = ClientFile::open(&path).unwrap();
            fs::write(&path, "theirs").unwrap();
            let refused = file.replace("mine", Fresh::Own);
            assert!(matches!(refused, Err(FileError::Changed { .. })), "{refused:?}");
            assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
            fs::remove_file(&path).unwrap();
        }
        assert!(names(dir.path()).is_empty());
    }

    #[test]
    fn a_link_stays_one_and_its_target_gets_the_text() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        fs::write(dir.join("real"), "1").unwrap();
        std::os::unix::fs::symlink("real", dir.join("f")).unwrap();
        ClientFile::open(&dir.join("f")).unwrap().replace("2", Fresh::Own).unwrap();
        assert!(dir.join("f").is_symlink());
        assert_eq!(fs::read_to_string(dir.join("real")).unwrap(), "2");
        assert_eq!(names(&dir), ["f", "real", "real.bak-1"]);
    }
}
