//! A small tree of values with lines, so that TOML files and inline tables share one reader.
//!
//! The trees of the shipped profiles are part of the program, made by the build script: a program that
//! is started for every command does not parse ten kilobytes each time.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value as Json;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::lines::Lines;
use crate::mistake::{Cause, Mistake};
use crate::policy::Origin;

/// A value and the line on which it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) line: Option<u32>,
    pub(crate) value: Tree,
}

/// A value. What no profile can hold is kept only for the message.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Text(Cow<'static, str>),
    Integer(i128),
    List(Cow<'static, [Node]>),
    Table(Cow<'static, [Field]>),
    Other { kind: &'static str, text: String },
}

/// A key of a table, and its value.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) key: Cow<'static, str>,
    /// The key's line.
    pub(crate) line: Option<u32>,
    pub(crate) node: Node,
}

impl Node {
    /// Reads a TOML text.
    ///
    /// # Errors
    /// Every mistake of syntax, keys that stand twice among them, with line and column.
    pub(crate) fn from_toml(text: &str, source: &str) -> Result<Node, Vec<Mistake>> {
        let lines = Lines::new(text);
        let (table, errors) = DeTable::parse_recoverable(text);
        if errors.is_empty() {
            let line = Some(lines.line(table.span().start));
            return Ok(Node { line, value: table_from_toml(table.into_inner(), &lines) });
        }
        let mistake = |error: &toml::de::Error| {
            let start = error.span().map_or(0, |span| span.start);
            let (line, column) = lines.place(start);
            Mistake {
                origin: Origin { source: source.into(), line: Some(line), text: None },
                key: String::new(),
                value: None,
                cause: Cause::Syntax(format!("{}, at column {column}", error.message())),
            }
        };
        Err(errors.iter().map(mistake).collect())
    }

    /// Takes over a JSON value. It has no lines, and keys that stood twice are gone already.
    pub(crate) fn from_json(json: &Json) -> Node {
        let value = match json {
            Json::String(text) => Tree::Text(text.clone().into()),
            Json::Array(items) => Tree::List(items.iter().map(Node::from_json).collect()),
            Json::Object(fields) => Tree::Table(
                fields
                    .iter()
                    .map(|(key, value)| Field {
                        key: key.clone().into(),
                        line: None,
                        node: Node::from_json(value),
                    })
                    .collect(),
            ),
            Json::Number(number) => match number.as_i128() {
                Some(number) => Tree::Integer(number),
                None => Tree::Other { kind: "a number with a fraction", text: number.to_string() },
            },
            Json::Bool(bool) => Tree::Other { kind: "a boolean", text: bool.to_string() },
            Json::Null => Tree::Other { kind: "null", text: "null".to_owned() },
        };
        Node { line: None, value }
    }

    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Tree::Text(_) => "a string",
            Tree::Integer(_) => "an integer",
            Tree::List(_) => "a list",
            Tree::Table(_) => "a table",
            Tree::Other { kind, .. } => kind,
        }
    }
}

/// As it could stand in a file; the insides of lists and tables are left out.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Tree::Text(text) => write!(f, "{text:?}"),
            Tree::Integer(number) => write!(f, "{number}"),
            Tree::List(items) if items.is_empty() => f.write_str("[]"),
            Tree::List(_) => f.write_str("[…]"),
            Tree::Table(fields) if fields.is_empty() => f.write_str("{}"),
            Tree::Table(_) => f.write_str("{…}"),
            Tree::Other { text, .. } => f.write_str(text),
        }
    }
}

fn node_from_toml(value: Spanned<DeValue<'_>>, lines: &Lines<'_>) -> Node {
    let line = Some(lines.line(value.span().start));
    let value = match value.into_inner() {
        DeValue::String(text) => Tree::Text(text.into_owned().into()),
        DeValue::Integer(number) => match i128::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Tree::Integer(number),
            Err(_) => Tree::Other { kind: "a number out of range", text: number.to_string() },
        },
        DeValue::Array(items) => {
            Tree::List(items.into_iter().map(|item| node_from_toml(item, lines)).collect())
        }
        DeValue::Table(table) => table_from_toml(table, lines),
        DeValue::Float(number) => {
            Tree::Other { kind: "a number with a fraction", text: number.to_string() }
        }
        DeValue::Boolean(bool) => Tree::Other { kind: "a boolean", text: bool.to_string() },
        DeValue::Datetime(date) => Tree::Other { kind: "a date", text: date.to_string() },
    };
    Node { line, value }
}

fn table_from_toml(table: DeTable<'_>, lines: &Lines<'_>) -> Tree {
    let mut fields: Vec<Field> = table
        .into_iter()
        .map(|(key, value)| Field {
            line: Some(lines.line(key.span().start)),
            key: key.into_inner().into_owned().into(),
            node: node_from_toml(value, lines),
        })
        .collect();
    // The parser sorts by name; messages follow the file.
    fields.sort_by_key(|field| field.line);
    Tree::Table(fields.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<String> {
        let mistakes = Node::from_toml(text, "x.toml").unwrap_err();
        mistakes.iter().map(Mistake::to_string).collect()
    }

    #[test]
    fn a_slip_of_syntax_has_line_and_column() {
        let found = mistakes("description = \"é\"\nextends = [\"base\"\n");
        assert!(found[0].starts_with("x.toml:"), "{found:?}");
        assert!(found[0].contains("column"), "{found:?}");
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        let found = mistakes("description = \"a\"\ndescription = \"b\"\n");
        assert!(found[0].starts_with("x.toml:2: "), "{found:?}");
        assert!(found[0].contains("duplicate"), "{found:?}");
        assert!(!mistakes("[network]\nmode = \"on\"\n[network]\n").is_empty());
    }

    #[test]
    fn entries_know_their_lines() {
        let node =
            Node::from_toml("[filesystem]\nread = [\n  \"/a\",\n  \"/b\",\n]\n", "x").unwrap();
        let Tree::Table(top) = node.value else { panic!("no table") };
        let Tree::Table(filesystem) = &top[0].node.value else { panic!("no table") };
        let Tree::List(read) = &filesystem[0].node.value else { panic!("no list") };
        assert_eq!(filesystem[0].line, Some(2));
        assert_eq!(read.iter().map(|item| item.line).collect::<Vec<_>>(), [Some(3), Some(4)]);
    }
}
