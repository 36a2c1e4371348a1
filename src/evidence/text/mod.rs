//! What a program says of a refusal, in its own words.
//!
//! `written` takes the lines that are looked at; `kind` knows the system's phrases; `names`, `host`,
//! `variable` and `verb` take out of a line what it is about. None of them knows any program: they know how programs
//! write an error, with the name in quotes, after a colon, or as a word with a slash.
//! `line` asks the policy.

mod host;
mod kind;
mod line;
mod names;
mod variable;
mod verb;
mod written;

pub(super) use written::Written;

use std::collections::HashSet;

use super::{Denial, RefusedCalls, Scene};
use kind::Kind;
use line::{Line, Meaning};

/// So many lines with an error of the system's are looked at, from the beginning and from the end:
/// a program that fails over and over says nothing new after these.
const MOST_LINES: usize = 24;
/// How far back the name of a bare cause is looked for.
const MOST_BACK: usize = 4;

/// What the texts tell.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) denials: Vec<Denial>,
    /// Something was refused, and nobody can tell by whom.
    pub(super) is_unexplained: bool,
}

/// Reads what a command has written. `refused` is what the filter is known to have refused it.
pub(super) fn read(scene: &Scene, written: &Written, refused: &RefusedCalls) -> Found {
    let mut found = Found::default();
    let lines = written.stderr();
    let telling = telling(&lines);
    for number in ends(&telling) {
        let line = Line::new(&lines[number], cause_of(&lines, number));
        match line.meaning(scene, refused) {
            Meaning::Refused(denials) => found.denials.extend(denials),
            Meaning::Unexplained => found.is_unexplained = true,
            Meaning::Nothing => {}
        }
    }
    // What stands on standard output may be anything: only what names something counts.
    let lines = written.stdout();
    for number in ends(&self::telling(&lines)) {
        let line = Line::new(&lines[number], None);
        if line.kind() != Some(Kind::Missing)
            && let Meaning::Refused(denials) = line.meaning(scene, refused)
        {
            found.denials.extend(denials);
        }
    }
    // Whoever asks too much to be answered may have had something to hide.
    found.is_unexplained |= scene.is_spent();
    found
}

/// The lines that hold an error of the system's, each text once.
fn telling(lines: &[String]) -> Vec<usize> {
    let mut seen = HashSet::new();
    let tells = |number: &usize| kind::of(&lines[*number]).is_some();
    let numbers = (0..lines.len()).filter(tells);
    numbers.filter(|number| seen.insert(lines[*number].as_str())).collect()
}

/// The first and the last of them.
fn ends(numbers: &[usize]) -> impl Iterator<Item = usize> {
    let first = numbers.len().min(MOST_LINES);
    let last = numbers.len().saturating_sub(MOST_LINES).max(first);
    numbers[..first].iter().chain(&numbers[last..]).copied()
}

/// The lines before a bare cause (`Caused by:`, and the cause on a line of its own), which name what
/// it is about.
fn cause_of(lines: &[String], number: usize) -> Option<String> {
    let before = &lines[number.saturating_sub(MOST_BACK)..number];
    let is_cause =
        before.iter().any(|line| line.trim_start().to_lowercase().starts_with("caused by"));
    is_cause.then(|| before.join(" "))
}

#[cfg(test)]
mod tests;
