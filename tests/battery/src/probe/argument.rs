//! The words after the first.

use std::ffi::OsString;
use std::path::PathBuf;

use rustix::process::{Pid, getppid};

use super::answer::Refused;

/// The words that are left.
pub(super) struct Arguments<'a> {
    left: std::slice::Iter<'a, OsString>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(words: &'a [OsString]) -> Self {
        Arguments { left: words.iter() }
    }

    pub(super) fn word(&mut self) -> Result<&'a OsString, Refused> {
        self.left.next().ok_or_else(|| Refused::unable("a word is missing"))
    }

    pub(super) fn path(&mut self) -> Result<PathBuf, Refused> {
        Ok(PathBuf::from(self.word()?))
    }

    pub(super) fn text(&mut self) -> Result<String, Refused> {
        Ok(self.word()?.to_string_lossy().into_owned())
    }

    pub(super) fn number<N: std::str::FromStr>(&mut self) -> Result<N, Refused> {
        self.text()?.parse().map_err(|_| Refused::unable("a number is missing"))
    }

    /// A process: a number, or `parent`.
    pub(super) fn process(&mut self) -> Result<Pid, Refused> {
        let word = self.text()?;
        let found = match word.as_str() {
            "parent" => getppid(),
            number => number.parse().ok().and_then(Pid::from_raw),
        };
        found.ok_or_else(|| Refused::otherwise("there is no such process"))
    }

    pub(super) fn rest(&mut self) -> Vec<&'a OsString> {
        self.left.by_ref().collect()
    }
}
