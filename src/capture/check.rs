//! Whether a position can have been handed out by this buffer.

use super::buffer::Buffer;
use super::position::{Position, PositionError};
use super::text;

impl Buffer {
    /// Checks as much of `position` as the kept bytes can tell, at the cost of those after it.
    pub(super) fn check(&self, position: Position) -> Result<(), PositionError> {
        let end = self.end();
        if position.bytes > end.bytes {
            return Err(PositionError::Beyond { bytes: position.bytes, readable: end.bytes });
        }
        let consistent = if position.bytes == end.bytes {
            position == end
        } else if let Some(offset) = self.offset_in_head(position) {
            self.check_in_head(position, offset)?
        } else if let Some(offset) = self.offset_in_tail(position) {
            self.check_in_tail(position, offset)?
        } else {
            self.is_plausible_where_dropped(position)
        };
        if consistent { Ok(()) } else { Err(PositionError::Inconsistent { position }) }
    }

    fn offset_in_head(&self, position: Position) -> Option<usize> {
        usize::try_from(position.bytes).ok().filter(|&offset| offset <= self.head.len())
    }

    fn offset_in_tail(&self, position: Position) -> Option<usize> {
        usize::try_from(position.bytes.checked_sub(self.tail_start())?).ok()
    }

    fn check_in_head(&self, position: Position, offset: usize) -> Result<bool, PositionError> {
        let head = self.head.as_bytes();
        if text::boundary_at_or_after(head, offset) != offset {
            return Err(PositionError::InsideCharacter { bytes: position.bytes });
        }
        let lines = self.head.newlines() - text::count_newlines(&head[offset..]);
        let inside_line = text::ends_inside_line(&head[..offset]);
        Ok(position.lines == lines as u64 && position.inside_line == inside_line)
    }

    fn check_in_tail(&self, position: Position, offset: usize) -> Result<bool, PositionError> {
        if self.tail.boundary_at_or_after(offset) != offset {
            return Err(PositionError::InsideCharacter { bytes: position.bytes });
        }
        let lines = self.end().lines - self.tail.newlines_from(offset) as u64;
        let inside_line = match self.tail.before(offset) {
            Some(byte) => byte != b'\n',
            // The byte before the tail was dropped: nothing can contradict the position.
            None => position.inside_line,
        };
        Ok(position.lines == lines && position.inside_line == inside_line)
    }

    /// The bytes around it are gone, but so many lines must still have had room before it, and
    /// the other dropped ones after it.
    fn is_plausible_where_dropped(&self, position: Position) -> bool {
        let dropped_bytes_before = position.bytes - self.head.len() as u64;
        let dropped_bytes_after = self.tail_start() - position.bytes;
        let lines_before_tail = self.end().lines - self.tail.newlines() as u64;
        let lines_before = position.lines.checked_sub(self.head.newlines() as u64);
        let lines_after = lines_before_tail.checked_sub(position.lines);
        lines_before.is_some_and(|lines| lines <= dropped_bytes_before)
            && lines_after.is_some_and(|lines| lines <= dropped_bytes_after)
            && (position.inside_line || position.lines > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Caps;
    use super::*;

    #[test]
    fn a_position_that_was_not_handed_out_is_refused() {
        let mut buffer = Buffer::new(Caps::new(16384, 10));
        buffer.push("é\n2\n中\n".as_bytes());
        let at = |bytes, lines, inside_line| Position { bytes, lines, inside_line };
        let refused = |position| buffer.read_from(position).unwrap_err();
        assert!(buffer.read_from(at(5, 2, false)).is_ok());
        assert_eq!(refused(at(10, 3, false)), PositionError::Beyond { bytes: 10, readable: 9 });
        assert_eq!(refused(at(1, 0, true)), PositionError::InsideCharacter { bytes: 1 });
        assert_eq!(refused(at(7, 2, true)), PositionError::InsideCharacter { bytes: 7 });
        for position in
            [at(0, 1, false), at(0, 0, true), at(3, 2, false), at(5, 2, true), at(9, 2, false)]
        {
            assert_eq!(refused(position), PositionError::Inconsistent { position });
        }
    }

    #[test]
    fn a_position_among_what_was_dropped_must_be_plausible() {
        let mut buffer = Buffer::new(Caps::new(16384, 10));
        // Two lines of head, then bytes 4..8 with lines 3 and 4 are dropped.
        buffer.push(b"1\n2\n3\n4\n5\n6\n7\n8\n9\n0\n1\n2\n");
        let read = |bytes, lines| buffer.read_from(Position { bytes, lines, inside_line: true });
        assert!(read(6, 3).is_ok());
        assert!(read(6, 1).is_err(), "fewer lines than the head has");
        assert!(read(6, 5).is_err(), "more lines than were dropped");
        assert!(read(5, 4).is_err(), "more lines than bytes before it");
        assert!(read(7, 2).is_err(), "more lines than bytes after it");
    }

    #[test]
    fn no_position_among_what_was_dropped_ends_a_line_before_there_was_one() {
        let mut buffer = Buffer::new(Caps::new(8, 10));
        buffer.push(b"one long line\n");
        let read = |inside_line| buffer.read_from(Position { bytes: 5, lines: 0, inside_line });
        assert!(read(true).is_ok() && read(false).is_err());
    }
}
