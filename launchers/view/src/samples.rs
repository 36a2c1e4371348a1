//! Rules for tests of the pure parts: no file is looked at.

use std::path::PathBuf;

use cofferdam_profiles::{Access, Filesystem, Kind, Link, Origin, Rule};

/// A rule for a folder.
pub(crate) fn rule(access: Access, path: &str) -> Rule {
    Rule {
        access,
        path: PathBuf::from(path),
        kind: Kind::Directory,
        links: Vec::new(),
        written: PathBuf::from(path),
        origin: Origin::default(),
    }
}

/// A rule whose path was written with a link in it.
pub(crate) fn rule_by_link(access: Access, path: &str, link: (&str, &str)) -> Rule {
    let link = Link { path: link.0.into(), target: link.1.into() };
    Rule { links: vec![link], ..rule(access, path) }
}

/// File rules with a scratch folder.
pub(crate) fn files(rules: impl IntoIterator<Item = Rule>) -> Filesystem {
    let mut rules: Vec<_> = rules.into_iter().collect();
    rules.sort_by(|one, other| (&one.path, one.access).cmp(&(&other.path, other.access)));
    Filesystem { rules, scratch: true, ..Filesystem::default() }
}
