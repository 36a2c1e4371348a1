//! The pipe on which a wrapper tells how it fared.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, ioctl_fionbio, read};

use crate::watch::MOST_STATUS;

/// The reading end, and what has come so far.
#[derive(Debug, Default)]
pub(super) struct StatusPipe {
    /// `None` where there is no such pipe, and once it was closed.
    pipe: Option<OwnedFd>,
    bytes: Vec<u8>,
}

impl StatusPipe {
    pub(super) fn new(pipe: Option<OwnedFd>) -> io::Result<Self> {
        if let Some(pipe) = &pipe {
            ioctl_fionbio(pipe, true)?;
        }
        Ok(StatusPipe { pipe, bytes: Vec::new() })
    }

    /// What to poll.
    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(|pipe| pipe.as_fd())
    }

    /// Whether more may come.
    pub(super) fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    /// Reads once, without waiting. What is too much is dropped.
    pub(super) fn read(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        let mut chunk = [0; 4096];
        match read(pipe, &mut chunk) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(0) | Err(_) => self.pipe = None,
            Ok(count) => {
                let room = MOST_STATUS.saturating_sub(self.bytes.len());
                self.bytes.extend_from_slice(&chunk[..count.min(room)]);
            }
        }
    }

    /// What has come so far.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
