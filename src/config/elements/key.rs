//! The key of a tool instance: `Shell`, or `Shell#alias`.

use std::fmt;

use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Placed;

/// The packs of tools that there are.
const PACKS: &[&str] = &["Shell"];

/// The key of a tool instance, unique in its configuration: the pack, and an alias where the pack is
/// used more than once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    /// The key as it was written: `Shell#git`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What stands behind the `#`, if anything does.
    pub fn alias(&self) -> Option<&str> {
        self.0.split_once('#').map(|(_, alias)| alias)
    }

    /// Checks that the pack is known, and that the alias, if there is one, can be printed.
    pub(crate) fn check(written: Placed<String>, mistakes: &mut Mistakes) -> Option<Key> {
        let (pack, alias) = match written.value.split_once('#') {
            Some((pack, alias)) => (pack, Some(alias)),
            None => (written.value.as_str(), None),
        };
        if !PACKS.contains(&pack) {
            written.wrong(Problem::unknown("pack of tools", pack, PACKS), mistakes);
            return None;
        }
        if alias.is_some_and(|alias| alias.is_empty() || alias.contains(char::is_control)) {
            let must =
                "`Shell`, or `Shell#` and an alias of visible characters, such as `Shell#git`";
            written.wrong(Problem::must(must), mistakes);
            return None;
        }
        Some(Key(written.value))
    }
}

impl Default for Key {
    /// The pack without an alias.
    fn default() -> Self {
        Key(PACKS[0].to_owned())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use crate::config::place::Place;

    use super::*;

    fn check(key: &str) -> Result<Key, Vec<String>> {
        let mut mistakes = Mistakes::default();
        let written = Placed {
            place: Place::root().key("tools").key(key),
            shown: None,
            value: key.to_owned(),
        };
        Key::check(written, &mut mistakes).ok_or_else(|| mistakes.lines())
    }

    #[test]
    fn a_key_is_the_pack_with_or_without_an_alias() {
        assert_eq!(check("Shell").unwrap().alias(), None);
        assert_eq!(check("Shell#git").unwrap().alias(), Some("git"));
        assert_eq!(check("Shell#a#b").unwrap().alias(), Some("a#b"));
        assert_eq!(Key::default(), check("Shell").unwrap());
    }

    #[test]
    fn another_pack_is_refused_by_name() {
        assert_eq!(
            check("Python#x").unwrap_err(),
            [r#"tools."Python#x": there is no such pack of tools; valid here: `Shell`"#]
        );
        assert_eq!(
            check("shell").unwrap_err(),
            [
                "tools.shell: there is no such pack of tools; did you mean `Shell`? valid here: `Shell`"
            ]
        );
        assert!(check("").is_err());
    }

    #[test]
    fn an_alias_is_not_empty_and_can_be_printed() {
        for key in ["Shell#", "Shell#a\nb", "Shell#\u{1b}[2J"] {
            assert!(check(key).unwrap_err()[0].contains("such as `Shell#git`"));
        }
    }
}
