//! Puts rules in order, and leaves out those that say nothing.

use std::collections::HashMap;
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
    let trees = Trees::of(&all);
    let says_something = |rule: &&Rule| match rule.access {
        Access::Protect => trees.is_writable_around(rule),
        Access::Deny => true,
        Access::Read | Access::Write => !trees.is_repeated(rule),
    };
    all.iter().filter(says_something).cloned().collect()
}

/// The rules by their paths. There are some two hundred, and each asks for those around it: to
/// compare every one with every other would take most of the time that a policy takes.
struct Trees<'a>(HashMap<&'a Path, Vec<&'a Rule>>);

impl<'a> Trees<'a> {
    fn of(rules: &'a [Rule]) -> Self {
        let mut trees: HashMap<&Path, Vec<&Rule>> = HashMap::with_capacity(rules.len());
        for rule in rules {
            trees.entry(&rule.path).or_default().push(rule);
        }
        Trees(trees)
    }

    /// The rules that cover a path, those at the path itself among them.
    fn around(&self, path: &'a Path) -> impl Iterator<Item = &'a Rule> {
        path.ancestors()
            .flat_map(|above| self.0.get(above).into_iter().flatten().copied())
            .filter(move |rule| rule.kind != Kind::File || rule.path == path)
    }

    /// Whether something could be changed at a `protect` rule's path, but for that rule.
    fn is_writable_around(&self, rule: &'a Rule) -> bool {
        let around = || self.around(&rule.path).filter(|other| other.access != Access::Protect);
        around().any(|other| other.access == Access::Write)
            && deepest(around()).is_some_and(|other| other.access != Access::Deny)
    }

    /// Whether a grant stands in a tree that gives the same, and nothing else needs it.
    fn is_repeated(&self, rule: &'a Rule) -> bool {
        let stands_alone = self.0.get(rule.path.as_path()).is_some_and(|all| all.len() == 1);
        let around = self.around(&rule.path).filter(|other| other.path != rule.path);
        stands_alone
            && rule.links.is_empty()
            && deepest(around).is_some_and(|other| other.access == rule.access)
    }
}

/// The rule that decides: the deepest, and at equal depth the strongest.
fn deepest<'a>(rules: impl Iterator<Item = &'a Rule>) -> Option<&'a Rule> {
    rules.max_by_key(|rule| (rule.path.components().count(), rule.access))
}
