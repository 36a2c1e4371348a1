//! The way from the run's directory to a file, one step at a time and through no link.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, statat};
use rustix::io::Errno;

use super::FileProblem;
use super::system::open_beneath;
use crate::spawn::TO_ENTER;

/// What makes two names the same file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    // The types differ between systems, and none is wider.
    #[allow(clippy::unnecessary_cast, trivial_numeric_casts)]
    pub(super) fn of(stat: &Stat) -> Self {
        Identity { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
    }

    pub(super) fn at(path: &Path) -> Option<Self> {
        rustix::fs::lstat(path).ok().map(|stat| Identity::of(&stat))
    }
}

/// The last folder on the way to a file, open, and what was passed.
#[derive(Debug)]
pub(crate) struct Beneath {
    pub(super) folder: OwnedFd,
    pub(super) name: OsString,
    /// The physical path of the file: no link was passed, so there is no other.
    pub(super) path: PathBuf,
    /// Every folder that was passed, the run's directory first.
    pub(super) passed: Vec<(PathBuf, Identity)>,
}

impl Beneath {
    /// Walks from the directory `dir`, which is open and whose physical path this is, to the folder of
    /// `wanted`. `written` is another spelling of the directory, that an absolute path may begin with.
    pub(crate) fn walk(
        dir: BorrowedFd<'_>,
        physical: &Path,
        written: &Path,
        wanted: &Path,
    ) -> Result<Self, FileProblem> {
        let outside = || FileProblem::Outside { dir: physical.to_owned() };
        let mut steps = steps(physical, written, wanted).ok_or_else(outside)?;
        let name = steps.pop().ok_or_else(outside)?;
        let mut path = physical.to_owned();
        let mut folder = open_beneath(dir, OsStr::new("."), FOLDER, Mode::empty())?;
        let mut passed = vec![(path.clone(), Identity::of(&fstat(&folder)?))];
        for step in steps {
            path.push(&step);
            let next = open_beneath(folder.as_fd(), &step, FOLDER, Mode::empty());
            folder = next.map_err(|errno| met(folder.as_fd(), &step, &path, errno))?;
            passed.push((path.clone(), Identity::of(&fstat(&folder)?)));
        }
        path.push(&name);
        Ok(Beneath { folder, name, path, passed })
    }

    /// Opens the file, which is a regular one. `None` where there is none.
    ///
    /// It is looked at before it is opened, since the opening of a device or of a pipe has effects; and
    /// afterwards, since it may be another one by then.
    pub(super) fn open(&self, flags: OFlags) -> Result<Option<(OwnedFd, Stat)>, FileProblem> {
        let before = match statat(&self.folder, &*self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(None),
            found => found?,
        };
        match FileType::from_raw_mode(before.st_mode) {
            FileType::RegularFile => {}
            FileType::Symlink => return Err(FileProblem::Link { path: self.path.clone() }),
            _ => return Err(FileProblem::NotRegular),
        }
        let opened = open_beneath(self.folder.as_fd(), &self.name, flags | FILE, Mode::empty());
        let file = match opened {
            Err(Errno::NOENT) => return Ok(None),
            opened => {
                opened.map_err(|errno| met(self.folder.as_fd(), &self.name, &self.path, errno))?
            }
        };
        let stat = fstat(&file)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(Some((file, stat))),
            _ => Err(FileProblem::NotRegular),
        }
    }

    /// Makes the file. `None` where something is there.
    pub(super) fn make(&self, flags: OFlags) -> Result<Option<(OwnedFd, Stat)>, FileProblem> {
        let flags = flags | FILE | OFlags::CREATE | OFlags::EXCL;
        match open_beneath(self.folder.as_fd(), &self.name, flags, Mode::from_raw_mode(0o644)) {
            Err(Errno::EXIST) => Ok(None),
            made => {
                let made = made?;
                let stat = fstat(&made)?;
                Ok(Some((made, stat)))
            }
        }
    }
}

const FOLDER: OFlags = TO_ENTER.union(OFlags::DIRECTORY);
/// A pipe that takes the place of the file must not be waited for.
const FILE: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

/// The names on the way; none where the path leads elsewhere, or to the directory itself.
fn steps(physical: &Path, written: &Path, wanted: &Path) -> Option<Vec<OsString>> {
    let relative = match wanted.is_absolute() {
        true => wanted.strip_prefix(physical).or_else(|_| wanted.strip_prefix(written)).ok()?,
        false => wanted,
    };
    // A trailing slash says that it is a folder.
    if wanted.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return None;
    }
    let mut steps = Vec::new();
    for component in relative.components() {
        match component {
            Component::Normal(name) => steps.push(name.to_owned()),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(steps).filter(|steps| !steps.is_empty())
}

/// What stood in the way: a link is named as such, whatever the system calls it.
fn met(folder: BorrowedFd<'_>, name: &OsStr, path: &Path, errno: Errno) -> FileProblem {
    let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    match found.map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        Ok(FileType::Symlink) => FileProblem::Link { path: path.to_owned() },
        _ => errno.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn walk(dir: &Path, wanted: &str) -> Result<Beneath, FileProblem> {
        let open = fs::File::open(dir).unwrap();
        Beneath::walk(open.as_fd(), dir, Path::new("/as/written"), Path::new(wanted))
    }

    fn found(dir: &Path, wanted: &str) -> Result<bool, FileProblem> {
        Ok(walk(dir, wanted)?.open(OFlags::RDONLY)?.is_some())
    }

    fn place() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let physical = dir.path().canonicalize().unwrap();
        fs::create_dir_all(physical.join("a/b")).unwrap();
        fs::write(physical.join("a/b/file"), "x").unwrap();
        (dir, physical)
    }

    #[test]
    fn a_file_below_the_directory_is_found_by_every_spelling_of_its_path() {
        let (_dir, dir) = place();
        let absolute = dir.join("a/b/file");
        for wanted in
            ["a/b/file", "./a//b/./file", absolute.to_str().unwrap(), "/as/written/a/b/file"]
        {
            let beneath = walk(&dir, wanted).unwrap();
            assert_eq!(beneath.path, absolute, "{wanted}");
            assert_eq!(beneath.passed.len(), 3, "{wanted}");
            assert!(beneath.open(OFlags::RDONLY).unwrap().is_some(), "{wanted}");
        }
        assert!(!found(&dir, "a/b/none").unwrap());
    }

    #[test]
    fn a_path_that_leads_elsewhere_is_refused() {
        let (_dir, dir) = place();
        for wanted in
            ["", ".", "/", "../x", "a/../../x", "a/b/../b/file", "/etc/passwd", "a/b/file/"]
        {
            let problem = walk(&dir, wanted).unwrap_err();
            assert!(matches!(problem, FileProblem::Outside { .. }), "{wanted}: {problem}");
        }
    }

    #[test]
    fn no_link_is_followed_on_the_way_or_at_its_end() {
        let (_dir, dir) = place();
        symlink("b", dir.join("a/link")).unwrap();
        symlink("file", dir.join("a/b/to-file")).unwrap();
        symlink("nowhere", dir.join("a/b/dangling")).unwrap();
        for wanted in ["a/link/file", "a/b/to-file", "a/b/dangling"] {
            let problem = found(&dir, wanted).unwrap_err();
            assert!(matches!(problem, FileProblem::Link { .. }), "{wanted}: {problem}");
        }
        let made = walk(&dir, "a/b/dangling").unwrap().make(OFlags::WRONLY).unwrap();
        assert!(made.is_none() && !dir.join("a/b/nowhere").exists());
    }

    #[test]
    fn folders_pipes_sockets_and_devices_are_no_files_and_are_not_opened() {
        let (_dir, dir) = place();
        nix::unistd::mkfifo(&dir.join("pipe"), nix::sys::stat::Mode::S_IRUSR).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(dir.join("socket")).unwrap();
        for wanted in ["a", "pipe", "socket"] {
            for flags in [OFlags::RDONLY, OFlags::WRONLY] {
                let problem = walk(&dir, wanted).unwrap().open(flags).unwrap_err();
                assert!(matches!(problem, FileProblem::NotRegular), "{wanted}: {problem}");
            }
        }
        let problem = found(Path::new("/dev"), "null").unwrap_err();
        assert!(matches!(problem, FileProblem::NotRegular), "{problem}");
        let problem = found(&dir, "a/b/file/x").unwrap_err();
        assert!(problem.to_string().contains("is no folder"), "{problem}");
    }
}
