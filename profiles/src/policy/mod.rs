//! The resolved policy: what every launcher reads and compiles to its own language.
//!
//! A [`Policy`] in hand is complete and physical: every path is absolute, without links, and was
//! looked at once, when the policy was resolved.

mod environment;
mod exposure;
mod filesystem;
mod limits;
mod network;
mod origin;
mod render;

use std::collections::BTreeSet;

pub use environment::{Environment, Piece, Value};
pub use exposure::passes;
pub use filesystem::{Access, Filesystem, Kind, Link, Rule};
pub use limits::Limits;
pub use network::{Network, NetworkMode, UnixSockets};
pub use origin::{Entry, Origin};

use crate::Promise;

/// What a run may do. Made by resolving profiles; there is no other source.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// The profile's name, or the names joined with `+`; `inline` for an inline table; for a path
    /// the file's name without its extension.
    pub name: String,
    /// One line for people; empty where the profile has none.
    pub description: String,
    /// What the profile does not insist on: a launcher that cannot enforce one of these starts all
    /// the same and reports it as missing.
    pub best_effort: BTreeSet<Promise>,
    /// Files and directories.
    pub filesystem: Filesystem,
    /// Network and sockets.
    pub network: Network,
    /// The environment that the command gets.
    pub environment: Environment,
    /// Names of system calls, or of groups (`debug`, `perf`, `userns`), taken out of the filter.
    pub syscalls: Vec<Entry<String>>,
    /// Resource limits.
    pub limits: Limits,
}
