//! What is told to people: results on stdout, everything else on stderr. Nobody may be listening,
//! and that is no reason to panic.

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;

use crate::outcome::chain;

/// A command of the program that could not do its work: cause and remedy, as it is shown.
#[derive(Debug)]
pub(super) struct Failure(pub(super) String);

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure(chain(&error))
    }
}

/// Prints to stdout.
///
/// # Errors
/// What the system said, but for a reader that has gone: that one has read enough.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure(format!("could not write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Prints one line of JSON to stdout.
///
/// # Errors
/// As [`print`].
pub(super) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut line = serde_json::to_string(value)?;
    line.push('\n');
    print(&line)
}

/// Tells a person that something went wrong. With stderr closed, nobody is told.
pub(super) fn complain(reason: impl Display) {
    let line = format!("cofferdam: {}\n", reason.to_string().trim_end());
    let _ = io::stderr().lock().write_all(line.as_bytes());
}
