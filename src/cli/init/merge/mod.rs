//! Puts an entry into the text of a client's file, and leaves everything else as it is: other
//! entries, their order, comments, indentation and line ends.

mod json;
mod toml;

use super::client::Format;
use super::entry::Entry;

/// What became of the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Merged {
    /// An entry of that name says all this already. What the person has added to it stays.
    Same,
    /// There was none of that name; the text with it.
    Added(String),
    /// One of that name said something else; the text with the new one in its place.
    Replaced(String),
}

/// A text that cannot be merged with.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MergeError {
    /// It breaks the rules of its language.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// From 1.
        line: usize,
        /// In characters, from 1.
        column: usize,
        message: String,
    },
    /// A value is there that has no room for entries.
    #[error("{place} is no table of names and values")]
    NoTable { place: String },
    /// Which of the two a client would take is anybody's guess.
    #[error("`{key}` stands there twice; leave one of them")]
    Twice { key: String },
}

/// Merges an entry of this name below the key `servers`.
///
/// # Errors
/// [`MergeError`]. The text may be empty.
pub(super) fn merge(
    format: Format,
    text: &str,
    servers: &str,
    name: &str,
    entry: &Entry,
) -> Result<Merged, MergeError> {
    match format {
        Format::Json => json::merge(text, servers, name, entry),
        Format::Toml => toml::merge(text, servers, name, entry),
    }
}

/// The entry alone, as it would stand in a file of its own.
pub(super) fn snippet(format: Format, servers: &str, name: &str, entry: &Entry) -> String {
    match merge(format, "", servers, name, entry) {
        Ok(Merged::Added(text)) => text,
        other => unreachable!("an empty file has room for everything: {other:?}"),
    }
}

/// Line and column of a byte, both from 1.
fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
