//! When a run is stopped, and how it ended.

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::capture::Cap;
use crate::cgroup::Exceeded;
use crate::config::OnOutputLimit;
use crate::evidence::RefusedCalls;
use crate::files::Drain;
use crate::spawn::Ended;

/// When to stop a run.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) deadline: Option<Instant>,
    /// Resolves when the caller asks for the end, or has gone.
    pub(crate) asked: oneshot::Receiver<()>,
    /// Whether it stops as soon as a stream exceeds a cap.
    pub(crate) on_output_limit: OnOutputLimit,
}

/// How the children ended.
#[derive(Debug, Default)]
pub(crate) struct End {
    /// Each stage, in their order.
    pub(crate) stages: Vec<StageEnd>,
    pub(crate) timed_out: bool,
    pub(crate) killed: bool,
    /// The cap for whose sake they were killed.
    pub(crate) limit: Option<Cap>,
    /// Which limits of its cgroup the run has reached.
    pub(crate) exceeded: Exceeded,
    /// The stage whose wrapper has failed, for which the others were killed.
    pub(crate) failed: Option<usize>,
    /// The file that took the output, to be told whether a command ran.
    pub(crate) drain: Option<Drain>,
    /// What went wrong with the file that was the input.
    pub(crate) unread: Option<String>,
}

/// How one child ended.
#[derive(Debug, Default)]
pub(crate) struct StageEnd {
    /// `None`: it was killed and no status came, or the host has taken it.
    pub(crate) ended: Option<Ended>,
    /// What the wrapper wrote to its status pipe.
    pub(crate) status: Vec<u8>,
    /// What its filter has refused.
    pub(crate) refused: RefusedCalls,
}
