//! The file: opened once, only ever appended to, a whole line with each write.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{Mode, OFlags};

use super::AuditError;

/// An audit file. Several processes may append to the same one: the kernel puts each write at the end
/// (`O_APPEND`, `write(2)`), so their lines do not mix.
#[derive(Debug)]
pub(super) struct AuditFile {
    path: PathBuf,
    writing: Mutex<Writing>,
}

#[derive(Debug)]
struct Writing {
    file: File,
    /// Whether the file ends within a line, which the next one must not go on with.
    is_torn: bool,
}

impl AuditFile {
    /// Opens the file, or makes it with mode 0600.
    pub(super) fn open(path: &Path) -> Result<Self, AuditError> {
        let path = physical(path).map_err(AuditError::Open)?;
        let file = open(&path).map_err(AuditError::Open)?;
        let facts = file.metadata().map_err(AuditError::Open)?;
        judge(&facts)?;
        let is_torn = ends_within_a_line(&file, facts.len()).map_err(AuditError::Open)?;
        Ok(AuditFile { path, writing: Mutex::new(Writing { file, is_torn }) })
    }

    /// Where it is: absolute, its folder without links.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one line, which has its newline. When this returns without an error the kernel has it,
    /// and it outlives this process.
    pub(super) fn append(&self, line: &str) -> Result<(), AuditError> {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.find(&writing.file)?;
        let whole = match writing.is_torn {
            true => format!("\n{line}"),
            false => line.to_owned(),
        };
        let length = whole.len();
        let written =
            rustix::io::retry_on_intr(|| rustix::io::write(&writing.file, whole.as_bytes()))
                .map_err(|errno| AuditError::Write(errno.into()))?;
        if written < length {
            writing.is_torn |= written > 0;
            return Err(AuditError::Cut { written, length });
        }
        writing.is_torn = false;
        Ok(())
    }

    /// Whether what people find under its name is still this file.
    fn find(&self, file: &File) -> Result<(), AuditError> {
        let own = file.metadata().map_err(AuditError::Write)?;
        let named = fs::symlink_metadata(&self.path).map_err(|_| AuditError::Gone)?;
        match (named.dev(), named.ino()) == (own.dev(), own.ino()) {
            true => Ok(()),
            false => Err(AuditError::Gone),
        }
    }
}

/// The path with its folder made physical. The file itself need not be there.
pub(super) fn physical(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    Ok(folder.unwrap_or(Path::new(".")).canonicalize()?.join(name))
}

/// What is no regular file must not hold up the start (`fifo(7)`), and no part of the path may be a
/// link by now (`openat2(2)`).
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR
        | OFlags::APPEND
        | OFlags::CREATE
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK
        | OFlags::NOCTTY
        | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR;
    Ok(File::from(open_without_links(path, flags, mode)?))
}

#[cfg(target_os = "linux")]
fn open_without_links(path: &Path, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::{CWD, ResolveFlags, openat2};
    use rustix::io::Errno;
    match openat2(CWD, path, flags, mode, ResolveFlags::NO_SYMLINKS) {
        // Filters that are older than the call refuse it.
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::open(path, flags, mode),
        opened => opened,
    }
}

/// `O_NOFOLLOW_ANY` of macOS (`open(2)`), which no crate names.
#[cfg(target_os = "macos")]
fn open_without_links(path: &Path, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    const NOFOLLOW_ANY: OFlags = OFlags::from_bits_retain(0x2000_0000);
    // Beside it, the flag for the last name alone is invalid.
    rustix::fs::open(path, (flags - OFlags::NOFOLLOW) | NOFOLLOW_ANY, mode)
}

fn judge(facts: &Metadata) -> Result<(), AuditError> {
    let mode = facts.mode() & 0o777;
    if !facts.is_file() {
        return Err(AuditError::NotAFile);
    }
    if facts.uid() != rustix::process::geteuid().as_raw() {
        return Err(AuditError::Foreign { owner: facts.uid() });
    }
    if mode & 0o077 != 0 {
        return Err(AuditError::Shared { mode });
    }
    match facts.nlink() {
        1 => Ok(()),
        links => Err(AuditError::Linked { links }),
    }
}

/// A process that was killed while the disk was full may have left half a line.
fn ends_within_a_line(file: &File, length: u64) -> io::Result<bool> {
    let mut last = [b'\n'];
    if length > 0 {
        file.read_exact_at(&mut last, length - 1)?;
    }
    Ok(last != [b'\n'])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        (folder, path)
    }

    #[test]
    fn lines_are_appended_to_a_file_for_its_owner_alone() {
        let (_folder, path) = folder();
        for line in ["one\n", "two\n"] {
            AuditFile::open(&path).unwrap().append(line).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn half_a_line_is_not_gone_on_with() {
        let (_folder, path) = folder();
        fs::write(&path, "{\"ti").unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        let file = AuditFile::open(&path).unwrap();
        file.append("one\n").unwrap();
        file.append("two\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"ti\none\ntwo\n");
    }

    #[test]
    fn what_others_could_have_a_hand_in_is_refused() {
        let (folder, path) = folder();
        let target = folder.path().join("target");
        fs::write(&target, "").unwrap();
        symlink(&target, &path).unwrap();
        assert!(matches!(AuditFile::open(&path), Err(AuditError::Open(_))));
        fs::remove_file(&path).unwrap();

        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        assert!(matches!(AuditFile::open(&path), Err(AuditError::Shared { mode: 0o640 })));
        fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        fs::hard_link(&path, folder.path().join("other")).unwrap();
        assert!(matches!(AuditFile::open(&path), Err(AuditError::Linked { links: 2 })));

        let missing = AuditFile::open(&folder.path().join("none/audit"));
        assert!(matches!(missing, Err(AuditError::Open(_))));
        let special = AuditFile::open(Path::new("/dev/null"));
        assert!(matches!(special, Err(AuditError::NotAFile)));
    }

    #[test]
    fn a_link_on_the_way_is_resolved_when_the_file_is_opened() {
        let (folder, _) = folder();
        fs::create_dir(folder.path().join("real")).unwrap();
        symlink("real", folder.path().join("link")).unwrap();
        let file = AuditFile::open(&folder.path().join("link/audit")).unwrap();
        assert_eq!(file.path(), folder.path().canonicalize().unwrap().join("real/audit"));
    }

    #[test]
    fn a_file_that_was_removed_or_replaced_takes_nothing_more() {
        let (folder, path) = folder();
        let file = AuditFile::open(&path).unwrap();
        fs::rename(&path, folder.path().join("moved")).unwrap();
        assert!(matches!(file.append("x\n"), Err(AuditError::Gone)));
        fs::write(&path, "").unwrap();
        assert!(matches!(file.append("x\n"), Err(AuditError::Gone)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "");
    }
}
