//! What can be offered to a run that was refused something.

use std::path::{Path, PathBuf};

use super::Grant;
use crate::ask::{Answer, Inside, Question};
use crate::context::Context;
use crate::policy::{Access, Filesystem, Kind, Policy};
use crate::walk::{Found, walk};
use crate::workspace::forbidden;

impl Grant {
    /// The least grant that would allow what this policy refuses, where one may be offered.
    ///
    /// `None` for what is allowed, hidden by `deny` or protected; for what is no regular file or
    /// directory; for `/`, the home directory, a directory that holds one of them or something of
    /// Cofferdam's own; and for a path that leaves a folder, where runs may write, by a link. To make a
    /// file takes its directory: that is offered where it exists and holds nothing else that runs may
    /// write.
    pub fn offer(
        policy: &Policy,
        question: &Question,
        inside: &Inside,
        context: &Context,
    ) -> Option<Grant> {
        let verdict = policy.ask(question, inside);
        if verdict.answer != Answer::Refused {
            return None;
        }
        match (question, verdict.key) {
            (Question::Connect { .. }, "network.mode") => Some(Grant::Network),
            (Question::Read(path) | Question::Execute(path), "filesystem.read") => {
                readable(policy, path, context).map(Grant::Read)
            }
            (Question::Write(path), "filesystem.write") => {
                writable(policy, path, context).map(Grant::Write)
            }
            _ => None,
        }
    }
}

fn readable(policy: &Policy, path: &Path, context: &Context) -> Option<PathBuf> {
    let found = walk(path).ok().filter(|found| !leaves_by_link(&policy.filesystem, found))?;
    Some(found.path).filter(|path| is_open_to_offers(policy, path, context))
}

fn writable(policy: &Policy, path: &Path, context: &Context) -> Option<PathBuf> {
    let found = walk(path).ok().filter(|found| !leaves_by_link(&policy.filesystem, found))?;
    let place = match (found.kind, &found.blocked) {
        (Kind::Absent, None) => found.path.parent()?.to_owned(),
        _ => found.path,
    };
    // Whoever may replace a folder decides where the next run writes.
    let holds_another = policy
        .filesystem
        .with_access(Access::Write)
        .map(|rule| &rule.path)
        .chain(&policy.filesystem.workspace)
        .any(|root| root.starts_with(&place));
    Some(place).filter(|place| !holds_another && is_open_to_offers(policy, place, context))
}

/// Whether a path leads out of a folder in which a run could have made the link.
fn leaves_by_link(files: &Filesystem, found: &Found) -> bool {
    files.with_access(Access::Write).any(|root| {
        let is_within = |path: &Path| path.starts_with(&root.path);
        !is_within(&found.path) && found.links.iter().any(|link| is_within(&link.path))
    })
}

/// Whether this very path, which holds no links, may be offered.
fn is_open_to_offers(policy: &Policy, path: &Path, context: &Context) -> bool {
    let is_closed = policy
        .filesystem
        .decide(path)
        .is_some_and(|rule| matches!(rule.access, Access::Deny | Access::Protect));
    // To read a device or a pipe is more than to look at it.
    let is_plain = path.symlink_metadata().is_ok_and(|found| found.is_file() || found.is_dir());
    is_plain && !is_closed && forbidden(path, context).is_none()
}
