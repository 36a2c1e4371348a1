//! The file rules of a policy.

use std::path::{Path, PathBuf};

use super::Origin;

/// The file rules of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filesystem {
    /// All path rules, sorted by path and then by strength; at most one rule for each path and
    /// access.
    ///
    /// Two kinds of rules say nothing and are left out. A grant in a tree with the same grant, to
    /// which no link led: a launcher that mounts would make a border of it. And a `protect` that
    /// stands in nothing writable: nobody could change what is there, and it must open nothing.
    pub rules: Vec<Rule>,
    /// Further rules of the kinds that close, each with the path and the access of one in `rules` and
    /// written elsewhere. They change nothing, but whoever takes one of them back must take all.
    pub repeated: Vec<Rule>,
    /// Device files beyond the minimal `/dev` that every launcher provides. Wildcards are expanded.
    pub devices: Vec<Rule>,
    /// Whether the run gets its scratch folders (`${tmp}` is among the writable paths).
    pub scratch: bool,
    /// The workspace, where a rule mentions it: the physical path.
    pub workspace: Option<PathBuf>,
    /// Whether some of the workspace was not searched for git repositories: what is protected of its own
    /// may not be protected of all below it.
    pub unsearched: bool,
}

/// One path and what a run may do there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What the rule says.
    pub access: Access,
    /// The physical path: absolute, no links, no `.` or `..`. A path that does not exist has its
    /// deepest existing part resolved and the rest appended.
    pub path: PathBuf,
    /// What was there when the policy was resolved.
    pub kind: Kind,
    /// The links that were passed on the way to `path`, outermost first. A launcher that builds a
    /// view from nothing makes them anew, so that the written name works inside as well.
    pub links: Vec<Link>,
    /// The path as it was written, after variables.
    pub written: PathBuf,
    /// Where it was written.
    pub origin: Origin,
}

/// A symbolic link on the way to a rule's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The absolute path of the link; no component before the last is a link.
    pub path: PathBuf,
    /// What it holds, as it stands there (may be relative).
    pub target: PathBuf,
}

/// What a rule says. Ordered by strength: at equal depth the greater one decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Read, list and execute.
    Read,
    /// Read, and create, change and remove.
    Write,
    /// Readable; what exists there is neither changed, moved nor replaced.
    Protect,
    /// Hidden, or refused.
    Deny,
}

impl Access {
    /// The key in the profile file.
    pub fn as_str(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Protect => "protect",
            Access::Deny => "deny",
        }
    }

    /// Whether the rule opens something.
    pub fn grants(self) -> bool {
        matches!(self, Access::Read | Access::Write)
    }
}

/// What stood at a rule's path when the policy was resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A directory: the rule covers the whole tree.
    Directory,
    /// Anything else that exists.
    File,
    /// Nothing, or nothing that this user can look at. Only `deny` and `protect` rules may be of
    /// this kind.
    Absent,
}

impl Kind {
    /// One word for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Directory => "directory",
            Kind::File => "file",
            Kind::Absent => "absent",
        }
    }
}

impl Filesystem {
    /// The rule that decides for a physical path: the deepest, and at equal depth the strongest.
    /// `None` means that nothing was granted.
    pub fn decide(&self, path: &Path) -> Option<&Rule> {
        self.rules
            .iter()
            .filter(|rule| {
                path.starts_with(&rule.path) && (rule.kind != Kind::File || path == rule.path)
            })
            .max_by_key(|rule| (rule.path.components().count(), rule.access))
    }

    /// Whether a run may look at this physical path.
    pub fn may_read(&self, path: &Path) -> bool {
        self.decide(path).is_some_and(|rule| rule.access != Access::Deny)
    }

    /// Whether a run may change this physical path.
    pub fn may_write(&self, path: &Path) -> bool {
        self.decide(path).is_some_and(|rule| rule.access == Access::Write)
    }

    /// The rules of one kind, in path order.
    pub fn with_access(&self, access: Access) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| rule.access == access)
    }

    /// The granted roots, for messages: every readable or writable path that no other grant covers.
    pub fn roots(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| {
            rule.access.grants()
                && !self.rules.iter().any(|other| {
                    other.access.grants()
                        && other.path != rule.path
                        && rule.path.starts_with(&other.path)
                })
        })
    }
}
