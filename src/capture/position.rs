//! Places in a stream, and distances between them.

use std::error::Error;
use std::fmt;

/// How much was dropped between two places of a stream, in bytes as the command wrote them.
///
/// It displays as the marker that stands for it, without a newline:
///
/// ```
/// # use cofferdam::capture::{Buffer, Caps};
/// let mut buffer = Buffer::new(Caps::new(8, 100));
/// buffer.push(b"1\n2\n3\n4\n5\n6\n");
/// buffer.finish();
/// assert_eq!(buffer.dropped().unwrap().to_string(), "[... 4 bytes / 2 lines dropped ...]");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Dropped {
    /// Bytes dropped; at least one.
    pub bytes: u64,
    /// Newlines among them: 0 where one long line lost its middle.
    pub lines: u64,
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[... {} bytes / {} lines dropped ...]", self.bytes, self.lines)
    }
}

/// How much a command has written to a stream, whether it was kept or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Written {
    /// Bytes written.
    pub bytes: u64,
    /// Newlines among them.
    pub lines: u64,
}

/// A place in a stream, up to which a reader has read. [`Position::START`] is the beginning; every
/// other one comes from [`Instalment::next`](super::Instalment::next).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Position {
    /// Bytes before this place.
    pub bytes: u64,
    /// Newlines before this place.
    pub lines: u64,
    /// Whether the text before it ends inside a line, so that a marker needs a newline first.
    pub inside_line: bool,
}

impl Position {
    /// The beginning of the stream.
    pub const START: Self = Self { bytes: 0, lines: 0, inside_line: false };
}

/// A [`Position`] that the buffer cannot have handed out: the caller's mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PositionError {
    /// It lies beyond what can be read so far.
    Beyond {
        /// Bytes before the position.
        bytes: u64,
        /// Bytes that can be read so far.
        readable: u64,
    },
    /// It lies inside a character.
    InsideCharacter {
        /// Bytes before the position.
        bytes: u64,
    },
    /// So many bytes do not hold so many lines, or do not end that way.
    Inconsistent {
        /// The position as given.
        position: Position,
    },
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Beyond { bytes, readable } => {
                write!(f, "position {bytes} is beyond the {readable} bytes that can be read so far")
            }
            Self::InsideCharacter { bytes } => {
                write!(f, "position {bytes} is inside a character")
            }
            Self::Inconsistent { position } => write!(
                f,
                "position {} with {} lines before it was never handed out",
                position.bytes, position.lines,
            ),
        }
    }
}

impl Error for PositionError {}
