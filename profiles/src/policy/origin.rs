//! Where something was written.

use std::fmt;
use std::sync::Arc;

use crate::shipped;

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
    pub source: Arc<str>,
    /// The line in that file, from 1, where it is known.
    pub line: Option<u32>,
    /// The entry as it stands there, before variables: `${workspace}`. `None` for options, whose
    /// paths need not be text.
    pub text: Option<Arc<str>>,
}

impl Origin {
    /// Whether it stands in a profile that is part of the program.
    pub fn is_shipped(&self) -> bool {
        let name = self.source.strip_suffix(".toml");
        name.is_some_and(shipped::is_shipped)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.source),
            None => f.write_str(&self.source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_programs_own_profiles_are_shipped() {
        let is_shipped =
            |source: &str| Origin { source: source.into(), ..Origin::default() }.is_shipped();
        assert!(is_shipped("workspace.toml") && is_shipped("base.toml"));
        for other in ["/home/ann/workspace.toml", "./base.toml", "--read", "inline", "workspace"] {
            assert!(!is_shipped(other), "{other}");
        }
    }
}
