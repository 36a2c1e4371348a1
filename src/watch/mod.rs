//! One task owns one child: it reads what the child writes, waits for its end, and ends it when the
//! time runs out or the caller has gone.
//!
//! The order at the end matters. The child's end is told: the pipes are drained, the group is
//! signalled while the zombie still holds its number, and only then is the status taken.

mod pipes;
mod tap;

use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use cofferdam_launcher::Launcher;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe::Receiver;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use crate::capture::Cap;
use crate::captured::{Captured, Channel};
use crate::config::OnOutputLimit;
use crate::spawn::{Child, Ended, in_reactor};
use pipes::{Reading, feed};

pub(crate) use pipes::Pipes;
pub(crate) use tap::{Output, Tap};

/// A background process that still holds a pipe is waited for so long after the command has ended.
pub(crate) const DRAIN: Duration = Duration::from_millis(250);
/// After a kill the status is waited for so long.
pub(crate) const STATUS: Duration = Duration::from_secs(2);
/// One read takes as much as a pipe holds by default (`pipe(7)`).
const CHUNK: usize = 64 * 1024;
/// More than this no wrapper has to say.
pub(crate) const MOST_STATUS: usize = 64 * 1024;

/// When to stop a run.
#[derive(Debug)]
pub(crate) struct Stop {
    pub(crate) deadline: Option<Instant>,
    /// Resolves when the caller asks for the end, or has gone.
    pub(crate) asked: oneshot::Receiver<()>,
    /// Whether it stops as soon as a stream exceeds a cap.
    pub(crate) on_output_limit: OnOutputLimit,
}

/// How the child ended.
#[derive(Debug, Default)]
pub(crate) struct End {
    /// `None`: it was killed and no status came, or the host has taken it.
    pub(crate) ended: Option<Ended>,
    pub(crate) timed_out: bool,
    pub(crate) killed: bool,
    /// The cap for whose sake it was killed.
    pub(crate) limit: Option<Cap>,
    /// What the wrapper wrote to its status pipe.
    pub(crate) status: Vec<u8>,
}

/// Watches one child to its end. Dropped before that, it kills the tree.
pub(crate) struct Watch<'a> {
    child: Child,
    launcher: &'a dyn Launcher,
    exit: AsyncFd<OwnedFd>,
    stdout: Reading,
    stderr: Reading,
    status: Reading,
    feeding: Option<JoinHandle<()>>,
    /// Until it has resolved.
    asked: Option<oneshot::Receiver<()>>,
    on_output_limit: OnOutputLimit,
    /// Fires at the deadline; after a kill, when the status is no longer waited for.
    timer: Pin<Box<Sleep>>,
    captured: Arc<Captured>,
    /// While it holds something that nobody has taken, nothing is read.
    tap: Tap,
    chunk: Box<[u8]>,
    end: End,
}

impl<'a> Watch<'a> {
    /// Takes over a child that has begun.
    pub(crate) fn new(
        mut child: Child,
        launcher: &'a dyn Launcher,
        pipes: Pipes,
        stop: Stop,
        captured: Arc<Captured>,
        tap: Tap,
    ) -> io::Result<Self> {
        let exit = in_reactor(child.exit().try_clone_to_owned()?)?;
        let status = child.take_status().map(Receiver::from_owned_fd).transpose()?;
        let feeding = pipes.stdin.map(|(pipe, bytes)| feed(pipe, bytes));
        let far = Duration::from_secs(365 * 24 * 3600);
        let deadline = stop.deadline.unwrap_or_else(|| Instant::now() + far);
        Ok(Watch {
            child,
            launcher,
            exit,
            stdout: Reading::new(pipes.stdout),
            stderr: Reading::new(pipes.stderr),
            status: status.map_or_else(Reading::none, Reading::new),
            feeding,
            asked: Some(stop.asked),
            on_output_limit: stop.on_output_limit,
            timer: Box::pin(sleep_until(deadline)),
            captured,
            tap,
            chunk: vec![0; CHUNK].into_boxed_slice(),
            end: End::default(),
        })
    }

    /// The whole life of the run from here. The buffers are not finished: a reason may follow.
    pub(crate) async fn finish(mut self) -> End {
        let ended = self.until_ended().await;
        self.drain().await;
        self.child.sweep();
        self.take_rest();
        if ended {
            self.end.ended = self.child.reap();
        }
        self.until_command_gone().await;
        if let Some(feeding) = &self.feeding {
            feeding.abort();
        }
        self.end
    }

    /// Reads and waits until the child has ended. False when it was killed and did not.
    async fn until_ended(&mut self) -> bool {
        loop {
            tokio::select! {
                biased;
                ready = self.exit.readable() => {
                    drop(ready);
                    return true;
                }
                () = asked(&mut self.asked) => {
                    self.asked = None;
                    self.kill();
                }
                () = &mut self.timer => {
                    if self.end.killed {
                        return false;
                    }
                    self.end.timed_out = true;
                    self.kill();
                }
                () = self.status.ready() => self.read_status(),
                () = self.tap.room(), if self.tap.is_full() => self.tap.pour(),
                () = self.stdout.ready(), if !self.tap.is_full() => {
                    self.read(Channel::Stdout);
                    self.stop_at_limit(Channel::Stdout);
                }
                () = self.stderr.ready(), if !self.tap.is_full() => {
                    self.read(Channel::Stderr);
                    self.stop_at_limit(Channel::Stderr);
                }
            }
        }
    }

    /// Reads what the pipes still hold, until nobody can write to them any more or the time for that
    /// is over. Waiting for a slow listener does not count: what it has not taken is not lost.
    async fn drain(&mut self) {
        let mut left = DRAIN;
        while self.stdout.is_open() || self.stderr.is_open() || self.status.is_open() {
            self.pour_out().await;
            let begin = Instant::now();
            let next = async {
                tokio::select! {
                    () = self.status.ready() => self.read_status(),
                    () = self.stdout.ready() => self.read(Channel::Stdout),
                    () = self.stderr.ready() => self.read(Channel::Stderr),
                }
            };
            if timeout(left, next).await.is_err() {
                break;
            }
            left = left.saturating_sub(begin.elapsed());
        }
        self.pour_out().await;
    }

    /// Waits until the listener has taken what is held for it, or has gone.
    async fn pour_out(&mut self) {
        while self.tap.is_full() {
            tokio::select! {
                () = self.tap.room() => self.tap.pour(),
                () = asked(&mut self.asked) => {
                    self.asked = None;
                    self.tap = Tap::closed();
                }
            }
        }
    }

    /// Takes what was written before the group was killed, without waiting.
    fn take_rest(&mut self) {
        // A pipe holds one chunk by default. Whoever left the group may go on writing for ever.
        const MOST_READS: usize = 16;
        for _ in 0..MOST_READS {
            for (channel, reading) in
                [(Channel::Stdout, &mut self.stdout), (Channel::Stderr, &mut self.stderr)]
            {
                let bytes = reading.read(&mut self.chunk);
                if !bytes.is_empty() {
                    self.captured.push(channel, bytes);
                }
            }
        }
    }

    /// A command behind a wrapper dies with it, a moment later. Only then is the run over.
    async fn until_command_gone(&mut self) {
        self.child.kill_command();
        let Some(command) = self.child.take_command() else { return };
        if let Ok(command) = in_reactor(command) {
            let _ = timeout(STATUS, command.readable()).await;
        }
    }

    fn kill(&mut self) {
        self.child.kill();
        self.end.killed = true;
        self.timer.as_mut().reset(Instant::now() + STATUS);
    }

    /// Ends a run that writes more than is kept, where that was asked for. What it has written until
    /// then stays.
    fn stop_at_limit(&mut self, channel: Channel) {
        if self.on_output_limit == OnOutputLimit::Kill && !self.end.killed {
            self.end.limit = self.captured.exceeded(channel);
            if self.end.limit.is_some() {
                self.kill();
            }
        }
    }

    fn read(&mut self, channel: Channel) {
        let reading = match channel {
            Channel::Stdout => &mut self.stdout,
            Channel::Stderr => &mut self.stderr,
        };
        let bytes = reading.read(&mut self.chunk);
        if !bytes.is_empty() {
            self.captured.push(channel, bytes);
            self.tap.hold(channel, bytes);
        }
    }

    fn read_status(&mut self) {
        let bytes = self.status.read(&mut self.chunk);
        let room = MOST_STATUS - self.end.status.len();
        self.end.status.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if !self.child.knows_command()
            && let Some(pid) = self.launcher.command_pid(&self.end.status)
        {
            self.child.set_command(pid);
        }
    }
}

/// Waits until the end is asked for. Once it was, waits for ever.
async fn asked(asked: &mut Option<oneshot::Receiver<()>>) {
    match asked {
        Some(asked) => drop(asked.await),
        None => std::future::pending().await,
    }
}
