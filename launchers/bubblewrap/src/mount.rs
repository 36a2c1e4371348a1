//! One step of building the view, ready to be written as an option of bubblewrap.

use std::fmt;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::path::{Path, PathBuf};

/// Something that is put at a path of the view.
#[derive(Debug)]
pub(crate) struct Mount {
    pub(crate) at: PathBuf,
    pub(crate) what: What,
}

/// What is put there.
#[derive(Debug)]
pub(crate) enum What {
    /// The host's file or folder, with all mounts below it.
    Bind { from: Source, access: Access },
    /// A copy of a small file, as it is now. The descriptor is at its start.
    Copy { from: OwnedFd, mode: u32 },
    /// A folder that cannot be looked at; with `search` it can be passed through.
    HiddenFolder { search: bool },
    /// An empty file that cannot be opened. The descriptor reads as empty.
    HiddenFile { empty: OwnedFd },
    /// A symbolic link.
    Link { target: PathBuf },
    /// A folder in memory.
    Memory(Memory),
    /// The processes of the run's own namespace.
    Proc,
    /// A minimal `/dev`.
    Dev,
    /// The message queues of the run's own namespace.
    Queues,
}

/// How a bound file can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    Device,
}

/// What a folder in memory is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Memory {
    /// To be written: a `/tmp`.
    Temporary,
    /// To be empty but for the places below it.
    Empty,
}

/// Where a bound file comes from.
pub(crate) enum Source {
    /// An open descriptor. Bubblewrap compares what it mounted with it, and gives up when a path
    /// has changed hands in between.
    Descriptor { fd: OwnedFd, path: PathBuf },
    /// A path, for a bubblewrap that does not know descriptors.
    Path(PathBuf),
}

impl Mount {
    /// The path, where files can be written at it.
    pub(crate) fn writable(&self) -> Option<&Path> {
        let is_writable = matches!(
            &self.what,
            What::Bind { access: Access::Write | Access::Device, .. }
                | What::Memory(Memory::Temporary)
                | What::Dev
                | What::Queues
        );
        is_writable.then_some(&self.at)
    }

    /// The descriptor that bubblewrap reads, with the words for what it is.
    pub(crate) fn descriptor(&self) -> Option<(RawFd, String)> {
        match &self.what {
            What::Bind { from: Source::Descriptor { fd, path }, .. } => {
                Some((fd.as_raw_fd(), path.display().to_string()))
            }
            What::Copy { from, .. } => Some((from.as_raw_fd(), self.at.display().to_string())),
            What::HiddenFile { empty } => Some((empty.as_raw_fd(), "empty".to_owned())),
            _ => None,
        }
    }

    /// Gives the descriptor away.
    pub(crate) fn into_descriptor(self) -> Option<OwnedFd> {
        match self.what {
            What::Bind { from: Source::Descriptor { fd, .. }, .. } => Some(fd),
            What::Copy { from: fd, .. } | What::HiddenFile { empty: fd } => Some(fd),
            _ => None,
        }
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Descriptor { path, .. } => write!(f, "descriptor of {path:?}"),
            Source::Path(path) => write!(f, "{path:?}"),
        }
    }
}
