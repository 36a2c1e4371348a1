//! A run in progress, as its host sees it.

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::Outcome;
use crate::captured::Channel;
use crate::outcome::Reason;
use crate::runner::Run;
use crate::watch::Told;

/// Something that happened in a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event {
    /// The command wrote this to its standard output.
    Stdout(Bytes),
    /// The command wrote this to its standard error.
    Stderr(Bytes),
    /// The run is over. The last event.
    Ended(Box<Outcome>),
}

/// A run in progress. Dropping it ends the command and its tree.
///
/// ```
/// # async fn example(dir: &std::path::Path) -> Result<(), Box<dyn std::error::Error>> {
/// use cofferdam::{Event, Request, Runner};
///
/// let runner = Runner::builder().allow_any().workspace(dir).build()?;
/// let mut live = runner.spawn(Request::new("cat").stdin("hello")).await?;
/// let mut text = Vec::new();
/// while let Some(event) = live.next_event().await {
///     match event {
///         Event::Stdout(bytes) => text.extend_from_slice(&bytes),
///         Event::Ended(outcome) => assert_eq!(outcome.exit.number(), Some(0)),
///         _ => {}
///     }
/// }
/// assert_eq!(text, b"hello");
/// # Ok(())
/// # }
/// # let dir = std::env::temp_dir();
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
/// #     .block_on(example(&dir)).unwrap();
/// ```
#[derive(Debug)]
pub struct Live {
    output: mpsc::Receiver<Told>,
    end: End,
    stop: Option<oneshot::Sender<()>>,
}

#[derive(Debug)]
enum End {
    Watched(JoinHandle<Outcome>),
    Over(Option<Box<Outcome>>),
}

impl Live {
    pub(crate) fn new(run: Run, output: mpsc::Receiver<Told>) -> Self {
        match run {
            Run::Over(outcome) => Live { output, end: End::Over(Some(outcome)), stop: None },
            Run::Watched { task, stop, .. } => {
                Live { output, end: End::Watched(task), stop: Some(stop) }
            }
        }
    }

    /// The next event, in order for each stream; `None` after [`Event::Ended`]. May be dropped and
    /// called again.
    pub async fn next_event(&mut self) -> Option<Event> {
        if let Some(Told { channel, bytes }) = self.output.recv().await {
            return Some(match channel {
                Channel::Stdout => Event::Stdout(bytes),
                Channel::Stderr => Event::Stderr(bytes),
            });
        }
        if let End::Watched(task) = &mut self.end {
            let outcome = task.await;
            let outcome = outcome.unwrap_or_else(|_| Outcome::not_started(Reason::Stopped));
            self.end = End::Over(Some(Box::new(outcome)));
        }
        match &mut self.end {
            End::Over(outcome) => outcome.take().map(Event::Ended),
            End::Watched(_) => None,
        }
    }

    /// Kills the command and its tree. [`Event::Ended`] still follows. Doing it again changes
    /// nothing.
    pub fn kill(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The task may have ended already.
            let _ = stop.send(());
        }
    }
}
