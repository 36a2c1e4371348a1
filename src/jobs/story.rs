//! One job, for the one who tells a client about it.

use std::sync::Arc;

use tokio::sync::watch;

use super::event::JobEvent;
use crate::captured::Captured;

/// What there is to tell of a job. It keeps what the job writes, and not the job.
#[derive(Debug)]
#[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "only the server tells"))]
pub(crate) struct Story {
    /// What had happened when the start was answered: it runs, or it could not be started.
    pub(crate) first: JobEvent,
    /// What it writes.
    pub(crate) captured: Arc<Captured>,
    pub(super) over: watch::Receiver<Option<JobEvent>>,
}

#[cfg(feature = "mcp")]
impl Story {
    /// Waits for the end and tells it. `None` when the table was dropped first.
    pub(crate) async fn ended(&mut self) -> Option<JobEvent> {
        let over = self.over.wait_for(Option::is_some).await.ok()?;
        over.clone()
    }
}
