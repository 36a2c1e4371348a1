//! What a run has written so far, shared between the task that reads it and those who look on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::capture::{Buffer, Cap, Caps, Cursor, Dropped, Instalment, PositionError};
use crate::files::Diverted;

/// One of the two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Channel {
    Stdout,
    Stderr,
}

/// The captured output of one run.
///
/// One lock holds both buffers, so that a look at them is a look at one moment.
#[derive(Debug)]
pub(crate) struct Captured {
    buffers: Mutex<Buffers>,
    /// Where standard output went instead.
    diverted: Option<Arc<Diverted>>,
    news: Notify,
}

/// Both streams of a run.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) stdout: Buffer,
    pub(crate) stderr: Buffer,
}

/// What both streams wrote since a cursor.
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) stdout: Instalment,
    pub(crate) stderr: Instalment,
}

impl Window {
    /// Where to go on reading.
    pub(crate) fn next(&self) -> Cursor {
        Cursor { stdout: self.stdout.next, stderr: self.stderr.next }
    }
}

impl Captured {
    pub(crate) fn new(caps: Caps) -> Self {
        let buffers = Buffers { stdout: Buffer::new(caps), stderr: Buffer::new(caps) };
        Captured { buffers: Mutex::new(buffers), diverted: None, news: Notify::new() }
    }

    /// The same, with standard output in a file.
    pub(crate) fn diverted(mut self, diverted: Option<Arc<Diverted>>) -> Self {
        self.diverted = diverted;
        self
    }

    /// Where standard output goes instead.
    pub(crate) fn diversion(&self) -> Option<Arc<Diverted>> {
        self.diverted.clone()
    }

    /// A line of ours behind what was written to standard error.
    pub(crate) fn say(&self, line: &str) {
        let said = self.lock().stderr.bytes();
        if !said.is_empty() && !said.ends_with(b"\n") {
            self.push(Channel::Stderr, b"\n");
        }
        self.push(Channel::Stderr, format!("{line}\n").as_bytes());
    }

    /// How many bytes of standard output went into a file; `None` where there is none.
    pub(crate) fn in_file(&self) -> Option<u64> {
        self.diverted.as_ref().map(|diverted| diverted.written())
    }

    /// What a file did not take.
    pub(crate) fn dropped_by_file(&self) -> Option<Dropped> {
        self.diverted.as_ref()?.dropped()
    }

    /// How many bytes of standard output were written, kept or not, wherever they went.
    pub(crate) fn stdout_written(&self) -> u64 {
        let in_buffer = self.lock().stdout.written().bytes;
        let dropped = self.dropped_by_file().map_or(0, |dropped| dropped.bytes);
        in_buffer + self.in_file().unwrap_or(0) + dropped
    }

    /// What was captured elsewhere.
    #[cfg(feature = "cli")]
    pub(crate) fn of(stdout: Buffer, stderr: Buffer) -> Self {
        Captured {
            buffers: Mutex::new(Buffers { stdout, stderr }),
            diverted: None,
            news: Notify::new(),
        }
    }

    /// Both buffers, held still.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Buffers> {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, channel: Channel, bytes: &[u8]) {
        self.lock().of(channel).push(bytes);
        self.news.notify_waiters();
    }

    /// The cap that a stream exceeded, once it did.
    pub(crate) fn exceeded(&self, channel: Channel) -> Option<Cap> {
        self.lock().of(channel).exceeded()
    }

    /// Both streams have ended.
    pub(crate) fn finish(&self) {
        let mut buffers = self.lock();
        buffers.stdout.finish();
        buffers.stderr.finish();
        drop(buffers);
        self.news.notify_waiters();
    }

    /// What was written since `cursor`, as one moment.
    pub(crate) fn since(&self, cursor: Cursor) -> Result<Window, PositionError> {
        let buffers = self.lock();
        Ok(Window {
            stdout: buffers.stdout.read_from(cursor.stdout)?,
            stderr: buffers.stderr.read_from(cursor.stderr)?,
        })
    }

    /// Resolves at the next write, or at the end. Ask for it before looking, or a write between the
    /// look and the wait is missed.
    pub(crate) fn news(&self) -> tokio::sync::futures::Notified<'_> {
        self.news.notified()
    }
}

impl Buffers {
    fn of(&mut self, channel: Channel) -> &mut Buffer {
        match channel {
            Channel::Stdout => &mut self.stdout,
            Channel::Stderr => &mut self.stderr,
        }
    }
}
