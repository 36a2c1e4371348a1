//! Reading: the whole as text, or only what is new.

use super::buffer::Buffer;
use super::position::{Dropped, Position, PositionError};
use super::text;

/// A stream as text for people and models.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rendered {
    /// Head, marker and tail; the marker only when something was dropped. What is not UTF-8 stands
    /// as U+FFFD, which takes three bytes here; caps and counts are of the bytes as written.
    pub text: String,
    /// The numbers in the marker; `None` when nothing was dropped.
    pub dropped: Option<Dropped>,
}

/// What was written since a [`Position`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instalment {
    /// The new text, with a marker where some of it was dropped before it could be read.
    pub text: String,
    /// The numbers in that marker; `None` when nothing is missing.
    pub dropped: Option<Dropped>,
    /// Where to go on reading.
    pub next: Position,
    /// Whether nothing more will come: the stream has ended, and this is the rest of it.
    pub eof: bool,
}

impl Buffer {
    /// The captured stream as text: head, marker, tail. While the stream is open, half a character
    /// at its end is left out.
    #[must_use]
    pub fn render(&self) -> Rendered {
        let (text, dropped) = self.text_since(Position::START);
        Rendered { text, dropped }
    }

    /// What was written since `position`, and where to go on. Reading from [`Position::START`]
    /// gives the text of [`render`](Self::render).
    ///
    /// It costs what is new, not what was captured. It changes nothing: any number of readers may
    /// each hold a position. Joined, the instalments are the output; where a reader fell so far
    /// behind that bytes it had not read were dropped, a marker stands for exactly those. While the
    /// stream is open, half a character at its end is held back for a later instalment.
    ///
    /// # Errors
    ///
    /// [`PositionError`] when this buffer cannot have handed out the position: it is beyond the
    /// end, inside a character, or its parts do not belong together. Of a place that has been
    /// dropped only the plausibility can be checked.
    pub fn read_from(&self, position: Position) -> Result<Instalment, PositionError> {
        self.check(position)?;
        let (text, dropped) = self.text_since(position);
        Ok(Instalment { text, dropped, next: self.end(), eof: self.is_finished() })
    }

    /// The bytes kept, head and tail joined without a marker. While the stream is open, half a
    /// character at its end is left out.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let [head, front, back] = self.kept_since(0);
        [head, front, back].concat()
    }

    /// How many of [`bytes`](Self::bytes) are before the place where bytes were dropped, or would
    /// be.
    #[must_use]
    pub fn head_len(&self) -> usize {
        self.head.len()
    }

    fn text_since(&self, position: Position) -> (String, Option<Dropped>) {
        let [head, front, back] = self.kept_since(position.bytes);
        let dropped = self.dropped_since(position);
        let Some(marker) = dropped else {
            // Decoded as one: the head may end inside bytes that make one U+FFFD together.
            return (text::lossy([head, front, back].concat()), None);
        };
        let inside_line = if position.bytes <= self.head.len() as u64 {
            text::ends_inside_line(self.head.as_bytes())
        } else {
            position.inside_line
        };
        let line_break = if inside_line { "\n" } else { "" };
        let head = String::from_utf8_lossy(head);
        let tail = text::lossy([front, back].concat());
        (format!("{head}{line_break}{marker}\n{tail}"), dropped)
    }

    /// What is kept of the stream from its byte `start` on: of the head, and of the tail in its
    /// two pieces.
    fn kept_since(&self, start: u64) -> [&[u8]; 3] {
        let in_head = clamp(start, self.head.len());
        let in_tail = clamp(start.saturating_sub(self.tail_start()), self.tail.len());
        let [front, back] = self.tail.from(in_tail);
        [&self.head.as_bytes()[in_head..], front, back]
    }

    /// What was dropped after `position`.
    fn dropped_since(&self, position: Position) -> Option<Dropped> {
        let all = self.dropped()?;
        if position.bytes <= self.head.len() as u64 {
            return Some(all);
        }
        let bytes = self.tail_start().checked_sub(position.bytes).filter(|&bytes| bytes > 0)?;
        let lines_before_tail = self.head.newlines() as u64 + all.lines;
        Some(Dropped { bytes, lines: lines_before_tail - position.lines })
    }
}

/// `place` as an index into `len` bytes, at most their end.
fn clamp(place: u64, len: usize) -> usize {
    usize::try_from(place).map_or(len, |place| place.min(len))
}

#[cfg(test)]
mod tests {
    use super::super::Caps;
    use super::*;

    fn news(buffer: &Buffer, position: Position) -> Instalment {
        buffer.read_from(position).unwrap()
    }

    #[test]
    fn a_character_in_two_writes_is_never_seen_half() {
        let output = "hé😀中a\n€bz🚀";
        let mut buffer = Buffer::new(Caps::default());
        let mut position = Position::START;
        let mut joined = String::new();
        for byte in output.bytes() {
            buffer.push(&[byte]);
            assert!(!buffer.render().text.contains('\u{fffd}'));
            let instalment = news(&buffer, position);
            assert!(!instalment.text.contains('\u{fffd}') && !instalment.eof);
            joined += &instalment.text;
            position = instalment.next;
        }
        buffer.finish();
        assert!(news(&buffer, position).eof);
        assert_eq!(joined + &news(&buffer, position).text, output);
    }

    #[test]
    fn half_a_character_at_the_end_is_given_when_the_stream_has_ended() {
        let mut buffer = Buffer::new(Caps::default());
        buffer.push(b"ok\xe4\xb8");
        let instalment = news(&buffer, Position::START);
        assert_eq!((instalment.text.as_str(), buffer.written().bytes), ("ok", 4));
        buffer.finish();
        buffer.finish();
        assert_eq!(news(&buffer, instalment.next).text, "\u{fffd}");
        assert_eq!(buffer.bytes(), b"ok\xe4\xb8");
    }

    #[test]
    fn a_finished_stream_read_to_its_end_gives_nothing_more() {
        let mut buffer = Buffer::new(Caps::default());
        buffer.push(b"hi\n");
        buffer.finish();
        let all = news(&buffer, Position::START);
        assert_eq!((all.text.as_str(), all.eof), ("hi\n", true));
        let nothing = news(&buffer, all.next);
        assert_eq!((nothing.text.as_str(), nothing.eof, nothing.next), ("", true, all.next));
    }

    #[test]
    fn the_same_read_twice_is_the_same_answer() {
        let mut buffer = Buffer::new(Caps::new(16384, 10));
        buffer.push(b"1\n2\n3\n4\n5\n6\n7\n");
        let position = news(&buffer, Position::START).next;
        buffer.push(&b"more\n".repeat(30));
        assert_eq!(news(&buffer, position), news(&buffer, position));
    }

    #[test]
    fn a_reader_that_fell_behind_gets_a_marker_for_what_it_missed() {
        let mut buffer = Buffer::new(Caps::new(16384, 10));
        buffer.push(b"1\n2\n3\n4\n5");
        let position = news(&buffer, Position::START).next;
        buffer.push(b"\n6\n7\n8\n9\n10\n11\n12\n13\n14\n");
        // The reader has "5" without its newline: the marker starts a line of its own.
        let instalment = news(&buffer, position);
        let expected = "\n[... 3 bytes / 2 lines dropped ...]\n7\n8\n9\n10\n11\n12\n13\n14\n";
        assert_eq!(instalment.text, expected);
        assert_eq!(instalment.dropped.unwrap().to_string(), "[... 3 bytes / 2 lines dropped ...]");
    }

    #[test]
    fn a_reader_inside_the_head_gets_the_rest_of_it_then_a_marker() {
        let mut buffer = Buffer::new(Caps::new(16384, 10));
        buffer.push(b"1\n");
        let position = news(&buffer, Position::START).next;
        buffer.push(b"2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n");
        let expected = "2\n[... 2 bytes / 1 lines dropped ...]\n4\n5\n6\n7\n8\n9\n10\n11\n";
        assert_eq!(news(&buffer, position).text, expected);
    }
}
