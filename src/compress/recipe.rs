//! What is done with the output of one command.

use std::sync::Arc;

use super::filter::{Filter, is_kept_always};
use super::{carriage, escapes, fold};
use crate::Payload;
use crate::payload::CompressedPayload;

/// What is done with the output of one command: the generic stages, and the filter that fits it.
#[derive(Debug, Clone)]
pub struct Recipe {
    filter: Option<Arc<Filter>>,
}

/// Both streams, shorter than they were.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compressed {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// How many bytes of text both had.
    pub from: usize,
    /// How many they have.
    pub to: usize,
}

impl Recipe {
    pub(super) fn new(filter: Option<Arc<Filter>>) -> Self {
        Recipe { filter }
    }

    /// Makes both streams shorter; `None` where there is nothing to gain. `succeeded` says whether the
    /// command exited with 0: after anything else only progress is dropped.
    #[must_use]
    pub fn compress(&self, succeeded: bool, stdout: &str, stderr: &str) -> Option<Compressed> {
        if self.filter.as_ref().is_some_and(|filter| filter.exact) {
            return None;
        }
        let short = |drops| [stdout, stderr].map(|text| self.shorter(text, succeeded, drops));
        let mut streams = short(true);
        // Nothing but progress is still better than nothing.
        if streams.iter().all(|text| is_blank(text)) {
            streams = short(false);
        }
        let [stdout_is, stderr_is] = streams;
        let from = stdout.len() + stderr.len();
        let to = stdout_is.len() + stderr_is.len();
        let short = Compressed { stdout: stdout_is, stderr: stderr_is, from, to };
        (to < from).then_some(short)
    }

    /// [`Recipe::compress`] for a payload, which then says so in its key `compressed`. False, and
    /// nothing changed, where there is nothing to gain and where the command did not run.
    pub fn apply(&self, payload: &mut Payload) -> bool {
        let Payload { exit, stages, timed_out, stdout, stderr, .. } = payload;
        payload.compressed = self.shorten(*exit, stages, *timed_out, stdout, stderr);
        payload.compressed.is_some()
    }

    /// Whether this is a program that prints files, whose output stays as it is.
    #[cfg(feature = "mcp")]
    pub(crate) fn is_exact(&self) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.exact)
    }

    /// Makes the text of a run shorter, and tells by how much. A pipeline has succeeded when every stage
    /// of it has.
    pub(crate) fn shorten(
        &self,
        exit: Option<i32>,
        stages: &[Option<i32>],
        timed_out: bool,
        stdout: &mut String,
        stderr: &mut String,
    ) -> Option<CompressedPayload> {
        if exit == Some(-1) {
            return None;
        }
        let succeeded = stages.iter().chain([&exit]).all(|exit| *exit == Some(0)) && !timed_out;
        let short = self.compress(succeeded, stdout, stderr)?;
        (*stdout, *stderr) = (short.stdout, short.stderr);
        Some(CompressedPayload::new(short.from, short.to))
    }

    /// One stream, as it is where it would not become shorter.
    fn shorter(&self, text: &str, succeeded: bool, drops: bool) -> String {
        let plain = escapes::strip(text);
        let plain = carriage::collapse(&plain, |frame| self.keeps(frame));
        let mut is_above_dropped = false;
        let lines = plain.split_inclusive('\n').filter(|line| {
            let line = content(line);
            let is_counted_above = is_above_dropped && fold::is_marker(line);
            is_above_dropped = drops && (is_counted_above || self.drops(line, succeeded));
            !is_above_dropped
        });
        let short = match succeeded {
            true => fold::repeats(fold::blanks(lines)),
            false => fold::repeats(lines),
        };
        if short.len() < text.len() { short } else { text.to_owned() }
    }

    pub(super) fn keeps(&self, line: &str) -> bool {
        self.filter.as_ref().map_or_else(|| is_kept_always(line), |filter| filter.keeps(line))
    }

    fn drops(&self, line: &str, succeeded: bool) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.drops(line, succeeded))
    }
}

fn content(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r'])
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
