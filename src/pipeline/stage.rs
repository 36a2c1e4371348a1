//! One program of a pipeline.

use std::ffi::OsString;
use std::fmt;

use serde::Serialize;

/// One program and its arguments, as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stage {
    pub(crate) command: OsString,
    pub(crate) args: Vec<OsString>,
}

impl Stage {
    pub(crate) fn new(command: OsString) -> Self {
        Stage { command, args: Vec::new() }
    }
}

/// Where a stage stands in its pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct StagePlace {
    /// Its number, from 1.
    pub number: usize,
    /// How many stages there are.
    pub of: usize,
}

impl StagePlace {
    pub(crate) fn new(number: usize, of: usize) -> Self {
        StagePlace { number, of }
    }
}

impl fmt::Display for StagePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stage {} of {}", self.number, self.of)
    }
}
