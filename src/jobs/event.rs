//! What happens to jobs, for hosts that want to act on it.

use std::sync::Arc;
use std::time::Duration;

/// Something happened to a job. Each job has exactly one [`Happening::Ended`], and exactly one
/// [`Happening::Started`] before it unless it could not be started.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JobEvent {
    /// The job's handle.
    pub job: Arc<str>,
    /// The program that was asked for, or those of a pipeline with ` | ` between them, cut to 120
    /// characters. Never its arguments, and never a byte
    /// that it wrote: a host may turn an event into text that somebody trusts.
    pub command: Arc<str>,
    /// How long the job has run.
    pub runtime: Duration,
    /// What happened.
    pub what: Happening,
}

/// What happened to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Happening {
    /// It runs.
    Started,
    /// It ended.
    Ended {
        /// Whether it was killed, by a call or because its time was over.
        killed: bool,
        /// The number of [`Exit::number`](crate::Exit::number); none where the status never came.
        exit: Option<i32>,
    },
}
