//! One request, from its arrival to its end.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Display;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::record::{End, Ending, Record, What, Written, now};
use super::{AuditError, Book, redact};
use crate::pipeline::{MOST_STAGES, Stage};
use crate::{Limit, Outcome, Request};

/// Who waits for the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The caller, who can cancel it.
    Run,
    /// Nobody: it is told to end by a kill alone.
    Job,
}

/// The record of one request in the making. It has one end: whoever comes first writes it, and one
/// that nobody has ended was cancelled.
#[derive(Debug)]
pub(crate) struct Entry(Option<Open>);

#[derive(Debug)]
struct Open {
    book: Arc<Book>,
    kind: Kind,
    id: String,
    begun: Instant,
    tool: Option<String>,
    /// Each stage; a single command is one.
    stages: Vec<Written>,
    is_pipeline: bool,
    files: BTreeMap<&'static str, String>,
    directory: OnceLock<String>,
    /// What a person is asked for; nothing for a run.
    grants: OnceLock<Vec<String>>,
    is_over: AtomicBool,
}

impl Entry {
    /// Of a request that nobody records.
    pub(crate) fn unrecorded() -> Self {
        Entry(None)
    }

    pub(super) fn new(book: Arc<Book>, id: String, request: &Request, kind: Kind) -> Self {
        // A pipeline with more stages is refused, and its first ones show what it was.
        let most = MOST / (1 + request.further.len()).min(MOST_STAGES);
        let stages = request.stages().take(MOST_STAGES);
        let stages = stages.map(|(_, stage)| written(stage, most)).collect();
        Entry(Some(Open {
            book,
            kind,
            id,
            begun: Instant::now(),
            tool: request.tool.clone(),
            stages,
            is_pipeline: request.is_pipeline,
            files: request.files.all().map(|(key, path)| (key, shown(path.as_os_str()))).collect(),
            directory: OnceLock::new(),
            grants: OnceLock::new(),
            is_over: AtomicBool::new(false),
        }))
    }

    /// It is about to be started, in this directory. That is recorded before it happens where nothing
    /// may run unrecorded, and of jobs, whose end may be far away.
    ///
    /// # Errors
    /// Why it must not run: the record cannot be written, and must be.
    pub(crate) fn starts(&self, directory: &Path) -> Result<(), AuditError> {
        let Some(open) = &self.0 else { return Ok(()) };
        let directory = directory.to_string_lossy().into_owned();
        let _ = open.directory.set(directory);
        let line = || open.line(Ending::Started, End::default());
        match (open.book.is_required(), open.kind) {
            (true, _) => open.book.write(&line())?,
            (false, Kind::Job) => open.book.write_or_tell(&line()),
            (false, Kind::Run) => {}
        }
        Ok(())
    }

    /// A person is about to be asked whether it may run in this directory with these grants.
    ///
    /// # Errors
    /// Why nobody must be asked: nothing may happen unrecorded, and this cannot be recorded.
    #[cfg(feature = "mcp")]
    pub(crate) fn asks(&self, directory: &Path, grants: &[String]) -> Result<(), AuditError> {
        let Some(open) = &self.0 else { return Ok(()) };
        let _ = open.directory.set(directory.to_string_lossy().into_owned());
        let _ = open.grants.set(grants.to_vec());
        let line = open.line(Ending::Asked, End::default());
        match open.book.is_required() {
            true => open.book.write(&line),
            false => {
                open.book.write_or_tell(&line);
                Ok(())
            }
        }
    }

    /// What the answer was, and why it was that. Only a record of it makes a grant where nothing may
    /// happen unrecorded.
    ///
    /// # Errors
    /// As [`Entry::asks`].
    #[cfg(feature = "mcp")]
    pub(crate) fn answered(&self, granted: bool, why: &str) -> Result<(), AuditError> {
        let Some(open) = &self.0 else { return Ok(()) };
        let end = End::because(why.to_owned(), open.begun.elapsed());
        match granted {
            true if open.book.is_required() => {
                open.book.write(&open.line(Ending::Granted, end))?;
                open.is_over.store(true, Ordering::Relaxed);
            }
            true => open.end(Ending::Granted, end),
            false => open.end(Ending::Denied, end),
        }
        Ok(())
    }

    /// It was not admitted.
    pub(crate) fn refused(&self, why: &dyn Display) {
        if let Some(open) = &self.0 {
            let reason = reason(&why.to_string());
            open.end(Ending::Refused, End::because(reason, open.begun.elapsed()));
        }
    }

    /// It is over.
    pub(crate) fn ended(&self, outcome: &Outcome) {
        let Some(open) = &self.0 else { return };
        let reason = outcome.not_started.as_ref().map(|why| reason(&why.describe()));
        let end = End::of(outcome, reason, open.begun.elapsed());
        open.end(open.ending(outcome), end);
    }
}

impl Open {
    fn ending(&self, outcome: &Outcome) -> Ending {
        let stopped = match self.kind {
            Kind::Run => Ending::Cancelled,
            Kind::Job => Ending::Killed,
        };
        match &outcome.not_started {
            _ if outcome.timed_out => Ending::Timeout,
            Some(reason) if reason.was_stopped() => stopped,
            Some(_) => Ending::NotStarted,
            None if matches!(outcome.limit, Some(Limit::Output(_))) => Ending::OutputLimit,
            None if outcome.killed => stopped,
            None => Ending::Success,
        }
    }

    fn end(&self, ending: Ending, end: End) {
        if !self.is_over.swap(true, Ordering::Relaxed) {
            self.book.write_or_tell(&self.line(ending, end));
        }
    }

    fn line(&self, outcome: Ending, end: End) -> String {
        let facts = self.book.facts();
        let record = Record {
            time: now(),
            outcome,
            id: &self.id,
            instance: facts.instance.as_deref(),
            tool: self.tool.as_deref(),
            what: match &self.stages[..] {
                [command] if !self.is_pipeline => What::Command(command),
                pipeline => What::Pipeline { pipeline },
            },
            files: &self.files,
            directory: self.directory.get().map(String::as_str),
            launcher: &facts.launcher,
            profile: facts.profile.as_deref(),
            policy: facts.policy.as_deref(),
            grants: self.grants.get().map_or(&[][..], Vec::as_slice),
            end,
        };
        record.line()
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let reason = "nobody waited for it any more".to_owned();
        self.end(Ending::Cancelled, End::because(reason, self.begun.elapsed()));
    }
}

/// So much of all arguments together is recorded, in bytes: enough for what people type, and a line
/// stays one that can be read.
const MOST: usize = 16 * 1024;
/// So much of one word, in characters.
const MOST_OF_A_WORD: usize = 1024;
/// So much of one word is looked at, in bytes: more than is recorded, because a secret that is cut is
/// not known any more. What lies far beyond need not be looked at.
const MOST_LOOKED_AT: usize = 8 * MOST_OF_A_WORD;
/// What an argument takes of a line beside its own text: quotes and a comma.
const AROUND: usize = 3;

/// A command and so many bytes of its arguments, redacted.
fn written(stage: &Stage, most: usize) -> Written {
    let mut line = redact::Line::default();
    let command = clipped(&line.word(&beginning(&stage.command)));
    let mut room = most;
    let mut args = Vec::new();
    for arg in &stage.args {
        let shown = clipped(&line.word(&beginning(arg)));
        let Some(left) = room.checked_sub(shown.len() + AROUND) else { break };
        room = left;
        args.push(shown);
    }
    Written { command, args_left_out: stage.args.len() - args.len(), args }
}

/// Enough of a word that all of what is shown of it can be judged.
fn beginning(word: &OsStr) -> Cow<'_, str> {
    let bytes = word.as_bytes();
    String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_LOOKED_AT)])
}

/// A text of the caller as it is recorded.
fn shown(text: &OsStr) -> String {
    clipped(&redact::text(&beginning(text)))
}

/// A reason as it is recorded: it may quote what the caller has sent.
fn reason(text: &str) -> String {
    clipped(&redact::text(&text[..text.floor_char_boundary(MOST_LOOKED_AT)]))
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(MOST_OF_A_WORD) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As long as a message that a server takes.
    fn long(piece: &str) -> String {
        piece.repeat(1024 * 1024 / piece.len())
    }

    #[test]
    fn of_what_a_caller_sends_only_the_beginning_is_looked_at() {
        for piece in ["a://", "eyJ", "a:b@", "x", "é", "token: "] {
            let request = Request::new(long(piece)).args([long(piece), long(piece)]);
            let Written { command, args, args_left_out } = written(&request.first, MOST);
            assert!(command.chars().count() <= MOST_OF_A_WORD + 1);
            assert_eq!((args.len(), args_left_out), (2, 0));
            assert!(reason(&long(piece)).chars().count() <= MOST_OF_A_WORD + 1);
        }
    }

    #[test]
    fn arguments_are_recorded_up_to_a_bound_and_the_others_counted() {
        for arg in ["", "x", "--token"] {
            let request = Request::new("echo").args(vec![arg; 100_000]);
            let Written { args, args_left_out, .. } = written(&request.first, MOST);
            assert!(!args.is_empty() && args.len() <= MOST / AROUND, "{}", args.len());
            assert_eq!(args.len() + args_left_out, 100_000);
        }
    }

    #[test]
    fn a_secret_is_one_by_the_word_before_it() {
        let request = Request::new("mysql").args(["-phunter2", "--password", "hunter2", "db"]);
        let Written { args, .. } = written(&request.first, MOST);
        assert_eq!(args, ["-p[redacted]", "--password", "[redacted]", "db"]);
    }
}
