//! Puts rules in order, and leaves out those that say nothing.

use std::path::Path;

use crate::policy::{Access, Kind, Rule};

/// The rules in their order, one for each path and access. Of equal ones the first keeps its origin,
/// and all links are kept.
pub(crate) fn merged(mut rules: Vec<Rule>) -> Vec<Rule> {
    rules.sort_by(|one, other| (&one.path, one.access).cmp(&(&other.path, other.access)));
    rules.dedup_by(|later, first| {
        let equal = later.path == first.path && later.access == first.access;
        if equal {
            for link in later.links.drain(..) {
                if !first.links.contains(&link) {
                    first.links.push(link);
                }
            }
        }
        equal
    });
    rules
}

/// Leaves out the rules that say nothing; see
/// [`Filesystem::rules`](crate::Filesystem::rules).
pub(crate) fn settled(rules: Vec<Rule>) -> Vec<Rule> {
    let all = merged(rules);
    let says_something = |rule: &&Rule| match rule.access {
        Access::Protect => is_writable_around(&all, rule),
        Access::Deny => true,
        Access::Read | Access::Write => !is_repeated(&all, rule),
    };
    all.iter().filter(says_something).cloned().collect()
}

/// Whether something could be changed at a `protect` rule's path, but for that rule.
fn is_writable_around(all: &[Rule], rule: &Rule) -> bool {
    let around =
        || all.iter().filter(|other| other.access != Access::Protect && covers(other, &rule.path));
    let deciding = around().max_by_key(|other| (other.path.components().count(), other.access));
    around().any(|other| other.access == Access::Write)
        && deciding.is_some_and(|other| other.access != Access::Deny)
}

/// Whether a grant stands in a tree that gives the same, and nothing else needs it.
fn is_repeated(all: &[Rule], rule: &Rule) -> bool {
    let stands_alone = all.iter().filter(|other| other.path == rule.path).count() == 1;
    let around = all
        .iter()
        .filter(|other| other.path != rule.path && covers(other, &rule.path))
        .max_by_key(|other| (other.path.components().count(), other.access));
    stands_alone && rule.links.is_empty() && around.is_some_and(|other| other.access == rule.access)
}

fn covers(rule: &Rule, path: &Path) -> bool {
    path == rule.path || (rule.kind != Kind::File && path.starts_with(&rule.path))
}
