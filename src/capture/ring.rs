//! The rolling tail: new bytes push the oldest ones out.

use std::collections::VecDeque;

use super::caps::grown_capacity;
use super::text::{self, REACH};

/// The newest bytes of a stream. It knows how many lines end in it; how much may stay is decided
/// by its owner.
#[derive(Debug, Default)]
pub(super) struct Ring {
    bytes: VecDeque<u8>,
    newlines: usize,
}

impl Ring {
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Lines that end in the ring.
    pub(super) fn newlines(&self) -> usize {
        self.newlines
    }

    /// Adds `bytes`, in which `newlines` lines end. The memory grows on demand, up to `limit`
    /// bytes; the owner has evicted before whatever is too much.
    pub(super) fn append(&mut self, bytes: &[u8], newlines: usize, limit: usize) {
        let needed = self.bytes.len() + bytes.len();
        let capacity = grown_capacity(self.bytes.capacity(), needed, limit);
        self.bytes.reserve_exact(capacity - self.bytes.len());
        self.bytes.extend(bytes);
        self.newlines += newlines;
    }

    /// Removes the oldest `count` bytes and returns how many lines ended in them.
    pub(super) fn evict(&mut self, count: usize) -> usize {
        // Count what goes, not what stays: one more byte must cost one byte of counting.
        let newlines =
            if count == self.len() { self.newlines } else { self.newlines_before(count) };
        self.bytes.drain(..count);
        self.newlines -= newlines;
        newlines
    }

    /// The bytes from `offset` on, oldest first, in two pieces.
    pub(super) fn from(&self, offset: usize) -> [&[u8]; 2] {
        let (front, back) = self.bytes.as_slices();
        let in_front = offset.min(front.len());
        [&front[in_front..], &back[offset - in_front..]]
    }

    /// The byte before `offset`, if it is still here.
    pub(super) fn before(&self, offset: usize) -> Option<u8> {
        self.bytes.get(offset.checked_sub(1)?).copied()
    }

    /// How many lines end from `offset` on.
    pub(super) fn newlines_from(&self, offset: usize) -> usize {
        self.from(offset).into_iter().map(text::count_newlines).sum()
    }

    fn newlines_before(&self, offset: usize) -> usize {
        let (front, back) = self.bytes.as_slices();
        let in_front = offset.min(front.len());
        text::count_newlines(&front[..in_front]) + text::count_newlines(&back[..offset - in_front])
    }

    /// The place after the `count`-th newline, or the end where there are fewer.
    pub(super) fn after_newlines(&self, count: usize) -> usize {
        if count == 0 {
            return 0;
        }
        let [front, back] = self.from(0);
        if let Some(place) = text::after_newlines(front, count) {
            return place;
        }
        let left = count - text::count_newlines(front);
        text::after_newlines(back, left).map_or(self.len(), |place| front.len() + place)
    }

    /// The first place at or after `at` that is not inside a character.
    pub(super) fn boundary_at_or_after(&self, at: usize) -> usize {
        let start = at.saturating_sub(REACH);
        let end = self.len().min(at + REACH);
        let mut around = [0; 2 * REACH];
        for (copy, byte) in around.iter_mut().zip(self.bytes.range(start..end)) {
            *copy = *byte;
        }
        start + text::boundary_at_or_after(&around[..end - start], at - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring that holds `text` across its seam, whatever the offset asked for.
    fn wrapped(text: &[u8], seam: usize) -> Ring {
        let mut ring = Ring::default();
        ring.append(&vec![b'x'; text.len() - seam], 0, text.len());
        ring.append(&text[..seam], text::count_newlines(&text[..seam]), text.len());
        ring.evict(text.len() - seam);
        ring.append(&text[seam..], text::count_newlines(&text[seam..]), text.len());
        assert_eq!(ring.from(0).concat(), text);
        ring
    }

    #[test]
    fn every_question_has_the_same_answer_wherever_the_seam_is() {
        let text = "a\n中\n😀\nend".as_bytes();
        for seam in 0..=text.len() {
            let ring = wrapped(text, seam);
            assert_eq!(ring.newlines(), 3);
            for at in 0..=text.len() {
                assert_eq!(ring.from(at).concat(), &text[at..]);
                assert_eq!(ring.newlines_from(at), text::count_newlines(&text[at..]));
                assert_eq!(ring.boundary_at_or_after(at), text::boundary_at_or_after(text, at));
            }
            let places: Vec<_> = (0..=4).map(|count| ring.after_newlines(count)).collect();
            assert_eq!(places, [0, 2, 6, 11, text.len()]);
        }
    }

    #[test]
    fn what_is_evicted_takes_its_lines_along() {
        let mut ring = wrapped(b"1\n22\n333\n", 4);
        assert_eq!(ring.evict(3), 1);
        assert_eq!((ring.from(0).concat(), ring.newlines()), (b"2\n333\n".to_vec(), 2));
        assert_eq!(ring.evict(ring.len()), 2);
        assert_eq!((ring.len(), ring.newlines()), (0, 0));
    }

    #[test]
    fn an_idle_ring_holds_no_memory_and_a_full_one_no_more_than_its_limit() {
        let mut ring = Ring::default();
        assert_eq!(ring.bytes.capacity(), 0);
        for _ in 0..3000 {
            if ring.len() == 1000 {
                ring.evict(1);
            }
            ring.append(b"x", 0, 1000);
        }
        assert_eq!((ring.len(), ring.bytes.capacity()), (1000, 1000));
    }
}
