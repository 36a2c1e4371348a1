//! What went wrong, and how the launcher gets to know it.

use core::ffi::CStr;

use crate::protocol::{Identity, Record, tell};
use crate::system;

/// What is being done.
#[derive(Clone, Copy)]
pub(crate) struct At {
    stage: u32,
    path: &'static CStr,
}

/// Something that failed.
#[derive(Clone, Copy)]
pub(crate) struct Failure {
    at: At,
    errno: u32,
}

/// One of the protocol's stages.
pub(crate) fn at(stage: u32) -> At {
    At { stage, path: c"" }
}

impl At {
    /// At this path.
    pub(crate) fn path(self, path: &'static CStr) -> At {
        At { path, ..self }
    }

    pub(crate) fn failed(self, errno: u32) -> Failure {
        Failure { at: self, errno }
    }
}

/// Names what was being done when a call failed.
pub(crate) trait Stage<T> {
    fn stage(self, at: At) -> Result<T, Failure>;
}

impl<T> Stage<T> for Result<T, u32> {
    fn stage(self, at: At) -> Result<T, Failure> {
        self.map_err(|errno| at.failed(errno))
    }
}

/// Tells the launcher something. If nobody listens any more, nobody has to know.
pub(crate) fn tell(status: i32, what: u32, value: u32) {
    write(status, Record { tell: what, value, errno: 0, unused: 0 });
}

/// Tells the launcher which file something is.
pub(crate) fn tell_identity(status: i32, identity: Identity) {
    let from = (&raw const identity).cast();
    // SAFETY: an identity is plain data without gaps.
    let bytes = unsafe { core::slice::from_raw_parts(from, size_of::<Identity>()) };
    let _ = system::write_all(status, bytes);
}

/// Tells the launcher that the command will never run.
pub(crate) fn tell_failure(status: i32, failure: Failure) {
    let Failure { at, errno } = failure;
    write(status, Record { tell: tell::FAILED, value: at.stage, errno, unused: 0 });
    let _ = system::write_all(status, at.path.to_bytes());
}

/// Tells in the words of a wrapper's own status, JSON, that the command is about to run.
pub(crate) fn write_begun(status: i32) {
    let _ = system::write_all(status, b"{\"begun\":true}\n");
}

/// Tells in the same words that the command did not run: `{"failed":[STAGE,ERRNO],"path":"HEX"}`. A
/// path may be no text.
pub(crate) fn write_failure(status: i32, failure: Failure) {
    let Failure { at, errno } = failure;
    let mut text = Text { bytes: [0; Text::LONGEST], length: 0 };
    text.push(b"{\"failed\":[");
    text.push_number(at.stage);
    text.push(b",");
    text.push_number(errno);
    text.push(b"],\"path\":\"");
    for byte in at.path.to_bytes() {
        text.push(&[hex(byte >> 4), hex(byte & 15)]);
    }
    text.push(b"\"}\n");
    let _ = system::write_all(status, text.bytes.get(..text.length).unwrap_or_default());
}

/// A line that is being written.
struct Text {
    bytes: [u8; Text::LONGEST],
    length: usize,
}

impl Text {
    /// The longest path (`PATH_MAX`), two digits a byte, and what stands around it.
    const LONGEST: usize = 2 * 4096 + 64;

    fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if let Some(place) = self.bytes.get_mut(self.length) {
                *place = *byte;
                self.length += 1;
            }
        }
    }

    fn push_number(&mut self, number: u32) {
        if number >= 10 {
            self.push_number(number / 10);
        }
        self.push(&[b'0' + (number % 10) as u8]);
    }
}

fn hex(digit: u8) -> u8 {
    if digit < 10 { b'0' + digit } else { b'a' - 10 + digit }
}

fn write(status: i32, record: Record) {
    let from = (&raw const record).cast();
    // SAFETY: a record is plain data without gaps.
    let bytes = unsafe { core::slice::from_raw_parts(from, size_of::<Record>()) };
    let _ = system::write_all(status, bytes);
}
