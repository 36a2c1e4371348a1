//! One stage of a run: a child, the descriptor that tells of its end, and what its wrapper says.

use std::future::poll_fn;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::task::{Context, Poll};

use cofferdam_launcher::{Launcher, WrapperEnd};
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Sleep, sleep, timeout};

use super::listening::Listening;
use super::pipes::Reading;
use super::refusals::Refusals;
use super::{DRAIN, MOST_STATUS, STATUS, StageEnd};
use crate::spawn::{Child, in_reactor};

/// A child that is being watched.
pub(super) struct Stage {
    child: Child,
    exit: AsyncFd<OwnedFd>,
    status: Reading,
    listening: Option<Listening>,
    /// What the wrapper wrote to its status pipe.
    said: Vec<u8>,
    life: Life,
    /// Whether it was asked already who has ended.
    judged: bool,
}

enum Life {
    Running,
    /// The child has ended. What it has left in its group may go on for a moment.
    Ended(Pin<Box<Sleep>>),
    /// Nothing is left of its group.
    Swept,
}

/// What happened to a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Happened {
    /// The child has ended.
    Ended,
    /// The wrapper has written something.
    Status,
    /// The filter has refused something, or is about to tell.
    Refused,
    /// What the child had left in its group was killed.
    Swept,
}

impl Stage {
    /// Takes over a child that has begun.
    pub(super) fn new(mut child: Child) -> io::Result<Self> {
        let exit = in_reactor(child.exit().try_clone_to_owned()?)?;
        let status = child.take_status().map(Receiver::from_owned_fd).transpose()?;
        let status = status.map_or_else(Reading::none, Reading::new);
        let listening = child.take_refusals().map(Refusals::new).map(Listening::new);
        let (said, life) = (Vec::new(), Life::Running);
        Ok(Stage { child, exit, status, listening, said, life, judged: false })
    }

    pub(super) fn is_running(&self) -> bool {
        matches!(self.life, Life::Running)
    }

    /// Whether the wrapper may write more.
    pub(super) fn may_say_more(&self) -> bool {
        self.status.is_open()
    }

    /// Kills what the child has left in its group.
    pub(super) fn sweep(&self) {
        self.child.sweep();
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Happened> {
        match &mut self.life {
            Life::Running => {
                if self.exit.poll_read_ready(context).is_ready() {
                    self.life = Life::Ended(Box::pin(sleep(DRAIN)));
                    return Poll::Ready(Happened::Ended);
                }
            }
            // It may hold the pipe to the next stage, which would wait for its end.
            Life::Ended(lingering) => {
                if lingering.as_mut().poll(context).is_ready() {
                    self.child.sweep();
                    self.life = Life::Swept;
                    return Poll::Ready(Happened::Swept);
                }
            }
            Life::Swept => {}
        }
        if let Some(listening) = &self.listening
            && listening.poll_ready(context).is_ready()
        {
            return Poll::Ready(Happened::Refused);
        }
        self.status.poll_ready(context).map(|()| Happened::Status)
    }

    /// Reads what the wrapper has written, without waiting.
    pub(super) fn read_status(&mut self, launcher: &dyn Launcher, chunk: &mut [u8]) {
        let bytes = self.status.read(chunk);
        let room = MOST_STATUS - self.said.len();
        self.said.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if !self.child.knows_command()
            && let Some(pid) = launcher.command_pid(&self.said)
        {
            self.child.set_command(pid);
        }
    }

    /// Answers the calls that the filter has passed on, without waiting.
    pub(super) fn refuse(&mut self) {
        self.listening.iter_mut().for_each(Listening::serve);
    }

    /// Whether the child has ended and its wrapper has said all that it ever will. True once.
    pub(super) fn can_be_judged(&mut self) -> bool {
        let has_said_all = match self.life {
            Life::Running => false,
            Life::Ended(_) => !self.status.is_open(),
            Life::Swept => true,
        };
        has_said_all && !std::mem::replace(&mut self.judged, true)
    }

    /// Whether it was the wrapper that ended, and not the command. The child has ended, and its status
    /// stays to be taken.
    pub(super) fn has_failed(&self, launcher: &dyn Launcher, stderr: &[u8]) -> bool {
        self.child.look().is_some_and(|ended| {
            launcher.blame(&WrapperEnd { ended, status: &self.said, stderr }).is_some()
        })
    }

    /// Takes the status of a child that has ended.
    pub(super) fn reap(&mut self) -> StageEnd {
        let ended = if self.is_running() { None } else { self.child.reap() };
        let refused = self.listening.take().map(Listening::into_told).unwrap_or_default();
        StageEnd { ended, status: std::mem::take(&mut self.said), refused }
    }

    /// A command behind a wrapper dies with it, a moment later. Only then is the run over.
    pub(super) async fn until_command_gone(&mut self) {
        self.child.kill_command();
        let Some(command) = self.child.take_command() else { return };
        if let Ok(command) = in_reactor(command) {
            let _ = timeout(STATUS, command.readable()).await;
        }
    }
}

/// Ends all stages. They are held first: the next one would take the death of the one before it for the
/// end of its input, and finish its work with half of it.
pub(super) fn kill(stages: &[Stage]) {
    if stages.len() > 1 {
        stages.iter().for_each(|stage| stage.child.hold());
    }
    stages.iter().for_each(|stage| stage.child.kill());
}

/// What happens next, and in which stage. May be dropped and called again.
pub(super) async fn next(stages: &mut [Stage]) -> (usize, Happened) {
    poll_fn(|context| {
        for (number, stage) in stages.iter_mut().enumerate() {
            if let Poll::Ready(what) = stage.poll(context) {
                return Poll::Ready((number, what));
            }
        }
        Poll::Pending
    })
    .await
}
