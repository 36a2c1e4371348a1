//! What a policy answers.

use std::path::PathBuf;

use super::Change;
use crate::{Origin, Promise, Rule};

/// What a policy says about one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether it is allowed.
    pub answer: Answer,
    /// The key of the profile that decides: `filesystem.protect`. Where nothing was granted, the key
    /// that would have to grant it.
    pub key: &'static str,
    /// The reason, as a part of a sentence: `it may be read, not written`.
    pub because: String,
    /// Where the rule stands that decides; `None` where no rule speaks of it.
    pub origin: Option<Origin>,
    /// For files and sockets: where the path leads, as a run follows it.
    pub path: Option<PathBuf>,
    /// What a launcher must be able to keep for this rule to hold. One that lists it as missing does
    /// not enforce the rule. `None`: every launcher enforces it.
    pub promise: Option<Promise>,
    /// What would allow it, the smallest change first. Empty where it is allowed, and for a move of
    /// a directory in which several things are closed.
    pub changes: Vec<Change>,
}

/// Whether something is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// A rule allows it.
    Allowed,
    /// A rule refuses it, or none allows it.
    Refused,
    /// It concerns what every run has of its own (`/proc`, `/dev`, scratch folders, `PATH`): the
    /// launcher provides that, and no profile decides.
    Own,
}

impl Verdict {
    /// An answer that no rule gives.
    pub(super) fn new(answer: Answer, key: &'static str, because: impl Into<String>) -> Self {
        Verdict {
            answer,
            key,
            because: because.into(),
            origin: None,
            path: None,
            promise: None,
            changes: Vec::new(),
        }
    }

    pub(super) fn by(mut self, rule: &Rule) -> Self {
        self.origin = Some(rule.origin.clone());
        self
    }

    pub(super) fn at(mut self, path: PathBuf) -> Self {
        self.path = Some(path);
        self
    }

    pub(super) fn promised(mut self, promise: Promise) -> Self {
        self.promise = Some(promise);
        self
    }

    pub(super) fn changed_by(mut self, changes: impl IntoIterator<Item = Change>) -> Self {
        self.changes.extend(changes);
        self
    }

    /// Whether it is refused, and a launcher that lists `missing` enforces that.
    pub fn is_enforced_without(&self, missing: &[String]) -> bool {
        let kept = |promise: Promise| missing.iter().all(|name| name != promise.as_str());
        self.answer == Answer::Refused && self.promise.is_none_or(kept)
    }
}
