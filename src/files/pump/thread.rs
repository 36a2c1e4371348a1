//! A thread that can be told to stop, and waits for a pipe until then.

use std::io;
use std::os::fd::OwnedFd;
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::spawn::block_signals;

/// Tells a thread to stop when it is dropped: a pipe whose other end it looks at.
#[derive(Debug)]
pub(super) struct Stop {
    _held: io::PipeWriter,
}

/// The thread's end.
#[derive(Debug)]
pub(super) struct Stopping(io::PipeReader);

pub(super) fn stop() -> io::Result<(Stop, Stopping)> {
    let (read, write) = io::pipe()?;
    Ok((Stop { _held: write }, Stopping(read)))
}

impl Stopping {
    /// Waits until the pipe can be used. False when the thread is to stop.
    pub(super) fn until_ready(&self, pipe: &OwnedFd, flags: PollFlags) -> bool {
        loop {
            let mut both = [PollFd::new(pipe, flags), PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut both, None) {
                Ok(_) => return both[1].revents().is_empty(),
                Err(Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }
}

/// Starts a thread. No signal is handled on it: not the host's, and not the one of a pipe that nobody
/// reads any more.
pub(super) fn start(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    const STACK: usize = 64 * 1024;
    let builder = thread::Builder::new().name("cofferdam-file".to_owned()).stack_size(STACK);
    builder.spawn(move || {
        block_signals();
        work();
    })?;
    Ok(())
}
