//! What can be wrong with a configuration. Mistakes are collected, so that a person sees all of them
//! at once.

use std::borrow::Cow;
use std::fmt;
use std::io;

use super::place::Place;
use super::syntax::SyntaxError;
use crate::PatternError;

/// One mistake: its place, the value, and what is wrong with it. Shown as one line.
#[derive(Debug)]
pub struct Mistake {
    place: Place,
    shown: Option<String>,
    problem: Problem,
}

impl Mistake {
    /// Where it is: `tools."Shell#git".timeout`, `--timeout`.
    pub fn place(&self) -> String {
        self.place.to_string()
    }

    /// The value, shortened to a line. `None` where there is none, and where it may be a secret.
    pub fn value(&self) -> Option<&str> {
        self.shown.as_deref()
    }

    /// What is wrong, and what would be right.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.shown {
            Some(value) => write!(f, "{} = {value}: {}", self.place, self.problem),
            None => write!(f, "{}: {}", self.place, self.problem),
        }
    }
}

/// What is wrong at a place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// No such key is known here.
    #[error("unknown key; {}", choices(*nearest, valid))]
    UnknownKey {
        /// The key that was probably meant.
        nearest: Option<&'static str>,
        /// All keys that may stand here.
        valid: &'static [&'static str],
    },
    /// The word is none of those that have a meaning here.
    #[error("there is no such {noun}; {}", choices(*nearest, valid))]
    UnknownName {
        /// What the word should have named: `launcher`, `tool`.
        noun: &'static str,
        /// The word that was probably meant.
        nearest: Option<&'static str>,
        /// All words that have a meaning.
        valid: &'static [&'static str],
    },
    /// The value is of the wrong type, or out of range.
    #[error("must be {must}")]
    Invalid {
        /// What would be right, with its unit and range.
        must: Cow<'static, str>,
    },
    /// Something required was not written.
    #[error("is missing: {what}")]
    Missing {
        /// What to write.
        what: &'static str,
    },
    /// The value is fine by itself, but not together with another one.
    #[error("{why}")]
    Conflict {
        /// Why not, and what would help.
        why: Cow<'static, str>,
    },
    /// The path leads to no directory. The message holds what the system said.
    #[error("must be an existing directory: {error}{hint}")]
    Directory {
        /// What the system said.
        error: io::Error,
        /// A remedy, where the cause is plain.
        hint: &'static str,
    },
    /// The text is no regular expression that can be used.
    #[error("is no usable regular expression: {0}")]
    Pattern(PatternError),
    /// The text in an option is not JSON.
    #[error("not valid JSON: {0}")]
    Syntax(SyntaxError),
}

impl Problem {
    /// The value should be something else.
    pub(crate) fn must(must: impl Into<Cow<'static, str>>) -> Self {
        Problem::Invalid { must: must.into() }
    }

    /// The value does not go together with another one.
    pub(crate) fn conflict(why: impl Into<Cow<'static, str>>) -> Self {
        Problem::Conflict { why: why.into() }
    }

    /// A word that has no meaning here.
    pub(crate) fn unknown(
        noun: &'static str,
        written: &str,
        valid: &'static [&'static str],
    ) -> Self {
        Problem::UnknownName { noun, nearest: super::nearest::nearest(written, valid), valid }
    }
}

fn choices(nearest: Option<&str>, valid: &[&str]) -> String {
    let nearest = nearest.map_or_else(String::new, |word| format!("did you mean `{word}`? "));
    let valid: Vec<_> = valid.iter().map(|word| format!("`{word}`")).collect();
    format!("{nearest}valid here: {}", valid.join(", "))
}

/// All mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// Notes one more.
    pub(crate) fn add(&mut self, place: Place, shown: Option<String>, problem: Problem) {
        self.0.push(Mistake { place, shown, problem });
    }

    /// Notes that something is missing, or wrong as a whole.
    pub(crate) fn add_at(&mut self, place: Place, problem: Problem) {
        self.add(place, None, problem);
    }

    /// The mistakes, in the order in which they were found.
    pub(crate) fn into_vec(self) -> Vec<Mistake> {
        self.0
    }

    /// The messages, for tests.
    #[cfg(test)]
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.iter().map(Mistake::to_string).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_one_line_with_place_value_and_valid_choices() {
        let mut mistakes = Mistakes::default();
        let place = Place::root().key("tools").key("Shell#git").key("timeut");
        mistakes.add(
            place,
            Some("5".to_owned()),
            Problem::UnknownKey { nearest: Some("timeout"), valid: &["cwd", "timeout"] },
        );
        assert_eq!(
            mistakes.lines(),
            [
                r#"tools."Shell#git".timeut = 5: unknown key; did you mean `timeout`? valid here: `cwd`, `timeout`"#
            ]
        );
    }

    #[test]
    fn without_a_near_word_only_the_valid_ones_are_listed() {
        assert_eq!(
            Problem::unknown("tool", "zzz", &["run", "start"]).to_string(),
            "there is no such tool; valid here: `run`, `start`"
        );
    }
}
