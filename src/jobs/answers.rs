//! What questions about jobs are answered with. Keys are sorted, as in every payload.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::payload::in_seconds;
use crate::{CompressedPayload, DroppedPayload, SandboxPayload};

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum JobState {
    /// It runs.
    Running,
    /// It ended by itself, or could not be started (exit −1).
    Exited,
    /// It was killed, by a call or because its time was over.
    Killed,
}

/// A job was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Started {
    /// Its handle.
    #[serde(rename = "job")]
    pub id: String,
    /// Where it stands: one that could not be started has ended already.
    pub state: JobState,
    /// Its timeout in seconds, where that is less than what was asked for.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_seconds")]
    pub timeout: Option<Duration>,
}

/// How a job is getting on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Poll {
    /// Its exit as in a run's payload; none while it runs and where the status never came.
    pub exit: Option<i32>,
    /// Its handle.
    pub job: String,
    /// Whether it was killed.
    pub killed: bool,
    /// The setting for whose sake it was killed, as in a run's payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<&'static str>,
    /// Seconds, to the millisecond: so far, or from start to end.
    pub runtime: f64,
    /// What the launcher did, as in a run's payload; only where it refused something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxPayload>,
    /// The exit of each stage of a pipeline that is over, as in a run's payload.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Option<i32>>,
    /// When it was started: RFC 3339, UTC, to the second.
    pub started_at: String,
    /// Where it stands.
    pub state: JobState,
    /// Bytes that it has written to standard error, with those that are not kept.
    pub stderr_bytes: u64,
    /// Bytes that it has written to standard output, with those that are not kept.
    pub stdout_bytes: u64,
    /// Whether its time was over.
    pub timed_out: bool,
}

/// What a job has written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Output {
    /// Only where the text was made shorter. Without it, it is as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compressed: Option<CompressedPayload>,
    /// Where to go on reading; opaque.
    pub cursor: String,
    /// Whether the job is over and this was the rest.
    pub eof: bool,
    /// Its handle.
    pub job: String,
    /// What the launcher did, as in a run's payload.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxPayload>,
    /// Where it stands.
    pub state: JobState,
    /// Standard error since the cursor.
    pub stderr: String,
    /// Standard output since the cursor.
    pub stdout: String,
    /// What is missing in these, by stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<BTreeMap<&'static str, DroppedPayload>>,
}

/// A job was told to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Killed {
    /// Its handle.
    pub job: String,
    /// Whether this job was, or is being, killed. False where it had ended by itself.
    pub killed: bool,
    /// Where it stands at this moment; poll for the end.
    pub state: JobState,
}
