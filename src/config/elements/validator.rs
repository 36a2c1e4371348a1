//! `validator`: a program that is asked about every command.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::config::defaults::VALIDATOR_TIMEOUT;
use crate::config::keys;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::{Placed, Written};
use crate::config::table::Table;
use crate::config::tree::Tree;

use super::{duration, wrapping};

/// A program that reads what is to be run as JSON on its standard input, and exits with 0 to allow it.
/// Otherwise the first line that it prints is the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValidatorSettings {
    /// The program, by its path or as it is found on `PATH`, and its arguments.
    pub command: Vec<String>,
    /// How long it may take to answer. Greater than zero.
    pub timeout: Duration,
}

impl ValidatorSettings {
    /// A program and its arguments, with the default time for its answers.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let command = command.into_iter().map(Into::into).collect();
        ValidatorSettings { command, timeout: VALIDATOR_TIMEOUT }
    }

    /// What decides in its place if somebody else writes it: the program as it is found now, and every
    /// argument that is the absolute path of a file, such as the script of an interpreter.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let Some((program, args)) = self.command.split_first() else { return Vec::new() };
        let args =
            args.iter().map(PathBuf::from).filter(|path| path.is_absolute() && path.is_file());
        which::which(program).into_iter().chain(args).collect()
    }
}

const MUST: &str = "a list of a program and its arguments, or a table with `command` and `timeout`";

impl ValidatorSettings {
    /// What was written; the program's path starts at `base`.
    pub(crate) fn check(
        written: Written<Tree>,
        base: &Path,
        mistakes: &mut Mistakes,
    ) -> Option<Option<ValidatorSettings>> {
        let tree = match written {
            Written::Absent => return Some(None),
            Written::Unreadable => return None,
            Written::Given(tree) => tree,
        };
        let (command, timeout) = match &tree.value {
            Tree::List(_) => (tree.read(mistakes), Written::Absent),
            Tree::Table(_) => {
                let place = tree.place.key("command");
                let mut table = Table::open(tree, keys::VALIDATOR, mistakes)?;
                let command = table.take("command", mistakes);
                if matches!(command, Written::Absent) {
                    mistakes.add_at(place, Problem::Missing { what: MUST });
                    return None;
                }
                (command, table.take("timeout", mistakes))
            }
            _ => {
                tree.wrong(Problem::must(MUST), mistakes);
                return None;
            }
        };
        let timeout = duration(timeout, VALIDATOR_TIMEOUT, mistakes);
        let command = command.check(Vec::new, mistakes, |items: &Vec<Placed<String>>| {
            let words: Vec<_> = items.iter().map(|item| item.value.as_str()).collect();
            wrapping(&words, base)
        });
        Some(Some(ValidatorSettings { command: command?, timeout: timeout? }))
    }
}

#[cfg(test)]
mod tests {
    use crate::config::check::check_json;

    use super::*;

    fn check(json: &str) -> Result<Option<ValidatorSettings>, Vec<String>> {
        let settings = check_json(&format!(r#"{{"allow-any": true, "validator": {json}}}"#));
        settings.map(|settings| settings.validator().cloned())
    }

    #[test]
    fn a_program_and_how_long_it_may_take() {
        let validator = |words: &[&str], timeout| {
            let command = words.iter().map(|word| (*word).to_owned()).collect();
            Ok(Some(ValidatorSettings { command, timeout }))
        };
        assert_eq!(check(r#"["./ask", "-x"]"#), validator(&["/./ask", "-x"], VALIDATOR_TIMEOUT));
        assert_eq!(
            check(r#"{"command": ["ask"], "timeout": 0.5}"#),
            validator(&["ask"], Duration::from_millis(500))
        );
        assert_eq!(check_json(r#"{"allow-any": true}"#).unwrap().validator(), None);
    }

    #[test]
    fn what_is_no_program_is_refused() {
        for json in ["5", "\"ask\"", "[]", "[\"\"]", "{}", r#"{"timeout": 1}"#, "[5]"] {
            assert_eq!(check(json).unwrap_err().len(), 1, "{json}");
        }
        let lines = check(r#"{"command": ["a"], "timeout": 0, "arg": 1}"#).unwrap_err();
        assert_eq!(lines.len(), 2, "{lines:?}");
    }
}
