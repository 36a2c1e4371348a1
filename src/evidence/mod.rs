//! What a sandbox refused, told with a run that failed.
//!
//! A program that is refused something says so in its own words, if at all, and a model that reads
//! `Permission denied` guesses. Here the sources of evidence are put together: a [`Denial`] names what
//! was refused, by which rule of the profile, how sure that is, and in one line what would allow it.
//!
//! Nothing is taken for refused because a text says so. A text only gives names (`text`), and the
//! policy itself is asked about each of them (`scene`): what it allows was not refused by it, whatever
//! the program printed. The text is the command's, so of an attacker: it is looked at within bounds,
//! and what is taken from it is escaped and clipped (`escape`).
//!
//! An exit of 0 is a success, whatever was written: then nothing is looked at.
//!
//! `denials` puts the sources in order, the surest first; a source is whatever yields [`Denial`]s.
//! `hint` is the line for a model; `signal` knows the end that the filter of system calls makes, and
//! `refused` what else it has refused.

mod denial;
mod denials;
mod escape;
mod hint;
mod modes;
mod refused;
mod scene;
mod signal;
mod syscalls;
mod text;

pub use denial::{Denial, Sure};
#[cfg(any(feature = "cli", feature = "mcp"))]
pub(crate) use escape::shown;
pub(crate) use hint::hint;
pub(crate) use refused::RefusedCalls;
pub(crate) use scene::Scene;
#[cfg(any(feature = "cli", feature = "mcp"))]
pub(crate) use scene::has_view;
#[cfg(feature = "cli")]
pub(crate) use syscalls::Calls;

use serde::Serialize;

use crate::Exit;
use crate::captured::Captured;
use denials::Denials;

/// What is known of refusals when a run is over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Evidence {
    /// What was refused, the surest first; at most 16.
    pub denied: Vec<Denial>,
    /// How many more there were among what was looked at, so at least.
    pub more_denied: usize,
    /// Whether the sandbox had a part in the failure; `None` where the run did not fail.
    pub verdict: Option<Involved>,
    /// The system calls that the filter refused, where the launcher tells of them; at most 16. Programs
    /// try some in silence and go on without them, so that these had a part in the failure is known of
    /// those only that stand in `denied` as well.
    pub refused_calls: Vec<Denial>,
}

/// Whether the sandbox had a part in a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Involved {
    /// It refused something.
    Denied,
    /// Nothing speaks for it.
    Not,
    /// Something was refused, and it cannot be told by whom.
    Unknown,
}

impl Evidence {
    /// Looks at how a run ended, at what it has written, and at what its filter has refused.
    pub(crate) fn of(
        scene: &Scene,
        exit: Exit,
        captured: &Captured,
        refused: &RefusedCalls,
    ) -> Evidence {
        if exit.number() == Some(0) {
            return Evidence::default();
        }
        let written = text::Written::of(captured);
        let found = text::read(scene, &written, refused);
        let mut denials = Denials::default();
        denials.add(signal::denial(exit));
        denials.add(found.denials);
        let (denied, more_denied) = denials.into_parts();
        let is_unexplained = found.is_unexplained || refused.may_explain(exit);
        let verdict = match (denied.is_empty(), is_unexplained) {
            (false, _) => Involved::Denied,
            (true, true) => Involved::Unknown,
            (true, false) => Involved::Not,
        };
        let mut calls = Denials::default();
        calls.add(refused.all());
        let (refused_calls, _) = calls.into_parts();
        Evidence { denied, more_denied, verdict: Some(verdict), refused_calls }
    }
}
