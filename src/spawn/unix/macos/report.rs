//! How a child tells that it could not become the program: through a pipe that its exec closes.

use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::RawFd;

use super::Failure;

/// The host's end.
pub(super) struct Reports(PipeReader);

/// Both ends. Each is closed by an exec.
pub(super) fn channel() -> io::Result<(Reports, PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    Ok((Reports(reader), writer))
}

/// A failure as words: where the stage's text stands, how long it is, and the errno. The child has a
/// copy of the host's memory, so a text of the program stands at the same address in both.
const WORDS: usize = 3;
const SIZE: usize = WORDS * size_of::<usize>();

impl Reports {
    /// Waits until the child has exec'd (`None`) or told why not. A child that was killed before tells
    /// nothing, and its end is seen at once.
    pub(super) fn read(mut self) -> Option<Failure> {
        let mut bytes = [0; SIZE];
        self.0.read_exact(&mut bytes).ok()?;
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = usize::from_ne_bytes(*bytes);
        }
        let [address, length, errno] = words;
        // SAFETY: `send` wrote the address and length of a `&'static str` that this very program
        // holds, and a write of so few bytes to a pipe comes whole (`pipe(2)`, PIPE_BUF).
        let stage = unsafe {
            let start = std::ptr::with_exposed_provenance(address);
            std::str::from_utf8_unchecked(std::slice::from_raw_parts(start, length))
        };
        Some(Failure { stage, errno: errno as i32 })
    }
}

/// In the child: tells the failure. There is nobody to tell that this fails.
pub(super) fn send(to: RawFd, failure: Failure) {
    let address = failure.stage.as_ptr().expose_provenance();
    let words = [address, failure.stage.len(), failure.errno as usize];
    // SAFETY: the words live on this stack.
    unsafe { libc::write(to, words.as_ptr().cast(), SIZE) };
}
