//! Where something was written, and whether it was written at all.

use std::fmt;

use super::mistake::{Mistakes, Problem};
use super::tree::Tree;

/// The way to a value, as a person would write it: `tools."Shell#git".allow[2]`, `--timeout`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place(String);

impl Place {
    /// The top of a configuration text.
    pub(crate) fn root() -> Self {
        Place(String::new())
    }

    /// The command line's own options: `--timeout`.
    pub(crate) fn options() -> Self {
        Place("--".to_owned())
    }

    /// What stands in options of this name: `--tool "Shell#git".timeout`.
    pub(crate) fn in_option(name: &str) -> Self {
        Place(format!("--{name} "))
    }

    /// A key of the table at this place.
    pub(crate) fn key(&self, key: &str) -> Self {
        let dot = match self.0.is_empty() || self.0.ends_with(" ") || self.0 == "--" {
            true => "",
            false => ".",
        };
        match is_bare(key) {
            true => Place(format!("{}{dot}{key}", self.0)),
            false => Place(format!("{}{dot}{key:?}", self.0)),
        }
    }

    /// An item of the list at this place, from 0.
    pub(crate) fn index(&self, index: usize) -> Self {
        Place(format!("{}[{index}]", self.0))
    }
}

/// Whether a key is written without quotes, by the rule of TOML.
fn is_bare(key: &str) -> bool {
    !key.is_empty()
        && key.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0.as_str() {
            "" => "the top level",
            "--" => "the options",
            place => place,
        })
    }
}

/// A value with its place, and as it is shown when it turns out to be wrong.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed<T> {
    pub(crate) place: Place,
    /// `None` when the value is not to be shown.
    pub(crate) shown: Option<String>,
    pub(crate) value: T,
}

impl Placed<Tree> {
    /// A value of a configuration text.
    pub(crate) fn tree(place: Place, value: Tree) -> Self {
        Placed { place, shown: Some(value.shown()), value }
    }
}

impl<T: fmt::Debug> Placed<T> {
    /// A value that comes from an option or from a program.
    pub(crate) fn value(place: Place, value: T) -> Self {
        Placed { place, shown: Some(format!("{value:?}")), value }
    }
}

impl Placed<Vec<Placed<String>>> {
    /// A list that comes from repeated options or from a program.
    pub(crate) fn list(place: Place, items: Vec<String>) -> Self {
        Placed {
            shown: Some(format!("{items:?}")),
            value: (0..)
                .zip(items)
                .map(|(index, item)| Placed::value(place.index(index), item))
                .collect(),
            place,
        }
    }
}

impl<T> Placed<T> {
    /// Notes what is wrong with this value.
    pub(crate) fn wrong(&self, problem: Problem, mistakes: &mut Mistakes) {
        mistakes.add(self.place.clone(), self.shown.clone(), problem);
    }
}

/// What a person wrote for a key.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Written<T> {
    /// Nothing.
    #[default]
    Absent,
    /// Something of the wrong type. That is noted already; nobody may complain that it is missing.
    Unreadable,
    /// This.
    Given(Placed<T>),
}

impl<T> Written<T> {
    /// The value, where there is a readable one.
    pub(crate) fn given(&self) -> Option<&Placed<T>> {
        match self {
            Written::Given(placed) => Some(placed),
            _ => None,
        }
    }

    /// The checked value, or the default for what was not written. `None` means that a mistake was
    /// noted, here or before.
    pub(crate) fn check<U>(
        self,
        default: impl FnOnce() -> U,
        mistakes: &mut Mistakes,
        check: impl FnOnce(&T) -> Result<U, Problem>,
    ) -> Option<U> {
        match self {
            Written::Absent => Some(default()),
            Written::Unreadable => None,
            Written::Given(placed) => match check(&placed.value) {
                Ok(value) => Some(value),
                Err(problem) => {
                    placed.wrong(problem, mistakes);
                    None
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_as_a_person_would_write_them() {
        let tool = Place::root().key("tools").key("Shell#git");
        assert_eq!(tool.to_string(), r#"tools."Shell#git""#);
        assert_eq!(tool.key("allow").index(2).to_string(), r#"tools."Shell#git".allow[2]"#);
        assert_eq!(Place::options().key("max-jobs").to_string(), "--max-jobs");
        assert_eq!(
            Place::in_option("tool").key("Shell").key("cwd").to_string(),
            "--tool Shell.cwd"
        );
    }

    #[test]
    fn keys_cannot_break_the_line_of_a_message() {
        let place = Place::root().key("a\nb\u{1b}").key("");
        assert_eq!(place.to_string(), r#""a\nb\u{1b}"."""#);
    }
}
