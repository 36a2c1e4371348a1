//! The launcher's own options, as they stand in a configuration beside its name.

use std::str::FromStr;

/// Options of the Landlock launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// Key `namespaces`, `auto` unless written.
    pub namespaces: Namespaces,
}

impl Options {
    /// The same options with this choice of namespaces.
    #[must_use]
    pub fn namespaces(mut self, namespaces: Namespaces) -> Self {
        self.namespaces = namespaces;
        self
    }
}

/// Whether the launcher makes private namespaces for the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Namespaces {
    /// Those that the system permits: all of them, all but the one for processes, or none.
    #[default]
    Auto,
    /// None.
    Off,
}

impl Namespaces {
    /// The valid words.
    pub const WORDS: [&str; 2] = ["auto", "off"];
}

impl FromStr for Namespaces {
    type Err = UnknownNamespaces;

    fn from_str(word: &str) -> Result<Self, UnknownNamespaces> {
        match word {
            "auto" => Ok(Namespaces::Auto),
            "off" => Ok(Namespaces::Off),
            _ => Err(UnknownNamespaces(word.to_owned())),
        }
    }
}

/// A word that is no value of `namespaces`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no value for `namespaces`; it takes `auto` or `off`")]
pub struct UnknownNamespaces(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_valid_word_is_read_and_others_are_named() {
        for word in Namespaces::WORDS {
            assert!(word.parse::<Namespaces>().is_ok());
        }
        let error = "on".parse::<Namespaces>().unwrap_err().to_string();
        assert!(error.contains("`on`") && error.contains("`auto`"), "{error}");
    }
}
