//! A promise, and the class it belongs to.

use crate::scene::Scene;
use crate::verdict::Judged;

/// What a promise is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something that a run cannot do.
    Forbidden,
    /// Something that works in a run as it does outside.
    Works,
}

/// One sentence about every run, with the function that tries to make it untrue.
#[derive(Debug, Clone, Copy)]
pub struct Promise {
    /// The sentence, with `_` between its words.
    pub name: &'static str,
    /// Whether it forbids or grants.
    pub kind: Kind,
    /// The rules on which it stands, by the names that `sandbox.missing` has for them, or one of
    /// [`rule`]. Where one of them does not hold, neither does the promise.
    pub rules: &'static [&'static str],
    pub(crate) attack: fn(&Scene<'_>) -> Judged,
}

/// Rules that are no entry of `best-effort`, but depend on the profile.
pub mod rule {
    /// The network is off.
    pub const NETWORK: &str = "network";
    /// The workspace can be written.
    pub const WORKSPACE: &str = "workspace";
    /// The user's home folder is closed.
    pub const HOME: &str = "home";
    /// There is a profile, so rules can be added to it.
    pub const PROFILE: &str = "profile";
    /// Socket files of the workspace can be made and reached.
    pub const SOCKETS: &str = "unix-sockets";
    /// The profile protects paths of the workspace.
    pub const PROTECTED: &str = "protected paths";
    /// No call is taken out of the filter.
    pub const SYSCALLS: &str = "syscalls";
}

/// Promises about one thing.
#[derive(Debug, Clone, Copy)]
pub struct Class {
    /// What they are about, in a word or two.
    pub name: &'static str,
    /// What all of them say together, for a table.
    pub about: &'static str,
    /// Rules on which all of them stand.
    pub rules: &'static [&'static str],
    /// The promises.
    pub promises: &'static [Promise],
}

/// A promise that something cannot be done.
pub(crate) const fn forbidden(name: &'static str, attack: fn(&Scene<'_>) -> Judged) -> Promise {
    Promise { name, kind: Kind::Forbidden, rules: &[], attack }
}

/// A promise that something works.
pub(crate) const fn works(name: &'static str, attack: fn(&Scene<'_>) -> Judged) -> Promise {
    Promise { name, kind: Kind::Works, rules: &[], attack }
}

impl Promise {
    /// The same promise, which stands on these rules.
    pub(crate) const fn by(mut self, rules: &'static [&'static str]) -> Promise {
        self.rules = rules;
        self
    }

    /// The sentence as people write it.
    pub fn sentence(&self) -> String {
        self.name.replace('_', " ")
    }
}
