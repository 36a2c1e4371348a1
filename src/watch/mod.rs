//! One task owns the children of a run, one for each stage: it reads what they write, waits for their
//! ends, and ends them when the time runs out or the caller has gone.
//!
//! The order at the end matters. The children's ends are told: the pipes are drained, the groups are
//! signalled while the zombies still hold their numbers, and only then are the statuses taken.

mod chunk;
mod end;
mod listening;
mod pipes;
mod refusals;
mod stage;
mod tap;

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use cofferdam_launcher::Launcher;
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use crate::capture::Cap;
use crate::captured::{Captured, Channel};
use crate::config::OnOutputLimit;
use crate::files::Drain;
use crate::spawn::Child;
use chunk::with_chunk;
use pipes::Reading;
use stage::{Happened, Stage};

pub(crate) use end::{End, StageEnd, Stop};
pub(crate) use pipes::{Input, Output, Pipes, feed};
#[cfg(feature = "cli")]
pub(crate) use refusals::Refusals;
pub(crate) use tap::{Tap, Told};

/// A background process that still holds a pipe is waited for so long after the command has ended.
pub(crate) const DRAIN: Duration = Duration::from_millis(250);
/// After a kill the status is waited for so long.
pub(crate) const STATUS: Duration = Duration::from_secs(2);
/// More than this no wrapper has to say.
pub(crate) const MOST_STATUS: usize = 64 * 1024;

/// Watches the children of a run to their end. Dropped before that, it kills their trees.
pub(crate) struct Watch<'a> {
    stages: Vec<Stage>,
    launcher: &'a dyn Launcher,
    stdout: Reading,
    stderr: Reading,
    /// Takes the output where it goes into a file; then there is no `stdout` to read.
    drain: Option<Drain>,
    input: Input,
    /// Until it has resolved.
    asked: Option<oneshot::Receiver<()>>,
    on_output_limit: OnOutputLimit,
    /// Fires at the deadline; after a kill, when the status is no longer waited for.
    timer: Pin<Box<Sleep>>,
    /// Whether the children were killed.
    is_ending: bool,
    captured: Arc<Captured>,
    /// While it holds something that nobody has taken, nothing is read.
    tap: Tap,
    end: End,
}

impl<'a> Watch<'a> {
    /// Takes over the children of a run that has begun, in the order of its stages.
    pub(crate) fn new(
        children: impl IntoIterator<Item = Child>,
        launcher: &'a dyn Launcher,
        pipes: Pipes,
        stop: Stop,
        captured: Arc<Captured>,
        tap: Tap,
    ) -> io::Result<Self> {
        let stages = children.into_iter().map(Stage::new).collect::<io::Result<Vec<_>>>()?;
        let (stdout, drain) = match pipes.stdout {
            Output::Pipe(pipe) => (Reading::new(pipe), None),
            Output::File(drain) => (Reading::none(), Some(drain)),
        };
        let far = Duration::from_secs(365 * 24 * 3600);
        let deadline = stop.deadline.unwrap_or_else(|| Instant::now() + far);
        Ok(Watch {
            stages,
            launcher,
            stdout,
            stderr: Reading::new(pipes.stderr),
            drain,
            input: pipes.input,
            asked: Some(stop.asked),
            on_output_limit: stop.on_output_limit,
            timer: Box::pin(sleep_until(deadline)),
            is_ending: false,
            captured,
            tap,
            end: End::default(),
        })
    }

    /// The whole life of the run from here. The buffers are not finished: a reason may follow.
    pub(crate) async fn finish(mut self) -> End {
        self.until_ended().await;
        self.drain().await;
        self.stages.iter().for_each(Stage::sweep);
        self.take_rest();
        if let Some(drain) = &mut self.drain {
            drain.take_rest().await;
        }
        self.end.stages = self.stages.iter_mut().map(Stage::reap).collect();
        for stage in &mut self.stages {
            stage.until_command_gone().await;
        }
        if let Input::File(feed) = &self.input {
            self.end.unread = feed.failure().map(str::to_owned);
        }
        self.end.drain = self.drain.take();
        std::mem::take(&mut self.end)
    }

    /// Reads and waits until all children have ended, or were killed and did not.
    async fn until_ended(&mut self) {
        while self.stages.iter().any(Stage::is_running) {
            tokio::select! {
                biased;
                (number, what) = stage::next(&mut self.stages) => self.handle(number, what),
                () = asked(&mut self.asked) => {
                    self.asked = None;
                    self.kill();
                }
                () = &mut self.timer => {
                    if self.is_ending {
                        return;
                    }
                    self.end.timed_out = true;
                    self.kill();
                }
                () = exceeded(&mut self.drain) => self.stop_at_file_limit(),
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
        while self.stdout.is_open()
            || self.stderr.is_open()
            || self.drain.as_ref().is_some_and(Drain::is_open)
            || self.stages.iter().any(Stage::may_say_more)
        {
            self.pour_out().await;
            let begin = Instant::now();
            let next = async {
                tokio::select! {
                    (number, what) = stage::next(&mut self.stages) => self.handle(number, what),
                    () = over(&mut self.drain) => {}
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
                with_chunk(|chunk| {
                    let bytes = reading.read(chunk);
                    if !bytes.is_empty() {
                        self.captured.push(channel, bytes);
                    }
                });
            }
        }
    }

    fn handle(&mut self, number: usize, what: Happened) {
        let stage = &mut self.stages[number];
        match what {
            Happened::Status => with_chunk(|chunk| stage.read_status(self.launcher, chunk)),
            Happened::Refused => stage.refuse(),
            Happened::Ended | Happened::Swept => {}
        }
        // One that ends before others may be a wrapper that has failed: then they run in vain.
        if stage.can_be_judged()
            && !self.is_ending
            && self.stages.iter().any(Stage::is_running)
            && self.stages[number].has_failed(self.launcher, &self.captured.lock().stderr.bytes())
        {
            self.end.failed = Some(number);
            self.kill_all();
        }
    }

    /// Ends the run because somebody wants it.
    fn kill(&mut self) {
        self.end.killed = true;
        self.kill_all();
    }

    fn kill_all(&mut self) {
        stage::kill(&self.stages);
        self.is_ending = true;
        self.timer.as_mut().reset(Instant::now() + STATUS);
    }

    /// Ends a run that writes more than is kept, where that was asked for. What it has written until
    /// then stays.
    fn stop_at_limit(&mut self, channel: Channel) {
        if self.on_output_limit == OnOutputLimit::Kill && !self.is_ending {
            self.end.limit = self.captured.exceeded(channel);
            if self.end.limit.is_some() {
                self.kill();
            }
        }
    }

    /// The same for the file that takes the output.
    fn stop_at_file_limit(&mut self) {
        if self.on_output_limit == OnOutputLimit::Kill && !self.is_ending {
            self.end.limit = Some(Cap::FileBytes);
            self.kill();
        }
    }

    fn read(&mut self, channel: Channel) {
        let reading = match channel {
            Channel::Stdout => &mut self.stdout,
            Channel::Stderr => &mut self.stderr,
        };
        with_chunk(|chunk| {
            let bytes = reading.read(chunk);
            if !bytes.is_empty() {
                self.captured.push(channel, bytes);
                self.tap.hold(channel, bytes);
            }
        });
    }
}

/// Nobody waits for the run any more.
impl Drop for Watch<'_> {
    fn drop(&mut self) {
        stage::kill(&self.stages);
    }
}

/// Waits until the file that takes the output is as large as it may be.
async fn exceeded(drain: &mut Option<Drain>) {
    match drain {
        Some(drain) => drain.exceeded().await,
        None => std::future::pending().await,
    }
}

/// Waits until nothing more goes into the file. Once that is so, waits for ever.
async fn over(drain: &mut Option<Drain>) {
    match drain {
        Some(drain) if drain.is_open() => drain.over().await,
        _ => std::future::pending().await,
    }
}

/// Waits until the end is asked for. Once it was, waits for ever.
async fn asked(asked: &mut Option<oneshot::Receiver<()>>) {
    match asked {
        Some(asked) => drop(asked.await),
        None => std::future::pending().await,
    }
}
