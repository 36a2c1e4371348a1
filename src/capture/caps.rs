//! How much of a stream is kept.

/// The budget of one output stream. Both caps hold; whichever runs out first decides.
///
/// Any values work. Zero in either keeps nothing and counts everything; below four bytes or four
/// lines there is no head, only a tail. (The settings ask for at least 1024 bytes and 10 lines.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Most bytes kept, the marker not counted. [`usize::MAX`] is no cap.
    pub max_bytes: usize,
    /// Most lines kept, the marker not counted. A line ends with `\n`; a last line without one is
    /// a line too, so that `"a\nb"` has two lines, as `"a\nb\n"` has. A carriage return ends no
    /// line. [`usize::MAX`] is no cap.
    pub max_lines: usize,
}

impl Caps {
    /// No caps: everything is kept, and memory grows with the output.
    pub const NONE: Self = Self::new(usize::MAX, usize::MAX);

    /// Keep at most `max_bytes` bytes and at most `max_lines` lines.
    #[must_use]
    pub const fn new(max_bytes: usize, max_lines: usize) -> Self {
        Self { max_bytes, max_lines }
    }

    /// The head's share: the first quarter of each cap, rounded down. The tail gets the rest.
    pub(super) const fn head_share(self) -> Self {
        Self::new(self.max_bytes / 4, self.max_lines / 4)
    }
}

impl Default for Caps {
    /// 16384 bytes and 2000 lines, as in the settings `max-output-bytes` and `max-output-lines`.
    fn default() -> Self {
        Self::new(16 * 1024, 2000)
    }
}

/// One of the caps on what a run writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cap {
    /// [`Caps::max_bytes`].
    Bytes,
    /// [`Caps::max_lines`].
    Lines,
    /// The cap on the file in place of standard output. No [`Buffer`](super::Buffer) has it.
    FileBytes,
}

impl Cap {
    /// The setting that holds it: `max-output-bytes`, `max-output-lines` or `max-file-bytes`.
    #[must_use]
    pub const fn setting(self) -> &'static str {
        match self {
            Cap::Bytes => "max-output-bytes",
            Cap::Lines => "max-output-lines",
            Cap::FileBytes => "max-file-bytes",
        }
    }

    /// Which cap these bytes exceed first, where there is room for so many bytes and so many ends of
    /// lines. They do not fit.
    pub(super) fn exceeded_first(bytes: &[u8], room: Caps) -> Cap {
        let too_many = (bytes.len() > room.max_bytes).then_some(room.max_bytes);
        let next_line = match room.max_lines.checked_sub(1) {
            None => Some(0),
            Some(last) => memchr::memchr_iter(b'\n', bytes).nth(last).map(|end| end + 1),
        };
        match (too_many, next_line) {
            (Some(byte), Some(line)) if byte <= line => Cap::Bytes,
            (Some(_), None) => Cap::Bytes,
            _ => Cap::Lines,
        }
    }
}

/// How many bytes to ask for so that `needed` fit: doubling keeps many small writes cheap, and
/// stopping at `limit` keeps the doubling from overshooting the cap.
pub(super) fn grown_capacity(capacity: usize, needed: usize, limit: usize) -> usize {
    if needed <= capacity {
        return capacity;
    }
    capacity.saturating_mul(2).min(limit).max(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cap_that_is_reached_first_is_the_one_that_is_exceeded() {
        let first = |text: &str, bytes, lines| {
            Cap::exceeded_first(text.as_bytes(), Caps::new(bytes, lines))
        };
        assert_eq!(first("abcd", 3, 10), Cap::Bytes);
        assert_eq!(first("a\nb\nc\n", 100, 2), Cap::Lines);
        assert_eq!(first("a\nb\nc\nd\n", 6, 2), Cap::Lines, "at byte 4");
        assert_eq!(first("a\nb\nc\nd\n", 3, 2), Cap::Bytes, "at byte 3");
        assert_eq!(first("x", 100, 0), Cap::Lines);
    }

    #[test]
    fn the_head_gets_a_quarter_of_each_cap() {
        assert_eq!(Caps::new(1024, 10).head_share(), Caps::new(256, 2));
        assert_eq!(Caps::new(3, 3).head_share(), Caps::new(0, 0));
    }

    #[test]
    fn storage_doubles_until_it_meets_the_cap() {
        assert_eq!(grown_capacity(100, 50, 1000), 100);
        assert_eq!(grown_capacity(100, 101, 1000), 200);
        assert_eq!(grown_capacity(600, 601, 1000), 1000);
        assert_eq!(grown_capacity(0, 7, usize::MAX), 7);
    }
}
