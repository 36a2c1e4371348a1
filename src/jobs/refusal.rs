//! The caller's mistakes with jobs.

use std::time::Duration;

use crate::Refusal;
use crate::capture::{CursorError, PositionError};

/// A question about a job that has no answer, or a start that is refused: nothing was run or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobRefusal {
    /// The command itself is refused.
    #[error(transparent)]
    Command(#[from] Refusal),
    /// As many run as may.
    #[error(
        "{most} jobs are running, which is the most at once: {}; wait for one or kill one",
        first(running)
    )]
    TooMany {
        /// How many may run at once.
        most: usize,
        /// Those that run: handle and command.
        running: Vec<String>,
    },
    /// The text is no handle.
    #[error("`job`: `{}` is not a job handle; pass one back exactly as `start` gave it", handle.escape_debug())]
    Malformed {
        /// The text, cut to 100 characters.
        handle: String,
    },
    /// The handle is from another life of the server.
    #[error(
        "job `{handle}` belongs to an earlier life of this server, or to another tool; jobs die with \
         their server, so start a new one"
    )]
    Foreign {
        /// The handle.
        handle: String,
    },
    /// No such job was started yet.
    #[error("there is no job `{handle}`")]
    Unknown {
        /// The handle.
        handle: String,
    },
    /// The job was there and is not kept any more.
    #[error(
        "job `{handle}` is gone: a finished job is kept for {} s, and only the {most} newest are; \
         start a new one",
        ttl.as_secs_f64()
    )]
    Gone {
        /// The handle.
        handle: String,
        /// How long finished jobs are kept.
        ttl: Duration,
        /// How many are kept.
        most: usize,
    },
    /// The cursor is not one that this job gave out.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// The cursor points nowhere.
    #[error("`cursor` is not one that this job gave out: {0}")]
    Position(#[from] PositionError),
}

/// So many of them that one can choose, as a text that can be read.
fn first(running: &[String]) -> String {
    const MOST: usize = 20;
    match running.len().checked_sub(MOST) {
        None | Some(0) => running.join(", "),
        Some(others) => format!("{} and {others} others", running[..MOST].join(", ")),
    }
}

impl JobRefusal {
    /// A text that is no handle. Only its beginning is kept: it may be of any length.
    pub(super) fn malformed(text: &str) -> Self {
        const ENOUGH: usize = 100;
        JobRefusal::Malformed { handle: text.chars().take(ENOUGH).collect() }
    }
}
