//! Waits for the command's end, and carries, forwards and counts meanwhile, on a single thread.
//!
//! The order at the end is that of the library's own watcher: the child's end is told, the
//! outputs are read, the group is signalled while the zombie still holds its number, and only then is
//! the status taken.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cofferdam_launcher::Launcher;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::Signal;

use super::connection::Connection;
use super::events::{Event, Sources, timespec};
use super::signals::{Asked, Signals};
use super::status::StatusPipe;
use super::terminal::Terminal;
use crate::captured::Captured;
use crate::cgroup::Exceeded;
use crate::spawn::Child;
use crate::watch::{DRAIN, End, Refusals, STATUS, StageEnd};

/// How often to look whether a terminal that is somebody else's now has become ours: nothing tells.
const LOOK: Duration = Duration::from_millis(250);

/// Watches one command.
pub(super) struct Watch<'a> {
    child: Child,
    launcher: &'a dyn Launcher,
    signals: Signals,
    connection: Connection,
    status: StatusPipe,
    refusals: Option<Refusals>,
    /// When the time is up; after a kill, when the end is no longer waited for.
    deadline: Option<Instant>,
    /// The child has ended, or is not waited for any more.
    over: bool,
    timed_out: bool,
    killed: bool,
    ended_by: Option<i32>,
    passed_on: Option<i32>,
}

/// How a watch ended.
pub(super) struct Watched {
    pub(super) end: End,
    /// What a pipe carried, where the streams were captured.
    pub(super) captured: Arc<Captured>,
    /// The signal that ended cofferdam itself.
    pub(super) ended_by: Option<i32>,
    /// The last signal that was passed on.
    pub(super) passed_on: Option<i32>,
}

impl<'a> Watch<'a> {
    /// Takes over a child that has begun.
    pub(super) fn new(
        mut child: Child,
        launcher: &'a dyn Launcher,
        signals: Signals,
        connection: Connection,
        deadline: Option<Instant>,
    ) -> io::Result<Self> {
        let status = StatusPipe::new(child.take_status())?;
        let refusals = child.take_refusals().map(Refusals::new);
        Ok(Watch {
            child,
            launcher,
            signals,
            connection,
            status,
            refusals,
            deadline,
            over: false,
            timed_out: false,
            killed: false,
            ended_by: None,
            passed_on: None,
        })
    }

    /// The whole life of the run from here. Afterwards the person's terminal is as it was.
    pub(super) fn finish(mut self) -> Watched {
        let ended = self.until_ended();
        self.over = true;
        self.connection.input = None;
        self.until_closed();
        self.child.sweep();
        self.take_rest();
        self.connection.terminal = None;
        let ended = if ended { self.child.reap() } else { None };
        self.until_command_gone();
        let [stdout, stderr] = self.connection.into_captures();
        Watched {
            end: End {
                stages: vec![StageEnd {
                    ended,
                    status: self.status.into_bytes(),
                    refused: self.refusals.map(Refusals::into_told).unwrap_or_default(),
                }],
                timed_out: self.timed_out,
                killed: self.killed,
                limit: None,
                exceeded: Exceeded::default(),
                failed: None,
                drain: None,
                unread: None,
            },
            captured: Arc::new(Captured::of(stdout, stderr)),
            ended_by: self.ended_by,
            passed_on: self.passed_on,
        }
    }

    /// Waits until the child has ended. False when it was killed and did not.
    fn until_ended(&mut self) -> bool {
        loop {
            let events = self.wait(self.deadline);
            if events.contains(&Event::Ended) {
                return true;
            }
            events.into_iter().for_each(|event| self.handle(event));
            if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                if self.killed {
                    return false;
                }
                self.timed_out = true;
                self.kill();
            }
        }
    }

    /// Carries what the outputs still hold, until nobody can write to them any more. Whoever still
    /// holds one in the background is not waited for.
    fn until_closed(&mut self) {
        let limit = Instant::now() + DRAIN;
        while (self.connection.is_open() || self.status.is_open()) && Instant::now() < limit {
            self.wait(Some(limit)).into_iter().for_each(|event| self.handle(event));
        }
    }

    /// Carries what is left without waiting for more of it, but as slowly as the reader takes it. A
    /// person who has had enough sends a signal.
    fn take_rest(&mut self) {
        /// Pipes and terminals hold less. Whoever left the group may go on writing for ever.
        const MOST_READS: usize = 256;
        let mut reads = MOST_READS;
        loop {
            self.connection.read_rest(&mut reads);
            if !self.connection.is_open() {
                return;
            }
            for event in self.wait(None) {
                match event {
                    Event::Signal if self.is_enough() => return,
                    event => self.handle(event),
                }
            }
        }
    }

    /// Whether a signal asks to end, after the command has.
    fn is_enough(&self) -> bool {
        let mut asked = std::iter::from_fn(|| self.signals.next());
        asked.any(|asked| matches!(asked, Asked::Forward(_) | Asked::End(_)))
    }

    /// A command behind a wrapper dies with it, a moment later. Only then is the run over.
    fn until_command_gone(&mut self) {
        self.child.kill_command();
        if let Some(command) = self.child.take_command() {
            let mut ended = [PollFd::new(&command, PollFlags::IN)];
            // Interrupted, it is not waited for any longer: nothing of it can be left but a zombie.
            let _ = poll(&mut ended, timespec(Some(STATUS)).as_ref());
        }
    }

    /// Waits for something to happen, but not beyond `until`.
    fn wait(&mut self, until: Option<Instant>) -> Vec<Event> {
        let may_read_input = self.connection.may_read_input();
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let look = (!may_read_input).then_some(LOOK);
        let sources = Sources {
            signals: &self.signals,
            child: (!self.over).then(|| self.child.exit()),
            status: self.status.fd(),
            refusals: self.refusals.as_ref().and_then(Refusals::fd),
            connection: &self.connection,
            may_read_input,
        };
        sources.wait(left.into_iter().chain(look).min())
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Ended => {}
            Event::Signal => {
                while let Some(asked) = self.signals.next() {
                    self.obey(asked);
                }
            }
            Event::Status => self.read_status(),
            Event::Refused => {
                if let Some(refusals) = &mut self.refusals {
                    refusals.serve();
                }
            }
            Event::ReadInput { closed } => self.read_input(closed),
            Event::WriteInput => self.connection.write_input(),
            Event::ReadOutput(number) => self.connection.read_output(number),
            Event::WriteOutput(number) => self.connection.write_output(number),
        }
    }

    fn obey(&mut self, asked: Asked) {
        match asked {
            Asked::Forward(signal) => {
                self.passed_on = Some(signal.as_raw());
                self.child.pass_on(signal);
            }
            Asked::Stop => {
                self.child.pass_on(Signal::STOP);
                self.connection.terminal.iter_mut().for_each(Terminal::restore);
                Signals::stop();
                self.child.pass_on(Signal::CONT);
            }
            Asked::Continue => self.child.pass_on(Signal::CONT),
            Asked::Resize => {
                if let Some(pty) = &self.connection.pty {
                    pty.resize();
                    // The kernel tells only those whose controlling terminal it is.
                    self.child.pass_on(Signal::WINCH);
                }
            }
            Asked::End(signal) => {
                self.ended_by = Some(signal.as_raw());
                self.kill();
            }
        }
    }

    fn kill(&mut self) {
        self.child.kill();
        self.killed = true;
        self.deadline = Instant::now().checked_add(STATUS);
    }

    fn read_status(&mut self) {
        self.status.read();
        if !self.child.knows_command()
            && let Some(pid) = self.launcher.command_pid(self.status.bytes())
        {
            self.child.set_command(pid);
        }
    }

    fn read_input(&mut self, closed: bool) {
        self.connection.read_input(closed);
        // To a command that is apart from its terminal that sends no signals, but to its wrapper,
        // which would not survive them.
        if self.child.command_apart().is_some() {
            for signal in self.connection.withhold_signals() {
                self.child.pass_on(signal);
            }
        }
    }
}
