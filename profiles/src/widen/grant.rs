//! One thing that is opened.

use std::path::{Path, PathBuf};

/// One thing that a single run may do beyond its policy. Paths are physical: absolute, without links.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grant {
    /// Read a file, or a directory with all that is in it.
    Read(PathBuf),
    /// Change a file, or a directory with all that is in it.
    Write(PathBuf),
    /// Reach whatever the machine reaches.
    Network,
}

impl Grant {
    /// `read`, `write` or `network`.
    pub fn word(&self) -> &'static str {
        match self {
            Grant::Read(_) => "read",
            Grant::Write(_) => "write",
            Grant::Network => "network",
        }
    }

    /// What is opened; `None` for the network.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Grant::Read(path) | Grant::Write(path) => Some(path),
            Grant::Network => None,
        }
    }

    /// Whether whoever has this has the other one too.
    pub fn covers(&self, other: &Grant) -> bool {
        match (self, other) {
            (Grant::Network, Grant::Network) => true,
            (Grant::Write(around), Grant::Read(path) | Grant::Write(path))
            | (Grant::Read(around), Grant::Read(path)) => path.starts_with(around),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grant_covers_what_it_includes() {
        let (read, write) =
            (|path: &str| Grant::Read(path.into()), |path: &str| Grant::Write(path.into()));
        assert!(write("/a").covers(&read("/a/b")) && write("/a").covers(&write("/a")));
        assert!(read("/a").covers(&read("/a/b")) && Grant::Network.covers(&Grant::Network));
        assert!(!read("/a").covers(&write("/a")) && !write("/a/b").covers(&read("/a")));
        assert!(!Grant::Network.covers(&read("/a")) && !write("/a").covers(&Grant::Network));
    }
}
