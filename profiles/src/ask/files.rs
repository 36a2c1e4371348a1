//! Answers from `[filesystem]`.

use std::path::{Path, PathBuf};

use super::place::{Place, follow};
use super::{Answer, Change, Inside, Verdict};
use crate::{Access, Policy, Promise, Rule};

/// The key that would have to grant reading.
const READ: &str = "filesystem.read";
/// The key that would have to grant writing.
const WRITE: &str = "filesystem.write";

/// Whether a path may be read, or executed, which `read` includes.
pub(super) fn read(policy: &Policy, path: &Path, inside: &Inside, executes: bool) -> Verdict {
    let place = follow(&policy.filesystem, &policy.network.unix_sockets, path);
    let verdict = match decide(policy, &place, inside) {
        Decision::Own => own(READ),
        Decision::Nothing => {
            let because = match has_below(policy, &place.path) {
                true => "no rule opens it; only what rules open below it is there",
                false => "no rule opens it",
            };
            Verdict::new(Answer::Refused, READ, because).changed_by([Change::read(&place.path)])
        }
        Decision::Rule(rule) if rule.access == Access::Deny => hidden(policy, rule, &place.path)
            .changed_by(deeper(rule, &place.path).map(Change::read)),
        Decision::Rule(rule) => {
            let because =
                if executes { "what may be read may be executed" } else { "it may be read" };
            Verdict::new(Answer::Allowed, key(rule), because).by(rule)
        }
    };
    verdict.at(place.path)
}

/// Whether something may be made, changed or removed at a path.
pub(super) fn write(policy: &Policy, path: &Path, inside: &Inside) -> Verdict {
    let place = follow(&policy.filesystem, &policy.network.unix_sockets, path);
    let verdict = match decide(policy, &place, inside) {
        Decision::Own => own(WRITE),
        Decision::Nothing => Verdict::new(Answer::Refused, WRITE, "no rule opens it")
            .changed_by([Change::write(&place.path)]),
        Decision::Rule(rule) => match rule.access {
            Access::Deny => hidden(policy, rule, &place.path)
                .changed_by(deeper(rule, &place.path).map(Change::write)),
            Access::Protect => protected(policy, rule, &place.path),
            Access::Read => Verdict::new(Answer::Refused, WRITE, "it may be read, not written")
                .by(rule)
                .changed_by([Change::write(&grantable(&place))]),
            Access::Write => Verdict::new(Answer::Allowed, WRITE, "it may be written").by(rule),
        },
    };
    verdict.at(place.path)
}

/// Whether a directory may be renamed or removed as a whole. What is closed below it keeps its way, or
/// a move would carry it off and leave its name free.
pub(super) fn take(policy: &Policy, path: &Path, inside: &Inside) -> Verdict {
    let verdict = write(policy, path, inside);
    let (Answer::Allowed, Some(place)) = (verdict.answer, &verdict.path) else { return verdict };
    let closed = policy.filesystem.rules.iter().find(|rule| {
        matches!(rule.access, Access::Protect | Access::Deny) && rule.path.starts_with(place)
    });
    match closed {
        Some(rule) => {
            let promise = match rule.access {
                Access::Deny => Promise::Deny,
                _ => Promise::Protect,
            };
            let because = "it holds something that is closed to a run";
            Verdict::new(Answer::Refused, key(rule), because)
                .by(rule)
                .promised(promise)
                .at(place.clone())
        }
        None => verdict,
    }
}

/// What decides about a place.
enum Decision<'a> {
    Own,
    Nothing,
    Rule(&'a Rule),
}

fn decide<'a>(policy: &'a Policy, place: &Place, inside: &Inside) -> Decision<'a> {
    if inside.is_own(&policy.filesystem, &place.path) {
        return Decision::Own;
    }
    let device = policy.filesystem.devices.iter().find(|rule| place.path.starts_with(&rule.path));
    match device.or_else(|| policy.filesystem.decide(&place.path)) {
        Some(rule) => Decision::Rule(rule),
        None => Decision::Nothing,
    }
}

fn own(key: &'static str) -> Verdict {
    Verdict::new(Answer::Own, key, "every run has this of its own, as its launcher makes it")
}

/// A path that a `deny` covers. Under a grant not every launcher can take it back.
fn hidden(policy: &Policy, rule: &Rule, path: &Path) -> Verdict {
    let is_granted = policy.filesystem.rules.iter().any(|other| {
        other.access.grants() && rule.path.starts_with(&other.path) && other.path != rule.path
    });
    let mut verdict = Verdict::new(Answer::Refused, "filesystem.deny", "it is hidden").by(rule);
    if is_granted {
        verdict = verdict.promised(Promise::Deny);
    }
    verdict.changed_by((path == rule.path || is_granted).then(|| Change::without(policy, rule)))
}

fn protected(policy: &Policy, rule: &Rule, path: &Path) -> Verdict {
    Verdict::new(
        Answer::Refused,
        "filesystem.protect",
        "it is protected within what may be written",
    )
    .by(rule)
    .promised(Promise::Protect)
    .changed_by(Change::fragment_without(policy, &rule.origin))
    .changed_by(deeper(rule, path).map(Change::write))
    .changed_by([Change::without(policy, rule)])
}

/// The path, where a grant of its own would lie deeper than the rule and so decide.
fn deeper<'a>(rule: &Rule, path: &'a Path) -> Option<&'a Path> {
    (path != rule.path).then_some(path)
}

/// What a grant can name: a path that is missing is no grant, so the folder that it would be made in.
fn grantable(place: &Place) -> PathBuf {
    let exists = |path: &&Path| path.symlink_metadata().is_ok();
    match place.is_absent {
        true => place.path.ancestors().find(exists).unwrap_or(&place.path).to_owned(),
        false => place.path.clone(),
    }
}

fn has_below(policy: &Policy, path: &Path) -> bool {
    policy.filesystem.rules.iter().any(|rule| rule.path.starts_with(path))
}

fn key(rule: &Rule) -> &'static str {
    match rule.access {
        Access::Read => READ,
        Access::Write => WRITE,
        Access::Protect => "filesystem.protect",
        Access::Deny => "filesystem.deny",
    }
}
