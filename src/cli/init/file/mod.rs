//! A client's file: found by a way that nobody else can bend, read, and written as a whole or not at
//! all.

mod replace;
mod way;

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
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
    /// The system does not let this user read it.
    #[error("`{}` cannot be read", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// It is not what a client reads, or not the person's.
    #[error("`{}` is left alone: {problem}", path.display())]
    Strange { path: PathBuf, problem: String },
    /// The system does not let this user write it, or the file or folder beside it that this needs.
    #[error("`{}` cannot be written, and stays as it was", path.display())]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A client writes some of these files by itself.
    #[error(
        "`{}` was changed by another program just now, and was not written; end the client, and try \
         again",
        path.display()
    )]
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
        let found = match open(&path) {
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

/// Opens what may turn out to be no file: a pipe must not hold this up, and a link that came meanwhile
/// is not followed.
fn open(path: &Path) -> io::Result<File> {
    let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

fn read(path: &Path, mut file: File, user: u32) -> Result<Found, FileError> {
    let unreadable = |source| FileError::Read { path: path.to_owned(), source };
    let strange = |problem| FileError::Strange { path: path.to_owned(), problem };
    let facts = file.metadata().map_err(unreadable)?;
    if let Some(problem) = problem(&facts, user) {
        return Err(strange(problem));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.starts_with("\u{feff}".as_bytes()) {
        return Err(strange("it starts with a byte order mark; save it as plain UTF-8".to_owned()));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Found { text, mode: facts.mode() & 0o777, group: facts.gid() }),
        Err(error) => Err(strange(format!("it is not UTF-8: {}", error.utf8_error()))),
    }
}

fn problem(facts: &Metadata, user: u32) -> Option<String> {
    if !facts.is_file() {
        return Some("it is something else than a file".to_owned());
    }
    if facts.uid() != user {
        return Some(format!("it belongs to user {}", facts.uid()));
    }
    (facts.len() > LARGEST).then(|| format!("it is larger than {LARGEST} bytes"))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn what_is_no_text_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().canonicalize().unwrap().join("f");
        for (bytes, word) in [(&b"ab\xff"[..], "index 2"), (b"\xef\xbb\xbf{}", "byte order mark")] {
            fs::write(&file, bytes).unwrap();
            let refused = ClientFile::open(&file).unwrap_err().to_string();
            assert!(refused.contains(word), "{refused}");
        }
    }

    #[test]
    fn what_is_no_file_is_left_alone_and_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        fs::create_dir(dir.join("folder")).unwrap();
        nix::unistd::mkfifo(&dir.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        for name in ["folder", "pipe"] {
            let refused = ClientFile::open(&dir.join(name));
            assert!(matches!(refused, Err(FileError::Strange { .. })), "{refused:?}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_empty_whatever_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let odd = dir.path().canonicalize().unwrap().join(OsStr::from_bytes(b"\xff"));
        assert_eq!(ClientFile::open(&odd).unwrap().text(), "");
    }
}
