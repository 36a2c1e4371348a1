//! One place of the view: a path, and what a run finds there.

use std::path::{Path, PathBuf};

/// A path with what a run finds there, down to the next place below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Absolute and physical.
    pub path: PathBuf,
    /// What is found there.
    pub show: Show,
    /// Folders between the writable place around this one and this one. Each becomes a mount of its
    /// own, because a mount can be neither renamed nor removed: without them, `mv .git x` would
    /// carry a protected `.git/hooks` away and leave the name free.
    pub pins: Vec<PathBuf>,
    /// What it means that nothing is there when a run starts.
    pub absence: Absence,
}

/// What a run finds at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// The host's files, for reading.
    Read,
    /// The host's files, for writing.
    Write,
    /// A device of the host.
    Device,
    /// Nothing that can be looked at. `search` where places below it are shown again.
    Hide {
        /// Whether it can be passed through.
        search: bool,
    },
    /// Something of the run's own.
    Own(Own),
}

/// What a run has of its own in every view, whatever the policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    /// The processes of its own namespace.
    Proc,
    /// The few harmless devices, and terminals, shared memory and message queues of its own.
    Dev,
    /// The scratch folder, or memory.
    Tmp,
    /// An empty folder over the host's `/run`, where its sockets are.
    Run,
}

/// What it means that nothing is at a place when a run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// Nothing to show or to hide.
    Passed,
    /// The run cannot start: a command that writes there would fail half-way.
    Fatal,
}

impl Place {
    /// A place without pins. A writable one has to be there.
    pub fn new(path: impl Into<PathBuf>, show: Show) -> Self {
        Place {
            path: path.into(),
            show,
            pins: Vec::new(),
            absence: match show {
                Show::Write => Absence::Fatal,
                _ => Absence::Passed,
            },
        }
    }

    /// Whether this place is `path` or a folder around it.
    pub fn covers(&self, path: &Path) -> bool {
        path.starts_with(&self.path)
    }
}

impl Show {
    /// Whether the host's files are there.
    pub fn is_host(self) -> bool {
        matches!(self, Show::Read | Show::Write | Show::Device)
    }
}

/// The number of names in an absolute path: 0 for `/`.
pub fn depth(path: &Path) -> usize {
    path.components().count().saturating_sub(1)
}
