//! `prefix`: what the names of an instance's tools begin with.

use std::fmt;
use std::str::FromStr;

use crate::config::defaults::{LONGEST_TOOL_NAME, PREFIX};
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Written;

use super::ToolName;

/// What stands in front of the names of an instance's tools: `git` makes `git_run`. Letters, digits,
/// `_` and `-`, and short enough that every client takes the names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Prefix(String);

impl Prefix {
    /// The prefix itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The whole name of a tool: `git_run`.
    pub fn name(&self, tool: ToolName) -> String {
        format!("{}_{tool}", self.0)
    }

    /// Whether a character may stand in the name of a tool.
    pub(crate) fn may_hold(letter: char) -> bool {
        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
    }

    /// How long a prefix may be, in characters.
    pub(crate) fn longest() -> usize {
        let longest = ToolName::ALL.map(|tool| tool.as_str().len());
        LONGEST_TOOL_NAME - "_".len() - longest.into_iter().max().unwrap_or_default()
    }

    /// The prefix that was written, or the default.
    pub(crate) fn check(written: Written<String>, mistakes: &mut Mistakes) -> Option<Prefix> {
        written.check(Prefix::default, mistakes, |prefix| prefix.parse())
    }

    /// A prefix made of a text that may be none: of its valid characters, where it has some.
    pub(crate) fn from_alias(alias: &str) -> Option<Prefix> {
        let prefix: String = alias
            .chars()
            .filter(|letter| Prefix::may_hold(*letter))
            .take(Prefix::longest())
            .collect();
        (!prefix.is_empty()).then_some(Prefix(prefix))
    }

    /// This prefix with a number behind it, shortened where that would be too long.
    pub(crate) fn numbered(&self, number: usize) -> Prefix {
        let number = number.to_string();
        let room = Prefix::longest().saturating_sub(number.len());
        let start: String = self.0.chars().take(room).collect();
        Prefix(start + &number)
    }
}

fn is_prefix(text: &str) -> bool {
    !text.is_empty() && text.chars().all(Prefix::may_hold)
}

impl FromStr for Prefix {
    type Err = Problem;

    /// The prefix of this text, unless the text cannot be one.
    fn from_str(text: &str) -> Result<Prefix, Problem> {
        match text.len() <= Prefix::longest() && is_prefix(text) {
            true => Ok(Prefix(text.to_owned())),
            false => Err(Problem::must(format!(
                "1 to {} of the characters A-Z a-z 0-9 _ - (clients drop tools with longer names)",
                Prefix::longest()
            ))),
        }
    }
}

impl Default for Prefix {
    fn default() -> Self {
        Prefix(PREFIX.to_owned())
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use crate::config::place::{Place, Placed};
    use crate::config::tree::Tree;

    use super::*;

    fn check(prefix: &str) -> Result<Prefix, Vec<String>> {
        let mut mistakes = Mistakes::default();
        let tree = Tree::String(prefix.to_owned());
        let written = Placed::tree(Place::root().key("prefix"), tree).read(&mut mistakes);
        Prefix::check(written, &mut mistakes).ok_or_else(|| mistakes.lines())
    }

    #[test]
    fn the_longest_prefix_makes_names_of_just_the_longest_length() {
        let longest = "x".repeat(Prefix::longest());
        let name = check(&longest).unwrap().name(ToolName::Allowed);
        assert_eq!(name.len(), LONGEST_TOOL_NAME);
        assert!(check(&format!("{longest}x")).is_err());
    }

    #[test]
    fn other_characters_are_refused() {
        for prefix in ["", "a b", "a.b", "é", "a\n", "a/b"] {
            let lines = check(prefix).unwrap_err();
            assert!(
                lines[0].contains("must be 1 to 32 of the characters A-Z a-z 0-9 _ -"),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn the_default_is_the_one_of_the_contract() {
        let mut mistakes = Mistakes::default();
        let prefix = Prefix::check(Written::Absent, &mut mistakes).unwrap();
        assert_eq!(prefix.name(ToolName::Run), "sh_run");
    }
}
