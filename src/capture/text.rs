//! Where characters and lines begin and end in raw bytes.
//!
//! UTF-8 finds its beat again by itself: the first byte of a character never occurs inside another
//! one. So whether a place lies inside a character shows in the few bytes around it, and bytes
//! that are not UTF-8 belong to no character and may be cut anywhere.

use std::ops::Range;
use std::str;

use memchr::{memchr_iter, memrchr_iter};

/// How many bytes on either side of a place decide whether it lies inside a character: all but one
/// of the four bytes that the longest character has.
pub(super) const REACH: usize = 3;

/// The last place at or before `at` that is not inside a character.
pub(super) fn boundary_at_or_before(bytes: &[u8], at: usize) -> usize {
    character_around(bytes, at).map_or(at, |character| character.start)
}

/// The first place at or after `at` that is not inside a character.
pub(super) fn boundary_at_or_after(bytes: &[u8], at: usize) -> usize {
    character_around(bytes, at).map_or(at, |character| character.end)
}

/// The whole, valid character that has `at` strictly inside it.
fn character_around(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    (at.saturating_sub(REACH)..at)
        .filter_map(|start| Some(start..start + announced_length(bytes[start])?))
        .filter(|character| character.end > at)
        .find(|character| bytes.get(character.clone()).is_some_and(|b| str::from_utf8(b).is_ok()))
}

/// The length that the first byte of a multi-byte character announces.
fn announced_length(first: u8) -> Option<usize> {
    match first {
        0xc2..=0xdf => Some(2),
        0xe0..=0xef => Some(3),
        0xf0..=0xf4 => Some(4),
        _ => None,
    }
}

/// Splits off the half character at the end, if there is one: up to three bytes that the next
/// bytes may still make whole.
pub(super) fn split_half_character(bytes: &[u8]) -> (&[u8], &[u8]) {
    let start = (bytes.len().saturating_sub(REACH)..bytes.len())
        .find(|&start| is_half_character(&bytes[start..]))
        .unwrap_or(bytes.len());
    bytes.split_at(start)
}

fn is_half_character(bytes: &[u8]) -> bool {
    // Without a length, the error is "the input ended too early".
    str::from_utf8(bytes)
        .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

/// How many lines end in these bytes.
pub(super) fn count_newlines(bytes: &[u8]) -> usize {
    memchr_iter(b'\n', bytes).count()
}

/// Whether the bytes end inside a line. Nothing at all does not.
pub(super) fn ends_inside_line(bytes: &[u8]) -> bool {
    bytes.last().is_some_and(|&last| last != b'\n')
}

/// The place after the `count`-th newline; `None` where there are fewer. `count` is at least one.
pub(super) fn after_newlines(bytes: &[u8], count: usize) -> Option<usize> {
    memchr_iter(b'\n', bytes).nth(count - 1).map(|newline| newline + 1)
}

/// Where the last `count` lines begin, an unfinished one included. It costs those lines only.
pub(super) fn start_of_last_lines(bytes: &[u8], count: usize) -> usize {
    if count == 0 {
        return bytes.len();
    }
    // A newline at the very end ends the last line and begins none.
    let newlines_within = if ends_inside_line(bytes) { count - 1 } else { count };
    memrchr_iter(b'\n', bytes).nth(newlines_within).map_or(0, |newline| newline + 1)
}

/// Text for people: what is not UTF-8 becomes U+FFFD, by the rule of [`String::from_utf8_lossy`].
pub(super) fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_inside_a_character_moves_to_its_edges() {
        let text = "a中😀".as_bytes();
        let before: Vec<_> = (0..=8).map(|at| boundary_at_or_before(text, at)).collect();
        let after: Vec<_> = (0..=8).map(|at| boundary_at_or_after(text, at)).collect();
        assert_eq!(before, [0, 1, 1, 1, 4, 4, 4, 4, 8]);
        assert_eq!(after, [0, 1, 4, 4, 4, 8, 8, 8, 8]);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_cut_anywhere() {
        // Too short, a stray continuation, an overlong form, a surrogate, beyond U+10FFFF.
        for bytes in
            [&b"\xe4\xb8x"[..], b"a\x85\xff", b"\xe0\x80\x80", b"\xed\xa0\x80", b"\xf5\x80"]
        {
            for at in 0..=bytes.len() {
                assert_eq!(boundary_at_or_before(bytes, at), at, "{bytes:x?}");
                assert_eq!(boundary_at_or_after(bytes, at), at, "{bytes:x?}");
            }
        }
    }

    #[test]
    fn only_a_half_character_at_the_very_end_is_split_off() {
        let halves = |bytes: &'static [u8]| split_half_character(bytes).1;
        assert_eq!(halves(b"ok\xe4\xb8"), b"\xe4\xb8");
        assert_eq!(halves(b"ok\xf0\x9f\x98"), b"\xf0\x9f\x98");
        assert_eq!(halves(b"\xc3"), b"\xc3");
        assert_eq!(halves("ok中".as_bytes()), b"");
        assert_eq!(halves(b"\xe4\xb8x"), b"");
        assert_eq!(halves(b"\x85\xff"), b"");
        assert_eq!(halves(b""), b"");
    }

    #[test]
    fn lines_end_with_a_newline_and_nothing_else() {
        assert_eq!(count_newlines(b"a\r\rb\r\nc"), 1);
        assert_eq!(after_newlines(b"a\nb\nc", 2), Some(4));
        assert_eq!(after_newlines(b"a\nb\nc", 3), None);
        assert!(ends_inside_line(b"a\nb") && !ends_inside_line(b"a\n") && !ends_inside_line(b""));
    }

    #[test]
    fn the_last_lines_are_found_with_and_without_a_newline_at_the_end() {
        let starts = |bytes: &[u8]| [0, 1, 2, 3, 4].map(|count| start_of_last_lines(bytes, count));
        assert_eq!(starts(b"a\nb\nc\n"), [6, 4, 2, 0, 0]);
        assert_eq!(starts(b"a\nb\nc"), [5, 4, 2, 0, 0]);
        assert_eq!(starts(b""), [0; 5]);
    }
}
