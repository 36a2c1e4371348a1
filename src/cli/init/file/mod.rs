//! A client's file: found by a way that nobody else can bend, read, and written as a whole or not at
//! all.

mod replace;
mod way;

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::geteuid;

pub(super) use replace::Fresh;
use way::WayError;

/// No client's file is larger, in bytes. Claude Code keeps its history in the one with the servers.
const LARGEST: u64 = 64 << 20;

/// Why a file cannot be used. Nothing has been changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    /// The way there is not the person's own.
    #[error("`{}` is left alone", path.display())]
    Way {
        /// The file as the client names it.
        path: PathBuf,
        #[source]
        source: WayError,
    },
    #[error("`{}` cannot be read", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("`{}` is no file of yours: {problem}; it is left alone", path.display())]
    Strange { path: PathBuf, problem: String },
    #[error("`{}` cannot be written, and stays as it was", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A client writes some of these files by itself.
    #[error("`{}` was changed by another program just now, and was not written; end the client, and try again", path.display())]
    Changed { path: PathBuf },
}

/// A client's file as it was found.
#[derive(Debug)]
pub(super) struct ClientFile {
    /// Where it really is: absolute, without links.
    path: PathBuf,
    /// `None` where there is none yet.
    found: Option<Found>,
}

#[derive(Debug)]
struct Found {
    text: String,
    mode: u32,
    group: u32,
}

impl ClientFile {
    /// Reads the file at this absolute path. Links are followed if they, and every folder on the way,
    /// belong to this user or to root.
    ///
    /// # Errors
    /// [`FileError`]; never for a file that does not exist.
    pub(super) fn open(named: &Path) -> Result<Self, FileError> {
        let user = geteuid().as_raw();
        let path = way::follow(named, user)
            .map_err(|source| FileError::Way { path: named.to_owned(), source })?;
        let found = match File::open(&path) {
            Ok(file) => Some(read(&path, file, user)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(FileError::Read { path, source }),
        };
        Ok(ClientFile { path, found })
    }

    /// Where it really is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds; nothing where there is none.
    pub(super) fn text(&self) -> &str {
        self.found.as_ref().map_or("", |found| &found.text)
    }
}

fn read(path: &Path, mut file: File, user: u32) -> Result<Found, FileError> {
    let unreadable = |source| FileError::Read { path: path.to_owned(), source };
    let facts = file.metadata().map_err(unreadable)?;
    if let Some(problem) = problem(&facts, user) {
        return Err(FileError::Strange { path: path.to_owned(), problem });
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(unreadable)?;
    Ok(Found { text, mode: facts.mode() & 0o777, group: facts.gid() })
}

fn problem(facts: &Metadata, user: u32) -> Option<String> {
    match () {
        () if !facts.is_file() => Some("it is something else than a file".to_owned()),
        () if facts.uid() != user => Some(format!("it belongs to user {}", facts.uid())),
        () if facts.len() > LARGEST => Some(format!("it is larger than {LARGEST} bytes")),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn what_is_no_text_or_no_file_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        let file = dir.join("f");
        fs::write(&file, b"\xff").unwrap();
        assert!(matches!(ClientFile::open(&file), Err(FileError::Read { .. })));
        fs::create_dir(dir.join("d")).unwrap();
        assert!(matches!(ClientFile::open(&dir.join("d")), Err(FileError::Strange { .. })));
        let odd = dir.join(std::ffi::OsStr::from_bytes(b"\xff"));
        assert_eq!(ClientFile::open(&odd).unwrap().text(), "");
    }
}
