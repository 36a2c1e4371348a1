//! The program inside: it is given a word and what the word needs, tries what the word means, and
//! tells what came of it in two marked lines.
//!
//! It needs nothing but the C library: no shell, no interpreter. What works by the system call alone
//! is here; `raw` holds the calls that have no safe face elsewhere.

mod answer;
mod argument;
mod descriptors;
mod devices;
mod files;
mod ipc;
mod limits;
mod metadata;
mod mounts;
mod network;
mod processes;
#[expect(unsafe_code, reason = "system calls that no crate wraps")]
mod raw;
mod surface;
mod terminal;
mod tools;
mod writing;

pub(crate) use raw::remove_keyed;
#[cfg(test)]
pub(crate) use surface::CALLS as SURFACE;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use crate::report::MARK;
use answer::{Answer, Refused};
use argument::Arguments;

/// A word, and what it does.
type Word = (&'static str, fn(&mut Arguments<'_>) -> Answer);

/// Every word that a probe knows.
const WORDS: &[&[Word]] = &[
    descriptors::WORDS,
    devices::WORDS,
    files::WORDS,
    ipc::WORDS,
    limits::WORDS,
    metadata::WORDS,
    mounts::WORDS,
    network::WORDS,
    processes::WORDS,
    surface::WORDS,
    terminal::WORDS,
    tools::WORDS,
    writing::WORDS,
];

/// Does what the first word says with those after it, and tells it. Exit code 0 means that it told.
pub fn main(words: &[OsString]) -> ExitCode {
    let Some((word, arguments)) = words.split_first() else { return ExitCode::from(2) };
    let mut all = WORDS.iter().flat_map(|words| words.iter());
    let Some((_, attack)) = all.find(|(name, _)| word == name) else { return ExitCode::from(2) };
    if tell(&format!("begins {}", word.to_string_lossy())).is_err() {
        return ExitCode::FAILURE;
    }
    let line = match attack(&mut Arguments::new(arguments)) {
        Ok(what) => format!("did {}", one_line(&what)),
        Err(Refused::Unable(why)) => format!("unable {}", one_line(&why)),
        Err(refused) => format!("refused {}", one_line(&refused.to_string())),
    };
    match tell(&line) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Writes a marked line, on a line of its own whatever was written before.
fn tell(line: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "\n{MARK} {line}")?;
    stdout.flush()
}

fn one_line(text: &str) -> String {
    let text = text.replace('\n', " ");
    match text.is_empty() {
        true => "so".to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_stands_once() {
        let mut names: Vec<_> =
            WORDS.iter().flat_map(|words| words.iter()).map(|word| word.0).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
