//! What became of a run.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cofferdam_launcher::LaunchError;

use crate::capture::Caps;
use crate::captured::Captured;
use crate::evidence::Evidence;
use crate::limit::Limit;
use crate::payload::{Payload, SandboxPayload, truncated};
use crate::pipeline::StagePlace;
use crate::resolve::Unresolved;
use crate::spawn::SpawnError;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// The command exited with this code, 0 to 255.
    Code(i32),
    /// This signal ended the command.
    Signal(i32),
    /// The command did not run; the outcome's `not_started` says why.
    NotStarted,
    /// The command was killed and its status never came.
    Unknown,
}

impl Exit {
    /// The number of the payload: the code, 128 + the signal, −1, or none.
    pub fn number(self) -> Option<i32> {
        match self {
            Exit::Code(code) => Some(code),
            Exit::Signal(signal) => Some(128 + signal),
            Exit::NotStarted => Some(-1),
            Exit::Unknown => None,
        }
    }
}

/// Why a command did not run. It is a condition of the run and not an `Err`: the payload has exit −1
/// and this text in `stderr`.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct NotStarted(#[from] Reason);

/// Whose failure it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Reason {
    #[error(transparent)]
    Unresolved(#[from] Unresolved),
    #[error("the sandbox could not be built")]
    Launcher(#[source] LaunchError),
    #[error("the launcher panicked: {0}")]
    LauncherPanicked(String),
    #[error("the command could not be started")]
    Spawn(#[source] SpawnError),
    #[error("the run could not be prepared: {stage}")]
    Setup {
        stage: &'static str,
        #[source]
        source: io::Error,
    },
    #[error("the launcher `{launcher}` ended before the command began")]
    Wrapper {
        launcher: String,
        #[source]
        source: LaunchError,
    },
    #[error("the time ran out before the command was started")]
    TimedOut,
    #[error("it was stopped before the command was started")]
    Stopped,
    /// One stage of a pipeline did not run, and so nothing of it does.
    #[error("{stage}: {reason}")]
    Stage {
        stage: StagePlace,
        #[source]
        reason: Box<Reason>,
    },
}

impl Reason {
    /// The same, about one stage where there are several.
    pub(crate) fn at(self, place: Option<StagePlace>) -> Reason {
        match place {
            Some(stage) => Reason::Stage { stage, reason: Box::new(self) },
            None => self,
        }
    }

    /// The reason itself, whichever stage it is about.
    fn itself(&self) -> &Reason {
        match self {
            Reason::Stage { reason, .. } => reason,
            other => other,
        }
    }
}

impl NotStarted {
    /// What a shell would exit with: 127 where the program is missing, 126 where it cannot be run,
    /// 125 where Cofferdam failed.
    pub fn exit_code(&self) -> u8 {
        match self.0.itself() {
            Reason::Unresolved(unresolved) if unresolved.is_missing() => 127,
            Reason::Unresolved(_) => 126,
            Reason::Spawn(SpawnError::Exec { source, .. }) => match source.kind() {
                io::ErrorKind::NotFound => 127,
                _ => 126,
            },
            _ => 125,
        }
    }

    /// Whether it was the sandbox that could not be built, as against a program that is not there.
    #[cfg(feature = "cli")]
    pub(crate) fn is_of_sandbox(&self) -> bool {
        match self.0.itself() {
            Reason::Launcher(_) | Reason::LauncherPanicked(_) | Reason::Wrapper { .. } => true,
            Reason::Spawn(error) => !matches!(error, SpawnError::Exec { .. }),
            _ => false,
        }
    }

    /// Whether the caller did not want it any more.
    pub(crate) fn was_stopped(&self) -> bool {
        matches!(self.0, Reason::Stopped)
    }

    /// The whole chain of causes on one line, and what would help where that is known.
    pub fn describe(&self) -> String {
        self.with_remedy(chain(&self.0))
    }

    fn with_remedy(&self, mut text: String) -> String {
        if let Reason::Launcher(error) | Reason::Wrapper { source: error, .. } = self.0.itself()
            && let Some(remedy) = error.remedy()
        {
            text.push_str("; ");
            text.push_str(remedy);
        }
        text
    }
}

/// An error with all its causes, each once and as a part of one sentence: `a: b: c`.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = lower_first(&error.to_string());
        if !text.ends_with(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = error.source();
    }
    text
}

/// The system's own texts begin with a capital, as sentences do.
fn lower_first(words: &str) -> String {
    let mut signs = words.chars();
    match (signs.next(), signs.clone().next()) {
        (Some(first), Some(second))
            if first.is_ascii_uppercase() && second.is_ascii_lowercase() =>
        {
            first.to_ascii_lowercase().to_string() + signs.as_str()
        }
        _ => words.to_owned(),
    }
}

/// What the launcher did for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sandbox {
    /// The policy's rules that were not enforced, by their names.
    pub missing: Arc<[String]>,
    /// Protected paths that did not exist before the run and do now.
    pub created: Vec<PathBuf>,
    /// What it refused, as far as that is known; nothing for a run that did not fail.
    pub evidence: Evidence,
}

/// What became of a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// How it ended; a pipeline ends as its last stage does.
    pub exit: Exit,
    /// How each stage of a pipeline ended, in order. Empty for a single command, and where nothing ran.
    pub stages: Vec<Exit>,
    /// Whether its time ran out.
    pub timed_out: bool,
    /// Whether a kill was asked for, by the caller or because the time ran out.
    pub killed: bool,
    /// The limit that ended it. What it had written until then is kept within the caps.
    pub limit: Option<Limit>,
    /// Its timeout, where the runner allows less than was asked for.
    pub lowered_timeout: Option<Duration>,
    /// What the launcher did; `None` where it made no claim, or where nothing ran.
    pub sandbox: Option<Sandbox>,
    /// Why nothing ran.
    pub not_started: Option<NotStarted>,
    pub(crate) captured: Arc<Captured>,
}

impl Outcome {
    /// A run of which nothing was started.
    pub(crate) fn not_started(reason: Reason) -> Self {
        Outcome::not_started_in(reason, Arc::new(Captured::new(Caps::NONE)))
    }

    /// [`Outcome::not_started`], with the reason where others may look already.
    pub(crate) fn not_started_in(reason: Reason, captured: Arc<Captured>) -> Self {
        let timed_out = matches!(reason, Reason::TimedOut);
        let killed = matches!(reason, Reason::TimedOut | Reason::Stopped);
        let reason = NotStarted::from(reason);
        explain(&captured, &reason);
        captured.finish();
        Outcome {
            exit: Exit::NotStarted,
            stages: Vec::new(),
            timed_out,
            killed,
            limit: None,
            lowered_timeout: None,
            sandbox: None,
            not_started: Some(reason),
            captured,
        }
    }

    /// A run whose watcher was lost, with the event loop that it lived on. What it started was killed.
    pub(crate) fn lost(captured: Arc<Captured>) -> Self {
        captured.finish();
        Outcome {
            exit: Exit::Unknown,
            stages: Vec::new(),
            timed_out: false,
            killed: true,
            limit: None,
            lowered_timeout: None,
            sandbox: None,
            not_started: None,
            captured,
        }
    }

    pub(crate) fn with_lowered_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.lowered_timeout = timeout;
        self
    }

    /// Whether it failed, was left to itself, and something was refused.
    #[cfg(feature = "mcp")]
    pub(crate) fn was_denied(&self) -> bool {
        let sandbox = self.sandbox.as_ref();
        !self.killed && sandbox.is_some_and(|sandbox| !sandbox.evidence.denied.is_empty())
    }

    /// The captured bytes of standard output: all of it, or head and tail without what was dropped.
    pub fn stdout_bytes(&self) -> Vec<u8> {
        self.captured.lock().stdout.bytes()
    }

    /// The captured bytes of standard error, as [`Outcome::stdout_bytes`].
    pub fn stderr_bytes(&self) -> Vec<u8> {
        self.captured.lock().stderr.bytes()
    }

    /// The payload, as an MCP client and `--json` get it.
    pub fn payload(&self) -> Payload {
        let buffers = self.captured.lock();
        let (stdout, stderr) = (buffers.stdout.render(), buffers.stderr.render());
        drop(buffers);
        let dropped = self.captured.dropped_by_file().or(stdout.dropped);
        Payload {
            compressed: None,
            exit: self.exit.number(),
            limit: self.limit.map(Limit::name),
            sandbox: self.sandbox.as_ref().map(SandboxPayload::from),
            stages: self.stages.iter().map(|exit| exit.number()).collect(),
            stderr: stderr.text,
            stdout: stdout.text,
            stdout_bytes: self.captured.in_file().filter(|_| self.exit != Exit::NotStarted),
            timed_out: self.timed_out,
            timeout: self.lowered_timeout,
            truncated: truncated(dropped, stderr.dropped),
        }
    }
}

/// Writes the reason of a run that did not start behind whatever its wrapper wrote, without saying
/// again what stands there already.
pub(crate) fn explain(captured: &Captured, reason: &NotStarted) {
    let said = captured.lock().stderr.bytes();
    let said = String::from_utf8_lossy(&said);
    let mut text = reason.describe();
    if !said.trim().is_empty() && text.contains(said.trim()) {
        text = reason.with_remedy(reason.to_string());
    }
    captured.say(&text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_within_its_bounds_has_exactly_four_keys_in_order() {
        let outcome = Outcome {
            exit: Exit::Code(0),
            stages: Vec::new(),
            timed_out: false,
            killed: false,
            limit: None,
            lowered_timeout: None,
            sandbox: None,
            not_started: None,
            captured: Arc::new(Captured::new(Caps::NONE)),
        };
        let text = serde_json::to_string(&outcome.payload()).unwrap();
        assert_eq!(text, r#"{"exit":0,"stderr":"","stdout":"","timed-out":false}"#);
    }

    #[test]
    fn a_status_that_never_came_is_null_and_no_number() {
        let payload = Outcome::lost(Arc::new(Captured::new(Caps::NONE))).payload();
        let text = serde_json::to_string(&payload).unwrap();
        assert_eq!(text, r#"{"exit":null,"stderr":"","stdout":"","timed-out":false}"#);
    }

    #[test]
    fn what_did_not_start_has_minus_one_its_reason_and_no_sandbox() {
        let error = LaunchError::unsupported("no user namespaces", "use the landlock launcher");
        let payload = Outcome::not_started(Reason::Launcher(error)).payload();
        assert_eq!(payload.exit, Some(-1));
        assert_eq!(payload.sandbox, None);
        assert_eq!(
            payload.stderr,
            "the sandbox could not be built: no user namespaces; use the landlock launcher\n"
        );
    }
}
