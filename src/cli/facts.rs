//! What this system offers: the facts that decide which launchers work.

#[cfg_attr(target_os = "linux", path = "facts/linux.rs")]
#[cfg_attr(target_os = "macos", path = "facts/macos.rs")]
mod system;

use nix::unistd::{User, geteuid};

#[cfg(target_os = "linux")]
use super::userns;

/// A fact: its name for programs, its name for people, and what is so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) key: &'static str,
    pub(super) name: &'static str,
    pub(super) value: String,
}

/// All facts. On Linux the last one moves this process into namespaces of its own: afterwards it can
/// print, and little else.
pub(super) fn gather() -> Vec<Fact> {
    system::gather()
}

fn fact(key: &'static str, name: &'static str, value: String) -> Fact {
    Fact { key, name, value }
}

fn user() -> String {
    let id = geteuid();
    let name = User::from_uid(id).ok().flatten().map(|user| user.name);
    format!("{} ({id})", name.as_deref().unwrap_or("without a name"))
}
