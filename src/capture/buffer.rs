//! The buffer: what is kept of a stream, and the counts of the rest.

use std::mem;

use super::caps::{Cap, Caps};
use super::half::HalfCharacter;
use super::head::Head;
use super::position::{Dropped, Position, Written};
use super::ring::Ring;
use super::text;

/// One output stream, captured within [`Caps`]: its head, its rolling tail, and exact counts of
/// what was dropped between them.
///
/// The head is the first quarter of the budget. The tail has what the head leaves of it, at least
/// the other three quarters, so nothing is ever dropped from a stream that fits. How the
/// writes were cut into pieces makes no difference to what is kept.
///
/// Memory grows as output arrives, up to [`Caps::max_bytes`] and a small constant. A new buffer
/// allocates nothing.
///
/// A buffer has one owner; behind a lock, every read is one consistent look at it.
#[derive(Debug)]
pub struct Buffer {
    caps: Caps,
    pub(super) head: Head,
    pub(super) tail: Ring,
    /// Between head and tail; zero bytes as long as the two are one text.
    between: Dropped,
    /// The cap that was exceeded first, once one was.
    exceeded: Option<Cap>,
    /// Whether the last byte that passed ended no line. Not always to be seen in the tail: caps
    /// of a byte or two may have dropped it.
    inside_line: bool,
    half: HalfCharacter,
    finished: bool,
}

impl Buffer {
    /// An empty buffer for a stream that is still open.
    #[must_use]
    pub fn new(caps: Caps) -> Self {
        Self {
            caps,
            head: Head::new(caps.head_share()),
            tail: Ring::default(),
            between: Dropped { bytes: 0, lines: 0 },
            exceeded: None,
            inside_line: false,
            half: HalfCharacter::default(),
            finished: false,
        }
    }

    /// Takes the next bytes of the stream, any number of them. What falls between head and tail is
    /// counted and never copied. After [`finish`](Self::finish) nothing is taken.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.finished {
            return;
        }
        let mut rest = bytes;
        if !self.half.is_empty() {
            let Some(used) = self.half.complete(rest) else {
                return;
            };
            self.keep_half();
            rest = &rest[used..];
        }
        let (whole, half) = text::split_half_character(rest);
        self.keep(whole);
        self.half = HalfCharacter::new(half);
    }

    /// The stream has ended. Half a character at its end, until now held back, will never become
    /// whole: it is kept as the bytes it is. Calling this twice is calling it once.
    pub fn finish(&mut self) {
        self.keep_half();
        self.finished = true;
    }

    /// Whether the stream has ended.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The caps this buffer was made with.
    #[must_use]
    pub fn caps(&self) -> Caps {
        self.caps
    }

    /// Everything the command has written so far, whatever has become of it since.
    #[must_use]
    pub fn written(&self) -> Written {
        let end = self.end();
        Written { bytes: end.bytes + self.half.as_bytes().len() as u64, lines: end.lines }
    }

    /// What was dropped so far between head and tail; `None` when nothing was.
    #[must_use]
    pub fn dropped(&self) -> Option<Dropped> {
        (self.between.bytes > 0).then_some(self.between)
    }

    /// The cap that the stream exceeded first; `None` as long as nothing was dropped.
    #[must_use]
    pub fn exceeded(&self) -> Option<Cap> {
        self.exceeded
    }

    /// The first and the last bytes that are kept, at most so many of each. Where the two join, all
    /// stands in the first. Costs what it returns, however much is kept.
    pub(crate) fn edges(&self, first: usize, last: usize) -> (Vec<u8>, Vec<u8>) {
        let head = self.head.as_bytes();
        let [tail, rest] = self.tail.from(0);
        let kept = head.len() + tail.len() + rest.len();
        let slice = |from: usize, to: usize| {
            let mut bytes = Vec::with_capacity(to - from);
            let mut start = 0;
            for piece in [head, tail, rest] {
                let within = |at: usize| at.clamp(start, start + piece.len()) - start;
                bytes.extend_from_slice(&piece[within(from)..within(to)]);
                start += piece.len();
            }
            bytes
        };
        let has_gap = self.between.bytes > 0;
        if !has_gap && kept <= first.saturating_add(last) {
            return (slice(0, kept), Vec::new());
        }
        // What was dropped lies between head and tail: nothing may be read across it.
        let gap = if has_gap { head.len() } else { kept };
        let front = first.min(gap);
        let back = kept.saturating_sub(last).max(if has_gap { gap } else { front });
        (slice(0, front), slice(back, kept))
    }

    fn keep_half(&mut self) {
        let half = mem::take(&mut self.half);
        self.keep(half.as_bytes());
    }

    /// Keeps whole characters, and bytes that belong to none.
    fn keep(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        self.inside_line = last != b'\n';
        let rest = self.head.fill(bytes);
        if !rest.is_empty() {
            self.roll(rest);
        }
    }

    /// Adds to the tail what the head did not take, and drops what is then too much.
    fn roll(&mut self, bytes: &[u8]) {
        let room = self.caps.max_bytes - self.head.len();
        let newlines = text::count_newlines(bytes);
        if self.fits(bytes, newlines) {
            return self.tail.append(bytes, newlines, room);
        }
        self.exceeded = self.exceeded.or_else(|| Some(Cap::exceeded_first(bytes, self.room())));
        // A head that was cut off inside a line is seen as a line, and counts as one.
        let allowance = Caps::new(room, self.caps.max_lines - self.head.lines());
        let (surplus, kept) = bytes.split_at(surplus(bytes, allowance));
        let kept_newlines = text::count_newlines(kept);
        if surplus.is_empty() {
            self.evict(self.too_much(kept, kept_newlines, allowance));
        } else {
            self.evict(self.tail.len());
            self.count_dropped(surplus.len(), newlines - kept_newlines);
        }
        self.tail.append(kept, kept_newlines, room);
    }

    /// Whether the stream with these bytes is still one text within the caps.
    fn fits(&self, bytes: &[u8], newlines: usize) -> bool {
        let all_bytes = self.head.len() + self.tail.len() + bytes.len();
        let all_newlines = self.head.newlines() + self.tail.newlines() + newlines;
        self.between.bytes == 0
            && all_bytes <= self.caps.max_bytes
            && lines(all_newlines, bytes) <= self.caps.max_lines
    }

    /// What the stream may still have, of bytes and of ends of lines, before something is dropped.
    fn room(&self) -> Caps {
        Caps::new(
            self.caps.max_bytes.saturating_sub(self.head.len() + self.tail.len()),
            self.caps.max_lines.saturating_sub(self.head.newlines() + self.tail.newlines()),
        )
    }

    /// How many bytes the tail has to lose before these can join it.
    fn too_much(&self, bytes: &[u8], newlines: usize, allowance: Caps) -> usize {
        let all_bytes = self.tail.len() + bytes.len();
        let all_lines = lines(self.tail.newlines() + newlines, bytes);
        let by_bytes = all_bytes.saturating_sub(allowance.max_bytes);
        let by_lines = all_lines.saturating_sub(allowance.max_lines);
        self.tail.boundary_at_or_after(by_bytes).max(self.tail.after_newlines(by_lines))
    }

    fn evict(&mut self, bytes: usize) {
        let newlines = self.tail.evict(bytes);
        self.count_dropped(bytes, newlines);
    }

    fn count_dropped(&mut self, bytes: usize, newlines: usize) {
        self.between.bytes += bytes as u64;
        self.between.lines += newlines as u64;
    }

    /// The place after everything that can be read so far.
    pub(super) fn end(&self) -> Position {
        let newlines = self.head.newlines() + self.tail.newlines();
        Position {
            bytes: self.tail_start() + self.tail.len() as u64,
            lines: self.between.lines + newlines as u64,
            inside_line: self.inside_line,
        }
    }

    /// Bytes before the tail, dropped ones included.
    pub(super) fn tail_start(&self) -> u64 {
        self.head.len() as u64 + self.between.bytes
    }
}

/// The front of `bytes` that could not stay even in an empty tail.
fn surplus(bytes: &[u8], allowance: Caps) -> usize {
    let too_many = bytes.len().saturating_sub(allowance.max_bytes);
    let by_bytes = text::boundary_at_or_after(bytes, too_many);
    let rest = &bytes[by_bytes..];
    if lines(text::count_newlines(rest), rest) <= allowance.max_lines {
        return by_bytes;
    }
    by_bytes + text::start_of_last_lines(rest, allowance.max_lines)
}

/// Lines of a text that has so many newlines and ends with `ending`.
fn lines(newlines: usize, ending: &[u8]) -> usize {
    newlines + usize::from(text::ends_inside_line(ending))
}
