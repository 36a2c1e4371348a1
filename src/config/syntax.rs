//! The two languages of configuration files, and where a text breaks their rules.

use std::fmt;
use std::path::Path;

use super::tree::Tree;

/// The language of a configuration text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// JSON (RFC 8259): no comments, no trailing commas.
    Json,
    /// TOML 1.
    Toml,
}

impl Format {
    /// The language by a file's name: `.toml` is TOML, everything else JSON.
    pub fn of(path: &Path) -> Format {
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("toml") => Format::Toml,
            _ => Format::Json,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Json => "JSON",
            Format::Toml => "TOML",
        })
    }
}

/// A place where a text is not JSON, or not TOML.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
#[non_exhaustive]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// Reads a text. Nothing is left out and nothing is taken twice.
pub(crate) fn parse(text: &str, format: Format) -> Result<Tree, SyntaxError> {
    if text.starts_with('\u{feff}') {
        return Err(at_start("the text starts with a byte order mark; save it as plain UTF-8"));
    }
    if text.trim().is_empty() {
        return Err(at_start("the text is empty"));
    }
    match format {
        Format::Json => serde_json::from_str(text).map_err(|error| in_json(text, &error)),
        Format::Toml => toml::from_str(text).map_err(|error| in_toml(text, &error)),
    }
}

fn at_start(message: &str) -> SyntaxError {
    SyntaxError { line: 1, column: 1, message: message.to_owned() }
}

fn in_json(text: &str, error: &serde_json::Error) -> SyntaxError {
    let (line, column) = (error.line().max(1), error.column().max(1));
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    SyntaxError {
        line,
        column,
        message: match starts_comment(text, line, column) {
            true => "JSON has no comments (a `.toml` file may hold them)".to_owned(),
            false => message.to_owned(),
        },
    }
}

/// Whether a comment starts where `serde_json` stopped: its column is that of the last byte it took.
fn starts_comment(text: &str, line: usize, column: usize) -> bool {
    let line = text.lines().nth(line - 1).unwrap_or_default();
    matches!(line.as_bytes().get(column - 1), Some(b'/' | b'#'))
}

fn in_toml(text: &str, error: &toml::de::Error) -> SyntaxError {
    let start = error.span().map_or(0, |span| span.start);
    let before = text.get(..start).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    SyntaxError {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
        message: error.message().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        parse(text, Format::Json).unwrap_err().to_string()
    }

    fn toml(text: &str) -> String {
        parse(text, Format::Toml).unwrap_err().to_string()
    }

    #[test]
    fn the_slips_people_make_in_json_are_named_with_line_and_column() {
        for (text, message) in [
            ("{\n  \"a\": 1,\n}", "line 3, column 1: trailing comma"),
            ("[1,\n 2,\n]", "line 3, column 1: trailing comma"),
            (
                "{\n  // why\n  \"a\": 1\n}",
                "line 2, column 3: JSON has no comments (a `.toml` file may hold them)",
            ),
            ("# why\n{}", "line 1, column 1: JSON has no comments (a `.toml` file may hold them)"),
            (
                "{\"a\": 1 /* why */}",
                "line 1, column 9: JSON has no comments (a `.toml` file may hold them)",
            ),
            ("{} // why", "line 1, column 4: JSON has no comments (a `.toml` file may hold them)"),
            ("{} {}", "line 1, column 4: trailing characters"),
            ("{\"a\"", "line 1, column 4: EOF while parsing an object"),
            ("", "line 1, column 1: the text is empty"),
            (" \n\t", "line 1, column 1: the text is empty"),
            (
                "\u{feff}{}",
                "line 1, column 1: the text starts with a byte order mark; save it as plain UTF-8",
            ),
            (
                "{\n  \"allow\": [],\n  \"allow\": []\n}",
                "line 3, column 9: duplicate key \"allow\"",
            ),
        ] {
            assert_eq!(json(text), message, "{text:?}");
        }
    }

    #[test]
    fn toml_errors_have_line_and_column_too() {
        assert!(toml("a = 1\na = 2").starts_with("line 2, column 1: "));
        assert!(toml("é = 1").starts_with("line 1, column 1: "));
        assert!(toml("a = \"é\" b").starts_with("line 1, column 9: "));
        assert_eq!(toml("\n"), "line 1, column 1: the text is empty");
    }

    #[test]
    fn a_text_nested_without_end_is_an_error_and_no_crash() {
        assert!(json(&"[".repeat(100_000)).contains("recursion limit"));
        assert!(toml(&format!("a = {}", "[".repeat(100_000))).starts_with("line 1, "));
    }

    #[test]
    fn the_extension_decides_the_language() {
        assert_eq!(Format::of(Path::new("/etc/a.TOML")), Format::Toml);
        assert_eq!(Format::of(Path::new("a.toml.json")), Format::Json);
        assert_eq!(Format::of(Path::new("toml")), Format::Json);
    }
}
