//! A file in place of standard output.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::{AtFlags, OFlags, ftruncate, statat, unlinkat};
use rustix::io::Errno;

use super::rights::Use;
use super::walk::Identity;
use super::{Beneath, FileProblem, InputFile, OutputMode, Rights};

/// A file that a command writes through a pipe. It keeps what it holds until the command has written
/// something, or has ended; and one that was made for a run that then did not start is removed.
#[derive(Debug)]
pub(crate) struct OutputFile {
    file: OwnedFd,
    beneath: Beneath,
    mode: OutputMode,
    identity: Identity,
    was_made: bool,
    /// Whether it holds nothing but what the run has written.
    is_clear: bool,
    /// How many bytes it may still take.
    room: u64,
    /// Whether a command ran that it is for.
    is_wanted: bool,
}

impl OutputFile {
    /// Opens it, or makes it, if the run may write it. It never becomes larger than `most` bytes.
    pub(crate) fn open(
        beneath: Beneath,
        mode: OutputMode,
        rights: Rights<'_>,
        input: Option<&InputFile>,
        most: u64,
    ) -> Result<Self, FileProblem> {
        /// Somebody may make and remove it meanwhile, but hardly so often.
        const TRIES: u32 = 8;
        rights.by_name(&beneath, Use::Write)?;
        let flags = match mode {
            OutputMode::Replace => OFlags::WRONLY,
            OutputMode::Append => OFlags::WRONLY | OFlags::APPEND,
        };
        for _ in 0..TRIES {
            let (found, was_made) = match beneath.open(flags)? {
                Some(found) => (Some(found), false),
                None => (beneath.make(flags)?, true),
            };
            let Some((file, stat)) = found else { continue };
            let identity = Identity::of(&stat);
            let held = u64::try_from(stat.st_size).unwrap_or(0);
            let (is_clear, room) = match mode {
                OutputMode::Replace => (false, most),
                OutputMode::Append => (true, most.saturating_sub(held)),
            };
            let output = OutputFile {
                file,
                beneath,
                mode,
                identity,
                was_made,
                is_clear,
                room,
                is_wanted: false,
            };
            rights.by_file(&output.beneath, &output.file, &stat, Use::Write)?;
            return match input.is_some_and(|input| input.identity == identity) {
                true => Err(FileProblem::Same),
                false => Ok(output),
            };
        }
        Err(Errno::EXIST.into())
    }

    pub(super) fn file(&self) -> &OwnedFd {
        &self.file
    }

    pub(super) fn mode(&self) -> OutputMode {
        self.mode
    }

    pub(super) fn path(&self) -> PathBuf {
        self.beneath.path.clone()
    }

    pub(super) fn room(&self) -> u64 {
        self.room
    }

    /// So many bytes were written.
    pub(super) fn fill(&mut self, bytes: u64) {
        self.room = self.room.saturating_sub(bytes);
    }

    /// Takes out what it held before, once: something is about to be written, or the command has ended
    /// without that.
    pub(super) fn clear(&mut self) -> Result<(), Errno> {
        if !self.is_clear {
            ftruncate(&self.file, 0)?;
            self.is_clear = true;
        }
        Ok(())
    }

    /// A command ran: what the file holds now is what it has written, if that is nothing.
    pub(super) fn keep(&mut self) -> Result<(), Errno> {
        self.is_wanted = true;
        self.clear()
    }
}

/// Where no command ran there is nothing that it has written: a file that was made for it goes, unless
/// somebody has put something into it.
impl Drop for OutputFile {
    fn drop(&mut self) {
        if !self.was_made || self.is_wanted {
            return;
        }
        let there = statat(&self.beneath.folder, &*self.beneath.name, AtFlags::SYMLINK_NOFOLLOW);
        if there.is_ok_and(|stat| Identity::of(&stat) == self.identity && stat.st_size == 0) {
            let _ = unlinkat(&self.beneath.folder, &*self.beneath.name, AtFlags::empty());
        }
    }
}
