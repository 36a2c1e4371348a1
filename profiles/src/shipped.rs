//! The profiles that are part of the program, as text and as the tree that the text comes to.

use crate::tree::Node;

mod trees {
    //! `TREES`: the name and the tree of each file in `shipped/`, written by the build script.

    use std::borrow::Cow;

    use crate::tree::{Field, Node, Tree};

    include!(concat!(env!("OUT_DIR"), "/trees.rs"));
}

/// A profile that is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// Its `description`.
    pub description: &'static str,
    /// Its whole text, comments too: to read, and to copy.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../shipped/", $name, ".toml")))),*]
    };
}

/// Names and texts: first the profiles, then the fragments.
const SHIPPED: [(&str, &str); 10] = shipped![
    "workspace" "read-only" "build" "online" "strict"
    "base" "net" "ssh-agent" "git-config" "gpu"
];

/// Those that are there to be added.
const FRAGMENTS: [&str; 4] = ["net", "ssh-agent", "git-config", "gpu"];

/// The shipped profiles: first those to run with, then the fragments that others extend.
pub fn shipped() -> impl Iterator<Item = Shipped> {
    SHIPPED.iter().map(|(name, text)| Shipped { name, description: description(text), text })
}

/// The shipped fragments, which are added to a profile and do not serve alone.
pub fn fragments() -> impl Iterator<Item = Shipped> {
    shipped().filter(|profile| FRAGMENTS.contains(&profile.name))
}

/// The tree of a shipped profile.
pub(crate) fn tree(name: &str) -> Option<&'static Node> {
    trees::TREES.iter().find(|(shipped, _)| *shipped == name).map(|(_, tree)| tree)
}

/// Whether a profile of this name is shipped.
pub(crate) fn is_shipped(name: &str) -> bool {
    tree(name).is_some()
}

/// The value of `description`, which every shipped profile has on a line of its own.
fn description(text: &'static str) -> &'static str {
    text.lines()
        .find_map(|line| line.strip_prefix("description = \"")?.strip_suffix('"'))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

    #[test]
    fn the_tree_of_a_shipped_profile_is_that_of_its_text_and_holds_no_mistake() {
        assert_eq!(trees::TREES.len(), SHIPPED.len());
        for (name, text) in SHIPPED {
            let made = tree(name).unwrap();
            let parsed = Node::from_toml(text, name).unwrap();
            assert_eq!(format!("{made:?}"), format!("{parsed:?}"), "{name}");
            let (_, mistakes) = read(made, name);
            assert!(mistakes.is_empty(), "{mistakes:?}");
        }
    }

    #[test]
    fn every_shipped_profile_has_a_description_and_opens_with_its_schema_and_a_comment() {
        for profile in shipped() {
            let opening = "#:schema ../profile.schema.json\n# For ";
            assert!(!profile.description.is_empty(), "{}", profile.name);
            assert!(!profile.description.contains('\\'), "{}", profile.name);
            assert!(profile.text.starts_with(opening), "{}", profile.name);
            let is_fragment = profile.text.contains("a fragment\n# to add")
                || profile.text.contains("a fragment to add")
                || profile.text.contains("a\n# fragment to add");
            assert_eq!(is_fragment, FRAGMENTS.contains(&profile.name), "{}", profile.name);
        }
    }
}
