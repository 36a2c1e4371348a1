//! The profile language: expressions in parentheses, with names, texts and patterns in them.
//!
//! Every text in an expression is known when this crate is compiled, and a path can stand in one only as
//! the number of a parameter. So there is nothing to quote, and nothing that a file name could break out
//! of.

use std::fmt;

/// One expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expression {
    /// A name: `allow`, `file-read*`, `AF_UNIX`, `1`.
    Word(&'static str),
    /// A text in quotes. Holds neither quotes nor backslashes.
    Text(&'static str),
    /// A regular expression: `#"^/dev/ttys[0-9]+$"`.
    Pattern(&'static str),
    /// The value of a parameter: `(param "P3")`.
    Parameter(usize),
    /// `( … )`.
    List(Vec<Expression>),
}

use Expression::{List, Parameter, Pattern, Text, Word};

/// `(name operand …)`.
pub(crate) fn form(
    name: &'static str,
    operands: impl IntoIterator<Item = Expression>,
) -> Expression {
    List(std::iter::once(Word(name)).chain(operands).collect())
}

/// `(allow operation … filter …)`; without a filter the operations are allowed on everything.
pub(crate) fn allow(
    operations: &[&'static str],
    filters: impl IntoIterator<Item = Expression>,
) -> Expression {
    rule("allow", operations, filters)
}

/// `(deny operation … filter …)`.
pub(crate) fn deny(
    operations: &[&'static str],
    filters: impl IntoIterator<Item = Expression>,
) -> Expression {
    rule("deny", operations, filters)
}

fn rule(
    decision: &'static str,
    operations: &[&'static str],
    filters: impl IntoIterator<Item = Expression>,
) -> Expression {
    form(decision, operations.iter().map(|name| Word(name)).chain(filters))
}

/// This path and nothing below it.
pub(crate) fn literal(path: &'static str) -> Expression {
    form("literal", [Text(path)])
}

/// This path and everything below it, by component.
pub(crate) fn subpath(path: &'static str) -> Expression {
    form("subpath", [Text(path)])
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Word(word) => f.write_str(word),
            Text(text) => write!(f, "\"{text}\""),
            Pattern(pattern) => write!(f, "#\"{pattern}\""),
            Parameter(number) => write!(f, "(param \"P{number}\")"),
            List(items) => {
                f.write_str("(")?;
                for (position, item) in items.iter().enumerate() {
                    match (position, item) {
                        (0, _) => {}
                        // Filters on lines of their own, so that a long rule can be read.
                        (_, List(_)) if items.len() > 3 => f.write_str("\n  ")?,
                        _ => f.write_str(" ")?,
                    }
                    write!(f, "{item}")?;
                }
                f.write_str(")")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_written_as_the_language_has_it() {
        let tty = form("regex", [Pattern("^/dev/ttys[0-9]+$")]);
        assert_eq!(
            allow(&["file-ioctl"], [tty]).to_string(),
            r##"(allow file-ioctl (regex #"^/dev/ttys[0-9]+$"))"##
        );
        let path = form("subpath", [Parameter(3)]);
        assert_eq!(deny(&["a"], [path]).to_string(), r#"(deny a (subpath (param "P3")))"#);
        let two = allow(&["a"], [literal("/b"), literal("/c")]);
        assert_eq!(two.to_string(), "(allow a\n  (literal \"/b\")\n  (literal \"/c\"))");
    }
}
