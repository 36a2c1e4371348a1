//! Carries bytes from one descriptor to another, without ever waiting. What has been read is written
//! before anything more is read, so that a slow reader slows the writer down and fills no memory.

#[cfg(target_os = "macos")]
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::ops::Range;
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
#[cfg(target_os = "macos")]
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::rc::Rc;

use rustix::fs::{Mode, OFlags};
use rustix::io::{Errno, read, write};

use super::pty::Pty;
use crate::capture::{Buffer, Caps};

/// As much as a pipe holds by default (`pipe(7)`).
const SIZE: usize = 64 * 1024;

/// One direction.
#[derive(Debug)]
pub(super) struct Relay {
    /// `None` once everything was read.
    from: Option<Rc<OwnedFd>>,
    /// `None` once everything was written, or when nobody takes it any more.
    to: Option<Target>,
    at_end: AtEnd,
    buffer: Box<[u8]>,
    /// What was read and not written yet.
    waiting: Range<usize>,
    refused: bool,
}

#[derive(Debug)]
enum Target {
    Descriptor(Outlet),
    Capture(Buffer),
}

/// What the end of the input means to the command.
#[derive(Debug)]
enum AtEnd {
    /// Its stream is closed.
    Close,
    /// The character for it is typed into its terminal. A person can do so many times.
    Type(Pty),
}

/// Where a relay writes to.
#[derive(Debug, Clone)]
pub(super) struct Outlet {
    fd: Rc<OwnedFd>,
    /// So much can be written without waiting once the descriptor is writable.
    most: usize,
}

impl Outlet {
    /// A descriptor of our own that never blocks.
    pub(super) fn own(fd: Rc<OwnedFd>) -> Self {
        Outlet { fd, most: usize::MAX }
    }

    /// One that other programs use too, so it must go on blocking: a terminal is opened anew, and of
    /// everything else only so much is written at a time as never blocks (`pipe(7)`, PIPE_BUF).
    pub(super) fn shared(fd: BorrowedFd<'_>) -> io::Result<Self> {
        const PIPE_BUF: usize = 4096;
        if rustix::termios::isatty(fd)
            && let Ok(own) = open_anew(fd)
        {
            return Ok(Outlet::own(Rc::new(own)));
        }
        Ok(Outlet { fd: Rc::new(fd.try_clone_to_owned()?), most: PIPE_BUF })
    }

    /// The descriptor, to read from it as well.
    pub(super) fn fd(&self) -> Rc<OwnedFd> {
        self.fd.clone()
    }
}

/// The same terminal, with a mode of its own that does not concern anybody else. It may belong to
/// another user, after `su`; then this fails.
fn open_anew(terminal: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let path = name_of(terminal)?;
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

/// A name that leads to the same terminal, whatever this process sees as `/dev`.
#[cfg(target_os = "linux")]
fn name_of(terminal: BorrowedFd<'_>) -> io::Result<PathBuf> {
    Ok(format!("/proc/self/fd/{}", terminal.as_raw_fd()).into())
}

/// What macOS has in `/dev/fd` are the same descriptors, with the same mode.
#[cfg(target_os = "macos")]
fn name_of(terminal: BorrowedFd<'_>) -> io::Result<PathBuf> {
    let name = rustix::termios::ttyname(terminal, Vec::new())?;
    Ok(OsString::from_vec(name.into_bytes()).into())
}

impl Relay {
    /// To a descriptor, which is closed at the end.
    pub(super) fn new(from: Rc<OwnedFd>, to: Outlet) -> Self {
        Relay::make(from, Target::Descriptor(to), AtEnd::Close)
    }

    /// Into the command's terminal, as if it were typed.
    pub(super) fn typing(from: Rc<OwnedFd>, pty: &Pty) -> Self {
        let to = Target::Descriptor(Outlet::own(pty.master()));
        Relay::make(from, to, AtEnd::Type(pty.clone()))
    }

    /// Into memory.
    pub(super) fn capture(from: Rc<OwnedFd>) -> Self {
        Relay::make(from, Target::Capture(Buffer::new(Caps::NONE)), AtEnd::Close)
    }

    fn make(from: Rc<OwnedFd>, to: Target, at_end: AtEnd) -> Self {
        let buffer = vec![0; SIZE].into_boxed_slice();
        Relay { from: Some(from), to: Some(to), at_end, buffer, waiting: 0..0, refused: false }
    }

    /// What to read from next.
    pub(super) fn readable(&self) -> Option<BorrowedFd<'_>> {
        self.from.as_ref().filter(|_| self.waiting.is_empty()).map(|from| from.as_fd())
    }

    /// Where to write what is waiting.
    pub(super) fn writable(&self) -> Option<BorrowedFd<'_>> {
        match &self.to {
            Some(Target::Descriptor(outlet)) if !self.waiting.is_empty() => Some(outlet.fd.as_fd()),
            _ => None,
        }
    }

    /// Whether there is nothing left to carry.
    pub(super) fn is_done(&self) -> bool {
        self.from.is_none() && self.waiting.is_empty()
    }

    /// Whether the reader has gone.
    pub(super) fn was_refused(&self) -> bool {
        self.refused
    }

    /// Reads once. False when there was nothing to read now.
    pub(super) fn read(&mut self, kind: Reading) -> bool {
        let Some(from) = &self.from else { return false };
        match read(from, &mut self.buffer[..]) {
            Ok(0) if kind == Reading::Lines && matches!(self.at_end, AtEnd::Type(_)) => {
                self.type_end_of_file(0);
            }
            Ok(0) => self.end(),
            Ok(count) => self.take(count, kind),
            Err(Errno::AGAIN | Errno::INTR) => return false,
            // The other side of a terminal is gone: what a pipe tells by an end of file.
            Err(_) => self.end(),
        }
        true
    }

    /// Writes once.
    pub(super) fn write(&mut self) {
        let Some(Target::Descriptor(outlet)) = &self.to else { return };
        let bytes = &self.buffer[self.waiting.clone()];
        match write(&outlet.fd, &bytes[..bytes.len().min(outlet.most)]) {
            Ok(count) => {
                self.waiting.start += count;
                self.close_if_done();
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => {
                self.refused = true;
                self.abandon();
            }
        }
    }

    /// Takes these keys out of what is waiting, and tells what they mean.
    pub(super) fn withhold<M: Copy>(&mut self, keys: &[(u8, M)]) -> Vec<M> {
        let mut meant = Vec::new();
        let mut end = self.waiting.start;
        for at in self.waiting.clone() {
            let byte = self.buffer[at];
            match keys.iter().find(|(key, _)| *key == byte) {
                Some((_, meaning)) => meant.push(*meaning),
                None => {
                    self.buffer[end] = byte;
                    end += 1;
                }
            }
        }
        self.waiting.end = end;
        meant
    }

    /// Reads nothing more. What is waiting is still written.
    pub(super) fn stop_reading(&mut self) {
        self.from = None;
        self.close_if_done();
    }

    /// What was captured.
    pub(super) fn into_capture(self) -> Option<Buffer> {
        match self.to {
            Some(Target::Capture(mut buffer)) => {
                buffer.finish();
                Some(buffer)
            }
            _ => None,
        }
    }

    fn take(&mut self, count: usize, kind: Reading) {
        let bytes = &self.buffer[..count];
        if let Some(Target::Capture(buffer)) = &mut self.to {
            buffer.push(bytes);
            return;
        }
        // Where a person ended it in the middle of a line, the command gets the part as well.
        let part = kind == Reading::Lines && bytes.last() != Some(&b'\n');
        self.waiting = 0..count;
        if part && matches!(self.at_end, AtEnd::Type(_)) && count < SIZE {
            self.type_end_of_file(count);
        }
    }

    /// Puts the character behind the `start` bytes that are waiting.
    fn type_end_of_file(&mut self, start: usize) {
        if let AtEnd::Type(pty) = &self.at_end {
            self.buffer[start] = pty.end_of_file();
            self.waiting = 0..start + 1;
        }
    }

    fn end(&mut self) {
        self.from = None;
        if let AtEnd::Type(pty) = &self.at_end {
            // The first one only pushes a line that has no end, if there is one.
            self.buffer[..2].fill(pty.end_of_file());
            self.waiting = 0..2;
        }
        self.close_if_done();
    }

    fn close_if_done(&mut self) {
        if self.is_done() && matches!(self.to, Some(Target::Descriptor(_))) {
            self.to = None;
        }
    }

    fn abandon(&mut self) {
        self.from = None;
        self.to = None;
        self.waiting = 0..0;
    }
}

/// From what a relay reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// A stream, or keys: bytes as they come, and one end.
    Bytes,
    /// A terminal that edits lines.
    Lines,
}

/// Makes an end of a pipe, which nobody else has, never block.
pub(super) fn never_block(fd: OwnedFd) -> io::Result<Rc<OwnedFd>> {
    rustix::io::ioctl_fionbio(&fd, true)?;
    Ok(Rc::new(fd))
}

/// A pipe, which no other program gets by accident: first its end to read.
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = io::pipe()?;
    Ok((read.into(), write.into()))
}

/// Reads nothing, ever.
pub(super) fn nothing() -> io::Result<OwnedFd> {
    Ok(File::open("/dev/null")?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A relay between two pipes, with the far ends of both.
    fn between() -> (OwnedFd, Relay, OwnedFd) {
        let ((from, source), (sink, to)) = (pipe().unwrap(), pipe().unwrap());
        let to = Outlet::own(never_block(to).unwrap());
        (source, Relay::new(never_block(from).unwrap(), to), sink)
    }

    fn received(sink: &OwnedFd) -> Vec<u8> {
        let mut bytes = vec![0; SIZE];
        let count = read(sink, &mut bytes[..]).unwrap();
        bytes.truncate(count);
        bytes
    }

    #[test]
    fn nothing_is_read_before_what_was_read_is_written() {
        let (source, mut relay, sink) = between();
        write(&source, b"one").unwrap();
        assert!(relay.readable().is_some() && relay.writable().is_none());
        assert!(relay.read(Reading::Bytes));
        assert!(relay.readable().is_none() && relay.writable().is_some());
        relay.write();
        assert_eq!(received(&sink), b"one");
        assert!(!relay.read(Reading::Bytes), "there is nothing more");
    }

    #[test]
    fn the_end_is_passed_on_when_everything_before_it_was() {
        let (source, mut relay, sink) = between();
        write(&source, b"last").unwrap();
        drop(source);
        relay.read(Reading::Bytes);
        assert!(!relay.is_done());
        relay.write();
        relay.read(Reading::Bytes);
        assert!(relay.is_done());
        assert_eq!(received(&sink), b"last");
        assert_eq!(received(&sink), b"");
    }

    #[test]
    fn a_reader_that_is_gone_closes_the_source() {
        let (source, mut relay, sink) = between();
        drop(sink);
        write(&source, b"x").unwrap();
        relay.read(Reading::Bytes);
        relay.write();
        assert!(relay.was_refused() && relay.is_done());
        assert_eq!(write(&source, b"y"), Err(Errno::PIPE));
    }

    #[test]
    fn withheld_keys_are_told_and_not_carried() {
        let (source, mut relay, sink) = between();
        write(&source, b"\x03a\x1cb\x03").unwrap();
        relay.read(Reading::Bytes);
        assert_eq!(
            relay.withhold(&[(3, "interrupt"), (28, "quit")]),
            ["interrupt", "quit", "interrupt"]
        );
        relay.write();
        assert_eq!(received(&sink), b"ab");
    }

    #[test]
    fn a_line_that_a_person_ends_in_the_middle_is_pushed_and_an_empty_one_is_the_end() {
        let (pty, slave) = Pty::open(None).unwrap();
        pty.adopt(None, true).unwrap();
        let (from, source) = pipe().unwrap();
        let mut relay = Relay::typing(never_block(from).unwrap(), &pty);
        let mut typed = |bytes: &[u8]| {
            write(&source, bytes).unwrap();
            relay.read(Reading::Lines);
            relay.write();
            received(&slave)
        };
        assert_eq!(typed(b"whole\n"), b"whole\n");
        assert_eq!(typed(b"part"), b"part");
        drop(source);
        relay.read(Reading::Lines);
        relay.write();
        assert_eq!(received(&slave), b"");
        assert!(!relay.is_done(), "a person can go on typing");
    }

    #[test]
    fn what_is_captured_is_all_there() {
        let (from, source) = pipe().unwrap();
        let mut relay = Relay::capture(never_block(from).unwrap());
        write(&source, b"out").unwrap();
        relay.read(Reading::Bytes);
        drop(source);
        relay.read(Reading::Bytes);
        assert!(relay.is_done());
        assert_eq!(relay.into_capture().unwrap().bytes(), b"out");
    }
}
