//! The names of what a policy promises beyond its plain grants. They stand in `best-effort`, and in
//! `sandbox.missing` where a launcher cannot keep them.

use std::fmt;
use std::str::FromStr;

/// Something that a policy asks for and that not every launcher can enforce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Promise {
    /// `deny` below a granted path.
    Deny,
    /// The host's IPC objects, shared memory among them, are out of reach.
    Ipc,
    /// The `[limits]` table.
    Limits,
    /// TCP with oneself works while the network is off.
    Loopback,
    /// Mode, owner, times and attributes of files outside cannot be changed or looked at.
    Metadata,
    /// Other processes cannot be seen, slowed down or outlived.
    Processes,
    /// What exists at a `protect` path stays as it is.
    Protect,
    /// The host's terminals are out of reach.
    Pty,
    /// All git repositories below the workspace are protected like its own.
    Repositories,
    /// Files outside cannot be emptied by path (Linux before 6.2).
    Truncate,
    /// Unix sockets within the writable roots work.
    UnixSockets,
}

impl Promise {
    /// All of them, in the order of their names.
    pub const ALL: [Promise; 11] = [
        Promise::Deny,
        Promise::Ipc,
        Promise::Limits,
        Promise::Loopback,
        Promise::Metadata,
        Promise::Processes,
        Promise::Protect,
        Promise::Pty,
        Promise::Repositories,
        Promise::Truncate,
        Promise::UnixSockets,
    ];

    /// The name in profiles and payloads.
    pub fn as_str(self) -> &'static str {
        match self {
            Promise::Deny => "deny",
            Promise::Ipc => "ipc",
            Promise::Limits => "limits",
            Promise::Loopback => "loopback",
            Promise::Metadata => "metadata",
            Promise::Processes => "processes",
            Promise::Protect => "protect",
            Promise::Pty => "pty",
            Promise::Repositories => "repositories",
            Promise::Truncate => "truncate",
            Promise::UnixSockets => "unix-sockets",
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Promise {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Promise::ALL.into_iter().find(|promise| promise.as_str() == name).ok_or(())
    }
}
