//! What is granted on the command line, over the profile.

use std::path::PathBuf;

/// Ad hoc grants, merged last. Paths are bytes and stand for themselves: no variables, no `?`, no
/// wildcards. A relative one is taken from [`Context::dir`](crate::Context::dir), and `..` is
/// followed as the system would; one that does not exist is a mistake.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants {
    /// `--read`: files and directories to read.
    pub read: Vec<PathBuf>,
    /// `--write`: files and directories to write.
    pub write: Vec<PathBuf>,
    /// `--deny`: files and directories to hide.
    pub deny: Vec<PathBuf>,
    /// `--net`: the network is on.
    pub net: bool,
    /// `--env`: `NAME` takes the host's value, `NAME=VALUE` sets one.
    pub env: Vec<String>,
    /// `--socket`: Unix sockets that the run may use, beside those that the profile opens.
    pub sockets: Vec<PathBuf>,
}
