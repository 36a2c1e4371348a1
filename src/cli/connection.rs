//! What cofferdam does for the command's streams while it runs.

use rustix::process::Signal;

use super::pty::Pty;
use super::relay::{Reading, Relay};
use super::terminal::Terminal;
use crate::capture::{Buffer, Caps};

/// The relays of a run. None, where the streams lead where they should by themselves.
#[derive(Debug, Default)]
pub(super) struct Connection {
    /// What the command reads.
    pub(super) input: Option<Relay>,
    /// What the command writes: one, or standard output and standard error.
    pub(super) outputs: Vec<Relay>,
    /// The person's terminal, where `input` reads from it.
    pub(super) terminal: Option<Terminal>,
    /// The command's terminal.
    pub(super) pty: Option<Pty>,
}

impl Connection {
    /// Takes or returns the person's keys, as it should be now, and tells whether the input may be
    /// read.
    pub(super) fn may_read_input(&mut self) -> bool {
        let Connection { input: Some(_), terminal: Some(terminal), pty, .. } = self else {
            return true;
        };
        terminal.follow(|| pty.as_ref().map(Pty::wish).unwrap_or_default());
        terminal.may_read()
    }

    /// Reads the input once; `closed` when nothing more will come.
    pub(super) fn read_input(&mut self, closed: bool) {
        let by_lines = self.terminal.as_ref().is_some_and(|terminal| !terminal.takes_keys());
        let reading = if by_lines && !closed { Reading::Lines } else { Reading::Bytes };
        if let Some(input) = &mut self.input {
            input.read(reading);
        }
    }

    /// Takes the keys that mean signals out of what was read, and tells which signals.
    pub(super) fn withhold_signals(&mut self) -> Vec<Signal> {
        match (&mut self.input, &self.pty) {
            (Some(input), Some(pty)) => input.withhold(&pty.signal_keys()),
            _ => Vec::new(),
        }
    }

    /// Writes the input once.
    pub(super) fn write_input(&mut self) {
        self.input.iter_mut().for_each(Relay::write);
    }

    /// Reads the output of this number once.
    pub(super) fn read_output(&mut self, number: usize) {
        if let Some(output) = self.outputs.get_mut(number) {
            output.read(Reading::Bytes);
        }
    }

    /// Writes the output of this number once. Whoever read it may have gone. The command learns of it
    /// as it would without us: its pipe is broken, or its terminal hung up.
    pub(super) fn write_output(&mut self, number: usize) {
        let Some(output) = self.outputs.get_mut(number) else { return };
        output.write();
        if output.was_refused() && self.pty.is_some() {
            *self = Connection { terminal: self.terminal.take(), ..Connection::default() };
        }
    }

    /// Whether some output is still open, or not written yet.
    pub(super) fn is_open(&self) -> bool {
        !self.outputs.iter().all(Relay::is_done)
    }

    /// Reads what the outputs hold, without waiting for more, as far as everything before it is
    /// written. One that holds nothing is closed; so are all when `reads` is used up.
    pub(super) fn read_rest(&mut self, reads: &mut usize) {
        for output in &mut self.outputs {
            while output.readable().is_some() {
                *reads = reads.saturating_sub(1);
                if *reads == 0 || !output.read(Reading::Bytes) {
                    output.stop_reading();
                }
            }
        }
    }

    /// What was captured of standard output and of standard error.
    pub(super) fn into_captures(self) -> [Buffer; 2] {
        let mut captures = self.outputs.into_iter().map(Relay::into_capture);
        std::array::from_fn(|_| {
            captures.next().flatten().unwrap_or_else(|| Buffer::new(Caps::NONE))
        })
    }
}
