//! Waiting for whatever happens next to a run: one `poll(2)` over everything.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::connection::Connection;
use super::relay::Relay;
use super::signals::Signals;

/// Something that has happened, or is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// Signals can be read.
    Signal,
    /// The child has ended.
    Ended,
    /// The wrapper has told something.
    Status,
    /// The filter has refused something, or is about to tell.
    Refused,
    /// The command's input can be read; `closed` when nothing more will ever come.
    ReadInput { closed: bool },
    /// The command's input can be written.
    WriteInput,
    /// The output of this number can be read.
    ReadOutput(usize),
    /// The output of this number can be written.
    WriteOutput(usize),
}

/// Where events come from.
pub(super) struct Sources<'a> {
    pub(super) signals: &'a Signals,
    /// Readable at the end of a child that has not ended yet.
    pub(super) child: Option<BorrowedFd<'a>>,
    pub(super) status: Option<BorrowedFd<'a>>,
    pub(super) refusals: Option<BorrowedFd<'a>>,
    pub(super) connection: &'a Connection,
    pub(super) may_read_input: bool,
}

impl Sources<'_> {
    /// What has happened, within this time; `None` waits for ever. Nothing, when the time is over or
    /// the call was interrupted.
    pub(super) fn wait(&self, within: Option<Duration>) -> Vec<Event> {
        let interests = self.interests();
        let mut polled: Vec<_> =
            interests.iter().map(|(_, fd, on)| PollFd::from_borrowed_fd(*fd, *on)).collect();
        let _ = poll(&mut polled, timespec(within).as_ref());
        let events = interests.iter().zip(&polled).filter_map(|((event, ..), polled)| {
            let on = polled.revents();
            match event {
                _ if on.is_empty() => None,
                Event::ReadInput { .. } => {
                    Some(Event::ReadInput { closed: on.contains(PollFlags::HUP) })
                }
                event => Some(*event),
            }
        });
        events.collect()
    }

    fn interests(&self) -> Vec<(Event, BorrowedFd<'_>, PollFlags)> {
        let read = |event, fd| Some((event, fd?, PollFlags::IN));
        let write = |event, fd| Some((event, fd?, PollFlags::OUT));
        let input = self.connection.input.as_ref();
        let source = input.filter(|_| self.may_read_input).and_then(Relay::readable);
        let fixed = [
            // First: a signal is passed on to the command, and the status tells which process it is.
            read(Event::Status, self.status),
            read(Event::Signal, Some(self.signals.as_fd())),
            read(Event::Ended, self.child),
            read(Event::Refused, self.refusals),
            read(Event::ReadInput { closed: false }, source),
            write(Event::WriteInput, input.and_then(Relay::writable)),
        ];
        let outputs = self.connection.outputs.iter().enumerate().flat_map(|(number, output)| {
            [
                read(Event::ReadOutput(number), output.readable()),
                write(Event::WriteOutput(number), output.writable()),
            ]
        });
        fixed.into_iter().chain(outputs).flatten().collect()
    }
}

/// Too long for the system's clock is as good as for ever.
pub(super) fn timespec(time: Option<Duration>) -> Option<Timespec> {
    time.and_then(|time| Timespec::try_from(time).ok())
}
