//! One line of the audit.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::payload::SandboxPayload;
use crate::{Exit, Outcome};

/// What became of a request, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Ending {
    /// It is about to be started; another record follows.
    Started,
    /// The command ran to an end of its own, whatever its exit.
    Success,
    /// It was not admitted.
    Refused,
    /// It was admitted, and nothing ran.
    NotStarted,
    /// Its time ran out.
    Timeout,
    /// It wrote more than is kept, and was killed for that.
    OutputLimit,
    /// A job that was killed.
    Killed,
    /// A run whose caller has cancelled it, or has gone; a question that was not answered.
    Cancelled,
    /// A person is asked for the grants; another record follows.
    #[cfg(feature = "mcp")]
    Asked,
    /// The grants were given, for one run, which has records of its own.
    #[cfg(feature = "mcp")]
    Granted,
    /// The grants were not given.
    #[cfg(feature = "mcp")]
    Denied,
}

/// A record. The fields stand in the order in which people read them; what is not known is left out.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Record<'a> {
    /// When this was written, RFC 3339 in UTC.
    pub(super) time: String,
    pub(super) outcome: Ending,
    /// The process and the number of the request in it: the same in `started` and in what follows.
    pub(super) id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instance: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<&'a str>,
    #[serde(flatten)]
    pub(super) what: What<'a>,
    /// The files in place of streams, redacted, by their keys.
    #[serde(flatten)]
    pub(super) files: &'a BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) directory: Option<&'a str>,
    pub(super) launcher: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) profile: Option<&'a str>,
    /// The beginning of the SHA-256 of the resolved policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) policy: Option<&'a str>,
    /// What somebody was asked for.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) grants: &'a [String],
    #[serde(flatten)]
    pub(super) end: End,
}

/// What was asked for: a command, or in its place the stages of a pipeline.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum What<'a> {
    Command(&'a Written),
    Pipeline { pipeline: &'a [Written] },
}

/// A command as it was written, redacted.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Written {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) args_left_out: usize,
}

/// What is known when a request is over.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct End {
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<SandboxPayload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<i32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stages: Vec<Option<i32>>,
    /// How much the command wrote, whatever was kept of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_bytes: Option<u64>,
    /// In seconds, from the request to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<f64>,
    /// Why nothing ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl End {
    /// Nothing ran, for this reason.
    pub(super) fn because(reason: String, duration: Duration) -> Self {
        End { reason: Some(reason), duration: Some(seconds(duration)), ..End::default() }
    }

    pub(super) fn of(outcome: &Outcome, reason: Option<String>, duration: Duration) -> Self {
        let ran = !matches!(outcome.exit, Exit::NotStarted);
        let stdout = outcome.captured.stdout_written();
        let buffers = outcome.captured.lock();
        let written = |bytes: u64| ran.then_some(bytes);
        End {
            sandbox: outcome.sandbox.as_ref().map(SandboxPayload::without_evidence),
            exit: outcome.exit.number(),
            stages: outcome.stages.iter().map(|exit| exit.number()).collect(),
            stdout_bytes: written(stdout),
            stderr_bytes: written(buffers.stderr.written().bytes),
            duration: Some(seconds(duration)),
            reason,
        }
    }
}

impl Record<'_> {
    /// The line with its newline. JSON escapes every newline within.
    pub(super) fn line(&self) -> String {
        // Strings and numbers always have a form in JSON.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }
}

pub(super) fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

fn seconds(duration: Duration) -> f64 {
    duration.as_millis() as f64 / 1000.0
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
