//! The private folders of a tool: a temporary directory and a home, made at start, removed at the
//! end. What a server that was killed left behind is removed by the next one.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use cofferdam_launcher::Scratch;
use rustix::fs::{FlockOperation, flock};

mod remove;

/// A folder that exists for as long as this value, with the folders of one or more runs in it.
///
/// An exclusive lock on a file inside tells other processes that it is in use; the kernel drops the
/// lock with the process, however that ends.
#[derive(Debug)]
pub(crate) struct ScratchDir {
    root: PathBuf,
    scratch: Scratch,
    _lock: Option<File>,
}

const PREFIX: &str = "cofferdam-";
/// What the name of a folder begins with until its lock is held.
const UNFINISHED: &str = "new-cofferdam-";
const LOCK: &str = "lock";

impl ScratchDir {
    /// Makes the folder of a tool instance, and removes those of this user's dead servers.
    pub(crate) fn new() -> io::Result<Self> {
        let base = base().canonicalize()?;
        sweep(&base);
        let (root, lock) = make_locked(&base)?;
        ScratchDir::fill(root, Some(lock))
    }

    /// Makes the folder of a single run within that of its instance.
    pub(crate) fn for_run(&self) -> io::Result<Self> {
        let root = make_unique(&self.root, "run-")?;
        ScratchDir::fill(root, None)
    }

    /// The folders to give to a run.
    pub(crate) fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    fn fill(root: PathBuf, lock: Option<File>) -> io::Result<Self> {
        let scratch = Scratch { tmp: root.join("tmp"), home: root.join("home") };
        let dir = ScratchDir { root, scratch, _lock: lock };
        private_dir(&dir.scratch.tmp)?;
        private_dir(&dir.scratch.home)?;
        crate::git_identity::write(&dir.scratch.home)?;
        Ok(dir)
    }
}

/// Where the folders of a run come from.
#[derive(Debug)]
pub(crate) enum ScratchPlace {
    /// It has none.
    None,
    /// From its instance; all runs share them.
    Instance(ScratchDir),
    /// Made for each run, within the folder of the instance.
    EachRun(ScratchDir),
}

impl ScratchPlace {
    /// The folders of one run, where each has its own.
    pub(crate) fn for_run(&self) -> io::Result<Option<ScratchDir>> {
        match self {
            ScratchPlace::EachRun(instance) => instance.for_run().map(Some),
            ScratchPlace::None | ScratchPlace::Instance(_) => Ok(None),
        }
    }

    /// The folders that all runs share, where they do.
    pub(crate) fn instance(&self) -> Option<&ScratchDir> {
        match self {
            ScratchPlace::Instance(instance) => Some(instance),
            ScratchPlace::None | ScratchPlace::EachRun(_) => None,
        }
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        remove::tree(&self.root);
    }
}

/// Where the folders stand: where `TMPDIR` says, or else in `/var/tmp`. Not below `/tmp`: inside a
/// mount namespace the run's own folder takes the place of `/tmp`, and would hide itself there.
pub(crate) fn base() -> PathBuf {
    let wanted = std::env::temp_dir();
    let persistent = Path::new("/var/tmp");
    match wanted.starts_with("/tmp") && persistent.is_dir() {
        true => persistent.to_owned(),
        false => wanted,
    }
}

fn private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// A new directory with a name that nobody can have prepared.
fn make_unique(base: &Path, prefix: &str) -> io::Result<PathBuf> {
    const TRIES: u32 = 64;
    for _ in 0..TRIES {
        let mut random = [0_u8; 8];
        getrandom::fill(&mut random)?;
        let path = base.join(format!("{prefix}{:016x}", u64::from_ne_bytes(random)));
        match private_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => return Ok(path),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free name for a scratch folder"))
}

/// The folder gets the name by which others may take it for a leftover only when its lock is held:
/// between the making of the file and the lock, another server's sweep would find nobody there.
fn make_locked(base: &Path) -> io::Result<(PathBuf, File)> {
    let fresh = make_unique(base, UNFINISHED)?;
    let lock =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(fresh.join(LOCK))?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
    let name = fresh.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let root = base.join(name.replace(UNFINISHED, PREFIX));
    fs::rename(&fresh, &root)?;
    Ok((root, lock))
}

/// Removes the folders of this user whose server is gone.
fn sweep(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else { return };
    let me = rustix::process::geteuid().as_raw();
    for entry in entries.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let mine = || entry.metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == me);
        let left = match name.to_str() {
            Some(name) if name.starts_with(PREFIX) => mine() && abandoned(&path),
            Some(name) if name.starts_with(UNFINISHED) => mine() && older_than_an_hour(&path),
            _ => false,
        };
        if left {
            remove::tree(&path);
        }
    }
}

/// Whether nobody holds the lock. A folder without one is being made just now, or was being removed.
fn abandoned(root: &Path) -> bool {
    let lock = OpenOptions::new()
        .write(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(root.join(LOCK));
    match lock {
        Ok(lock) => flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok(),
        Err(_) => older_than_an_hour(root),
    }
}

fn older_than_an_hour(root: &Path) -> bool {
    let modified = fs::symlink_metadata(root).and_then(|meta| meta.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age.as_secs() > 3600))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn both_folders_are_private_and_go_with_the_instance() {
        let dir = ScratchDir::new().unwrap();
        let scratch = dir.scratch().clone();
        assert_eq!((mode(&scratch.tmp), mode(&scratch.home)), (0o700, 0o700));
        fs::create_dir_all(scratch.tmp.join("a/b")).unwrap();
        fs::write(scratch.tmp.join("a/b/c"), "x").unwrap();
        drop(dir);
        assert!(!scratch.tmp.exists());
    }

    #[test]
    fn a_folder_in_use_survives_the_sweep_and_an_abandoned_one_does_not() {
        let base = tempfile::tempdir().unwrap();
        let (held, lock) = make_locked(base.path()).unwrap();
        let (dead, gone) = make_locked(base.path()).unwrap();
        drop(gone);
        sweep(base.path());
        assert!(held.exists());
        assert!(!dead.exists());
        drop(lock);
    }

    #[test]
    fn a_folder_that_is_being_made_survives_the_sweep() {
        let base = tempfile::tempdir().unwrap();
        let fresh = make_unique(base.path(), UNFINISHED).unwrap();
        File::create(fresh.join(LOCK)).unwrap();
        sweep(base.path());
        assert!(fresh.exists());
    }

    #[test]
    fn the_folder_of_a_run_lies_within_that_of_its_instance() {
        let instance = ScratchDir::new().unwrap();
        let run = instance.for_run().unwrap();
        assert!(run.scratch().tmp.starts_with(&instance.root));
        let tmp = run.scratch().tmp.clone();
        drop(run);
        assert!(!tmp.exists());
        assert!(instance.scratch().tmp.exists());
    }
}
