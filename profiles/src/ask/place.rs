//! Where a path leads for a run.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::walk::{MAX_LINKS, append, names};
use crate::{Filesystem, Rule, UnixSockets};

/// What a run finds that no profile names. The default is that of a launcher that makes no view of
/// its own, for a run without scratch folders.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Inside {
    /// The launcher shows a view of its own instead of the host's files: what is hidden is not there
    /// at all, and `/tmp` is the run's own where the profile has `${tmp}`.
    pub private_view: bool,
    /// The run's scratch folders, where they are known.
    pub scratch: Vec<PathBuf>,
}

/// A place that a path leads to.
pub(super) struct Place {
    /// Where it leads, as far as it can be followed.
    pub(super) path: PathBuf,
    /// Whether it is known that nothing is there.
    pub(super) is_absent: bool,
}

impl Inside {
    /// What the launchers of one kind make: those with a view, those without.
    pub fn new(private_view: bool) -> Self {
        Inside { private_view, scratch: Vec::new() }
    }

    /// Whether something is the run's own, whatever the profile says.
    pub(super) fn is_own(&self, files: &Filesystem, path: &Path) -> bool {
        let named = |root: &str| files.rules.iter().any(|rule| rule.path == Path::new(root));
        let below = |root: &str| path.starts_with(root);
        let decided =
            |root: &str| files.decide(path).is_some_and(|rule| rule.path.starts_with(root));
        below("/proc")
            || below("/dev")
            || self.scratch.iter().any(|folder| path.starts_with(folder))
            || (self.private_view
                && ((below("/tmp") && (files.scratch || named("/")) && !decided("/tmp"))
                    || (below("/run") && named("/") && !decided("/run"))))
    }
}

/// So many names are followed on the way of one path, those in links counted. The path may be a run's
/// own word, and the links of its making: the kernel's bounds alone would let it ask for tens of
/// thousands.
const MOST_STEPS: usize = 64;

/// Follows an absolute path as far as the rules show the way. Beyond that nothing is looked at: the
/// rest of the path stands as it is written.
pub(super) fn follow(files: &Filesystem, sockets: &UnixSockets, path: &Path) -> Place {
    let listed: &[Rule] = match sockets {
        UnixSockets::Paths(rules) => rules,
        _ => &[],
    };
    let mut pending: VecDeque<Cow<'_, OsStr>> =
        names(path.as_os_str()).map(Cow::Borrowed).collect();
    let mut at = PathBuf::from("/");
    let (mut followed, mut steps) = (0, 0);
    while let Some(name) = pending.pop_front() {
        steps += 1;
        if steps > MOST_STEPS {
            return Place { path: append(at.join(name), pending), is_absent: false };
        }
        if *name == *".." {
            at.pop();
            continue;
        }
        let next = at.join(&name);
        let shown = files.may_read(&next);
        let is_made = || files.rules.iter().chain(listed).any(|rule| leads(rule, &next));
        if !shown && !is_made() {
            return Place { path: append(next, pending), is_absent: false };
        }
        match fs::symlink_metadata(&next) {
            Err(_) => return Place { path: append(next, pending), is_absent: true },
            Ok(found) if found.is_symlink() => {
                followed += 1;
                let Ok(target) = fs::read_link(&next) else {
                    return Place { path: append(next, pending), is_absent: false };
                };
                if followed > MAX_LINKS {
                    return Place { path: next, is_absent: false };
                }
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                for name in names(target.as_os_str()).rev() {
                    pending.push_front(Cow::Owned(name.to_owned()));
                }
            }
            Ok(_) => at = next,
        }
    }
    Place { path: at, is_absent: false }
}

/// Whether a rule, or a link that leads to it, stands at a path or below it: the way there was looked
/// at when the policy was resolved, and a view shows it.
fn leads(rule: &Rule, path: &Path) -> bool {
    rule.path.starts_with(path) || rule.links.iter().any(|link| link.path.starts_with(path))
}
