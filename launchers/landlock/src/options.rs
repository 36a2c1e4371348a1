//! The launcher's own options, as they stand in a configuration beside its name.

use std::str::FromStr;

/// Options of the Landlock launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// Key `namespaces`, `auto` unless written.
    pub namespaces: Namespaces,
    /// The launcher is for a single run: nothing is tried beforehand, [`Launcher::check`] included,
    /// and all namespaces are taken to work. Where they do not, that run fails before the command
    /// begins; build the launcher again without this to learn why, and what works instead. Off
    /// unless asked for.
    ///
    /// [`Launcher::check`]: cofferdam_launcher::Launcher::check
    pub once: bool,
}

impl Options {
    /// The same options with this choice of namespaces.
    #[must_use]
    pub fn namespaces(mut self, namespaces: Namespaces) -> Self {
        self.namespaces = namespaces;
        self
    }

    /// The same options for a launcher of a single run: see [`Options::once`].
    #[must_use]
    pub fn once(mut self) -> Self {
        self.once = true;
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
