//! The text of a cursor: `TAG.BYTES.LINES.INSIDE.BYTES.LINES.INSIDE.SEAL`, standard output first.

use std::fmt;

use super::cursor::Cursor;
use super::position::Position;

/// A position as it is spelled in a cursor: bytes and lines in hexadecimal, and 1 when inside a line.
pub(super) struct Spelled(pub(super) Position);

impl fmt::Display for Spelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { bytes, lines, inside_line } = self.0;
        write!(f, "{bytes:x}.{lines:x}.{}", u8::from(inside_line))
    }
}

/// The tag and the positions in a cursor text, whoever wrote it. The tag is what is left of the
/// seven last fields, so that any tag will do.
pub(super) fn parse(text: &str) -> Option<(&str, Cursor)> {
    let mut fields = text.rsplitn(8, '.');
    let _seal = fields.next()?;
    let stderr = parse_position(&mut fields)?;
    let stdout = parse_position(&mut fields)?;
    Some((fields.next()?, Cursor { stdout, stderr }))
}

/// Reads the three fields of a position, last one first.
fn parse_position<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Position> {
    let inside_line = match fields.next()? {
        "0" => false,
        "1" => true,
        _ => return None,
    };
    let lines = u64::from_str_radix(fields.next()?, 16).ok()?;
    let bytes = u64::from_str_radix(fields.next()?, 16).ok()?;
    Some(Position { bytes, lines, inside_line })
}
