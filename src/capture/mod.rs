//! Capturing a stream within bounds.
//!
//! A command may print a gigabyte; nobody wants to hold it, and nobody wants to read it. A
//! [`Buffer`] keeps both ends of a stream: a head, since the first error explains the others, and
//! a rolling tail, since the last lines tell how it went. What it promises:
//!
//! - **Nothing is dropped from a stream that fits its [`Caps`]**, in bytes and in lines. One byte or
//!   one line more, and the middle is dropped.
//! - **The numbers are exact.** Bytes kept and bytes dropped are the bytes written. The marker
//!   `[... 7176 bytes / 175 lines dropped ...]` and the report [`Dropped`] are the same numbers. The
//!   marker stands on a line of its own; the newline that may be put in before it, and the one
//!   after it, are counted nowhere.
//! - **No cut inside a character.** Bytes that are not UTF-8 are kept as they are and become U+FFFD
//!   only in text. Half a character at the end of an open stream waits for the rest of it.
//! - **Memory is bounded by the caps**, whatever is written and however.
//! - **A stream can be followed**: [`Buffer::read_from`] gives what is new since a [`Position`], and
//!   a [`CursorIssuer`] writes the positions in both streams of a job as one opaque string.
//!
//! Reading the pipes, and showing output as it arrives, is left to others.
//!
//! ```
//! use cofferdam::capture::{Buffer, Caps, Position};
//!
//! // Eight lines: two for the head, six for the tail.
//! let mut buffer = Buffer::new(Caps::new(1024, 8));
//! for number in 1..=8 {
//!     buffer.push(format!("{number}\n").as_bytes());
//! }
//! assert_eq!(buffer.render().text, "1\n2\n3\n4\n5\n6\n7\n8\n");
//! let seen = buffer.read_from(Position::START)?;
//!
//! // Three more push the oldest lines of the tail out.
//! buffer.push("9\n10\n11\n".as_bytes());
//! buffer.finish();
//! let rendered = buffer.render();
//! assert_eq!(
//!     rendered.text,
//!     "1\n2\n[... 6 bytes / 3 lines dropped ...]\n6\n7\n8\n9\n10\n11\n",
//! );
//! let dropped = rendered.dropped.unwrap();
//! assert_eq!((dropped.bytes, dropped.lines), (6, 3));
//! assert_eq!(buffer.written().bytes, 24);
//!
//! // The reader had seen what was dropped: it gets the rest, and no marker.
//! let news = buffer.read_from(seen.next)?;
//! assert_eq!(news.text, "9\n10\n11\n");
//! assert!(news.dropped.is_none() && news.eof);
//! # Ok::<(), cofferdam::capture::PositionError>(())
//! ```

mod buffer;
mod caps;
mod check;
mod cursor;
mod cursor_text;
mod half;
mod head;
#[cfg(test)]
mod model;
mod position;
mod read;
mod ring;
#[cfg(test)]
mod tests;
mod text;

pub use buffer::Buffer;
pub use caps::{Cap, Caps};
pub use cursor::{Cursor, CursorError, CursorIssuer};
pub use position::{Dropped, Position, PositionError, Written};
pub use read::{Instalment, Rendered};
