//! Where something was written.

use std::fmt;

/// A value with the place where it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<T> {
    /// The value.
    pub value: T,
    /// Where it was written.
    pub origin: Origin,
}

/// Where a rule was written, for people: `workspace.toml:12`, `--read`, `inline`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The shipped profile's file name (`workspace.toml`), the path of the file, the option
    /// (`--read`), or `inline`.
    pub source: String,
    /// The line in that file, from 1, where it is known.
    pub line: Option<u32>,
    /// The entry as it stands there, before variables: `${workspace}`. `None` for options, whose
    /// paths need not be text.
    pub text: Option<String>,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.source),
            None => f.write_str(&self.source),
        }
    }
}
