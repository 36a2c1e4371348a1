//! The head: the first quarter of the budget, kept for good.

use super::caps::{Caps, grown_capacity};
use super::text;

/// Fills up once and never changes again.
#[derive(Debug)]
pub(super) struct Head {
    share: Caps,
    bytes: Vec<u8>,
    newlines: usize,
    full: bool,
}

impl Head {
    pub(super) fn new(share: Caps) -> Self {
        Self { share, bytes: Vec::new(), newlines: 0, full: false }
    }

    /// Takes what fits from the front of `bytes`, which ends with no half character, and returns
    /// the rest. Once something did not fit, nothing more is taken: what follows it must not
    /// overtake it.
    pub(super) fn fill<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        if self.full {
            return bytes;
        }
        let (fits, rest) = bytes.split_at(self.fitting(bytes));
        self.full = !rest.is_empty();
        self.append(fits);
        rest
    }

    fn fitting(&self, bytes: &[u8]) -> usize {
        let lines_left = self.share.max_lines - self.newlines;
        if lines_left == 0 {
            return 0;
        }
        let room = bytes.len().min(self.share.max_bytes - self.bytes.len());
        let by_bytes = text::boundary_at_or_before(bytes, room);
        if by_bytes < lines_left {
            return by_bytes; // too few bytes for that many lines, as always without a cap
        }
        text::after_newlines(&bytes[..by_bytes], lines_left).unwrap_or(by_bytes)
    }

    fn append(&mut self, bytes: &[u8]) {
        let needed = self.bytes.len() + bytes.len();
        let capacity = grown_capacity(self.bytes.capacity(), needed, self.share.max_bytes);
        self.bytes.reserve_exact(capacity - self.bytes.len());
        self.bytes.extend_from_slice(bytes);
        self.newlines += text::count_newlines(bytes);
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Lines that end in the head.
    pub(super) fn newlines(&self) -> usize {
        self.newlines
    }

    /// Lines that are seen in the head, one that was cut off included.
    pub(super) fn lines(&self) -> usize {
        self.newlines + usize::from(text::ends_inside_line(&self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_ends_before_a_character_that_does_not_fit_and_takes_no_later_one() {
        let mut head = Head::new(Caps::new(4, 10));
        assert_eq!(head.fill("中".as_bytes()), b"");
        assert_eq!(head.fill("é".as_bytes()), "é".as_bytes());
        assert_eq!(head.fill(b"a"), b"a");
        assert_eq!(head.as_bytes(), "中".as_bytes());
    }

    #[test]
    fn the_head_ends_with_its_last_line() {
        let mut head = Head::new(Caps::new(100, 2));
        assert_eq!(head.fill(b"1\n2\n3\n"), b"3\n");
        assert_eq!((head.newlines(), head.lines()), (2, 2));
    }

    #[test]
    fn an_idle_head_holds_no_memory_and_a_full_one_no_more_than_its_share() {
        let mut head = Head::new(Caps::new(1000, 1000));
        assert_eq!(head.bytes.capacity(), 0);
        for _ in 0..2000 {
            head.fill(b"x");
        }
        assert_eq!((head.len(), head.bytes.capacity()), (1000, 1000));
    }
}
