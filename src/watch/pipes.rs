//! The host's ends of the child's pipes.

use std::future::pending;
use std::io;
use std::task::{Context, Poll};

use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::task::JoinHandle;

use crate::files::{Drain, Feed};

/// The host's ends of the child's pipes.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) input: Input,
    pub(crate) stdout: Output,
    pub(crate) stderr: Receiver,
}

/// Who writes the command's standard input. Dropped, it writes no more.
#[derive(Debug)]
pub(crate) enum Input {
    None,
    Bytes(#[expect(dead_code, reason = "it is held to the end of the run")] Feeding),
    File(Feed),
}

/// Who reads the command's standard output.
#[derive(Debug)]
pub(crate) enum Output {
    Pipe(Receiver),
    File(Drain),
}

/// A task that writes. Dropped, it ends.
#[derive(Debug)]
pub(crate) struct Feeding(JoinHandle<()>);

impl Drop for Feeding {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A pipe that is being read, until it is closed.
pub(super) struct Reading(Option<Receiver>);

impl Reading {
    pub(super) fn new(pipe: Receiver) -> Self {
        Reading(Some(pipe))
    }

    /// No pipe, as one that is closed.
    pub(super) fn none() -> Self {
        Reading(None)
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Waits until there is something to read, or the end. Once that was read, waits for ever.
    pub(super) async fn ready(&self) {
        match &self.0 {
            Some(pipe) => drop(pipe.readable().await),
            None => pending().await,
        }
    }

    /// [`Reading::ready`], for one who waits for several.
    pub(super) fn poll_ready(&self, context: &mut Context<'_>) -> Poll<()> {
        match &self.0 {
            Some(pipe) => pipe.poll_read_ready(context).map(drop),
            None => Poll::Pending,
        }
    }

    /// Reads without waiting. Nothing comes when there is nothing now, and at the end.
    pub(super) fn read<'a>(&mut self, chunk: &'a mut [u8]) -> &'a [u8] {
        let count = match self.0.as_ref().map(|pipe| pipe.try_read(chunk)) {
            Some(Ok(count)) if count > 0 => count,
            Some(Err(error)) if error.kind() == io::ErrorKind::WouldBlock => 0,
            _ => {
                self.0 = None;
                0
            }
        };
        &chunk[..count]
    }
}

/// Writes the standard input and closes it, apart from the run: a command that never reads must not
/// hold up anything, and one that ends before it has read everything is no error. When the last
/// reader is gone the write fails, and the task ends.
pub(crate) fn feed(pipe: Sender, bytes: Vec<u8>) -> Feeding {
    Feeding(tokio::spawn(async move {
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match pipe.writable().await.and_then(|()| pipe.try_write(rest)) {
                Ok(count) => rest = &rest[count..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return,
            }
        }
    }))
}
