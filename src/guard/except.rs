//! Exceptions: one rule of one program.

use super::table::Table;
use crate::wrapped::without_version;

/// An exception that would have no effect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownException {
    /// The guard has no rule about this program.
    #[error("the guard has no rule about a program `{}`", program.escape_debug())]
    Program {
        /// The name.
        program: String,
    },
    /// The guard has no such rule about this program.
    #[error(
        "the guard has no rule `{}` about `{program}`; valid here: `{}`",
        rule.escape_debug(),
        valid.join("`, `")
    )]
    Rule {
        /// The name of the program.
        program: String,
        /// The rule.
        rule: String,
        /// The rules that there are.
        valid: Vec<String>,
    },
}

/// Checks that there is such a rule.
pub(super) fn check(program: &str, rule: &str) -> Result<(), UnknownException> {
    let rules = Table::get().rules(without_version(program));
    match rules.contains(&rule) {
        true => Ok(()),
        false if rules.is_empty() => Err(UnknownException::Program { program: program.to_owned() }),
        false => Err(UnknownException::Rule {
            program: program.to_owned(),
            rule: rule.to_owned(),
            valid: rules.into_iter().map(str::to_owned).collect(),
        }),
    }
}
