//! What may run: names, and patterns of names.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt;

use crate::Pattern;

/// The names that a [`Gate`](crate::Gate) admits, compared as they are written: no wildcard, no base
/// name, no normalising. `git` does not admit `/usr/bin/git`, nor the reverse.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowList {
    names: BTreeSet<OsString>,
    /// By their text, which sorts them.
    patterns: BTreeMap<String, Pattern>,
}

impl AllowList {
    /// Exactly these names.
    pub fn new<N: Into<OsString>>(names: impl IntoIterator<Item = N>) -> Self {
        AllowList { names: names.into_iter().map(Into::into).collect(), patterns: BTreeMap::new() }
    }

    /// And every name that fits one of these patterns as a whole.
    #[must_use]
    pub fn with_patterns(mut self, patterns: impl IntoIterator<Item = Pattern>) -> Self {
        let by_text = |pattern: Pattern| (pattern.as_str().to_owned(), pattern);
        self.patterns.extend(patterns.into_iter().map(by_text));
        self
    }

    /// The names.
    pub fn names(&self) -> &BTreeSet<OsString> {
        &self.names
    }

    /// The patterns, sorted by their text.
    pub fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.patterns.values()
    }

    /// Whether this name may run.
    pub fn admits(&self, name: &OsStr) -> bool {
        self.names.contains(name) || self.patterns().any(|pattern| pattern.matches(name))
    }

    /// Every entry as people read it: the names, sorted, and then the patterns as `/regex/`. No name
    /// of a program ends with a slash.
    pub fn entries(&self) -> impl Iterator<Item = String> {
        let names = self.names.iter().map(|name| name.to_string_lossy().into_owned());
        names.chain(self.patterns().map(Pattern::to_string))
    }
}

/// All entries on one line.
impl fmt::Display for AllowList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.entries().collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_patterns_admit_side_by_side_and_are_told_in_order() {
        let patterns = ["python3.*", "node"].map(|pattern| pattern.parse().unwrap());
        let list = AllowList::new(["rg", "git"]).with_patterns(patterns);
        for name in ["git", "rg", "node", "python3", "python3.11"] {
            assert!(list.admits(name.as_ref()), "{name}");
        }
        for name in ["nodejs", "python", "./node", ""] {
            assert!(!list.admits(name.as_ref()), "{name}");
        }
        assert_eq!(list.to_string(), "git, rg, /node/, /python3.*/");
    }
}
