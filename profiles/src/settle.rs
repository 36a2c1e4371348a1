//! Puts rules in order, and leaves out those that say nothing.

use std::cmp::Ordering;
use std::path::Path;

use crate::policy::{Access, Kind, Rule};

/// The rules in their order, one for each path and access. Of equal ones the first keeps its origin,
/// and all links are kept.
pub(crate) fn merged(mut rules: Vec<Rule>) -> Vec<Rule> {
    rules.sort_by(|one, other| {
        order(&one.path, &other.path).then_with(|| one.access.cmp(&other.access))
    });
    rules.dedup_by(|later, first| {
        let equal = is_same(later, first) && later.access == first.access;
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

/// The rules of the kinds that close which repeat an earlier one, written in another way.
pub(crate) fn repeated(rules: &[Rule]) -> Vec<Rule> {
    let mut closing: Vec<&Rule> = rules.iter().filter(|rule| !rule.access.grants()).collect();
    // Stable: of equal ones the first is the one that stands among the rules.
    closing.sort_by_key(|rule| (rule.path.as_os_str().as_encoded_bytes(), rule.access));
    let mut repeated = Vec::new();
    for same in closing.chunk_by(|one, other| is_same(one, other) && one.access == other.access) {
        for (place, rule) in same.iter().enumerate() {
            if same[..place].iter().all(|earlier| earlier.origin.text != rule.origin.text) {
                repeated.extend((place > 0).then(|| (*rule).clone()));
            }
        }
    }
    repeated
}

/// Leaves out the rules that say nothing; see
/// [`Filesystem::rules`](crate::Filesystem::rules).
pub(crate) fn settled(rules: Vec<Rule>) -> Vec<Rule> {
    let mut all = merged(rules);
    let mut said = Vec::with_capacity(all.len());
    let mut trees = Trees(Vec::new());
    for group in all.chunk_by(is_same) {
        trees.enter(group);
        said.extend(group.iter().map(|rule| match rule.access {
            Access::Protect => trees.is_writable_around(),
            Access::Deny => true,
            Access::Read | Access::Write => !trees.is_repeated(rule),
        }));
    }
    let mut said = said.into_iter();
    all.retain(|_| said.next() == Some(true));
    all
}

/// Whether two rules are about one path. All paths are physical, so their bytes tell.
fn is_same(one: &Rule, other: &Rule) -> bool {
    one.path.as_os_str() == other.path.as_os_str()
}

/// The order of paths part by part, as [`Path`] has it; for physical paths the bytes tell, and do it
/// much faster.
fn order(one: &Path, other: &Path) -> Ordering {
    let (one, other) = (one.as_os_str().as_encoded_bytes(), other.as_os_str().as_encoded_bytes());
    // What ends comes first, then what has another part, then the names by their bytes.
    let key = |byte: &u8| if *byte == b'/' { 0 } else { u16::from(*byte) + 1 };
    match one.iter().zip(other).find(|(one, other)| one != other) {
        Some((one, other)) => key(one).cmp(&key(other)),
        None => one.len().cmp(&other.len()),
    }
}

/// Whether a physical path lies below another one.
fn is_below(path: &Path, above: &Path) -> bool {
    let above = match above.as_os_str().as_encoded_bytes() {
        b"/" => b"",
        above => above,
    };
    let rest = path.as_os_str().as_encoded_bytes().strip_prefix(above);
    rest.is_some_and(|rest| rest.len() > 1 && rest.starts_with(b"/"))
}

/// The rules at a path and at those above it, outermost first; what lies at one path stands together.
/// Rules come in the order of their paths, so that each finds those around it here.
struct Trees<'a>(Vec<&'a [Rule]>);

impl<'a> Trees<'a> {
    /// Goes on to the rules of the next path.
    fn enter(&mut self, group: &'a [Rule]) {
        while self.0.last().is_some_and(|above| !is_below(&group[0].path, &above[0].path)) {
            self.0.pop();
        }
        self.0.push(group);
    }

    /// The rules that cover the path, those at one path together, the deepest first.
    fn around(&self) -> impl Iterator<Item = impl Iterator<Item = &'a Rule>> {
        self.0.iter().rev().enumerate().map(|(above, group)| {
            group.iter().filter(move |rule| above == 0 || rule.kind != Kind::File)
        })
    }

    /// Whether something could be changed at the path, but for its `protect` rule.
    fn is_writable_around(&self) -> bool {
        let is_writable = self.around().flatten().any(|rule| rule.access == Access::Write);
        let decides = strongest(self.around(), |access| access != Access::Protect);
        is_writable && decides != Some(Access::Deny)
    }

    /// Whether a grant stands in a tree that gives the same, and nothing else needs it.
    fn is_repeated(&self, rule: &Rule) -> bool {
        let stands_alone = self.0.last().is_some_and(|own| own.len() == 1);
        stands_alone
            && rule.links.is_empty()
            && strongest(self.around().skip(1), |_| true) == Some(rule.access)
    }
}

/// What the rule says that decides: the deepest, and at equal depth the strongest, of those for which
/// the condition holds.
fn strongest<'a>(
    mut around: impl Iterator<Item = impl Iterator<Item = &'a Rule>>,
    counts: impl Fn(Access) -> bool,
) -> Option<Access> {
    around.find_map(|group| group.map(|rule| rule.access).filter(|access| counts(*access)).max())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_paths() {
        let mut paths: Vec<&Path> =
            ["/", "/a", "/a/b", "/a/b/c", "/a-b", "/a-b/c", "/a.b", "/ab", "/b", "/b/\u{1}", "/é"]
                .map(Path::new)
                .to_vec();
        for one in &paths {
            for other in &paths {
                assert_eq!(order(one, other), one.cmp(other), "{one:?} {other:?}");
                assert_eq!(
                    is_below(one, other),
                    one != other && one.starts_with(other),
                    "{one:?} {other:?}"
                );
            }
        }
        paths.sort_by(|one, other| order(one, other));
        assert!(paths.is_sorted());
    }
}
