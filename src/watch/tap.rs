//! Who listens to a run while it goes on. A slow listener slows the command down, as a full pipe
//! does, and fills no memory.

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::captured::Channel;

/// Some bytes that the command wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) channel: Channel,
    pub(crate) bytes: Bytes,
}

/// The way to a listener, with at most one output that it has not taken yet.
#[derive(Debug)]
pub(crate) struct Tap {
    to: Option<mpsc::Sender<Told>>,
    held: Option<Told>,
}

impl Tap {
    /// Nobody listens.
    pub(crate) fn closed() -> Self {
        Tap { to: None, held: None }
    }

    pub(crate) fn open(to: mpsc::Sender<Told>) -> Self {
        Tap { to: Some(to), held: None }
    }

    /// Whether something waits for the listener.
    pub(super) fn is_full(&self) -> bool {
        self.held.is_some()
    }

    /// Takes what was just read, where somebody listens.
    pub(super) fn hold(&mut self, channel: Channel, bytes: &[u8]) {
        if self.to.is_some() {
            self.held = Some(Told { channel, bytes: Bytes::copy_from_slice(bytes) });
            self.pour();
        }
    }

    /// Waits until the listener may take something, or has gone.
    pub(super) async fn room(&self) {
        if let Some(to) = &self.to {
            drop(to.reserve().await);
        }
    }

    /// Gives the listener what waits, if it takes it. One that has gone gets nothing any more.
    pub(super) fn pour(&mut self) {
        let (Some(to), Some(output)) = (&self.to, self.held.take()) else { return };
        match to.try_send(output) {
            Ok(()) => {}
            Err(mpsc::error::TrySendError::Full(output)) => self.held = Some(output),
            Err(mpsc::error::TrySendError::Closed(_)) => self.to = None,
        }
    }
}
