//! From a place in a text to its line.

/// Where the lines of a text begin.
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(after.map(|(at, _)| at + 1)).collect();
        Lines { text, starts }
    }

    /// The line of a byte, from 1.
    pub(crate) fn line(&self, byte: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= byte)).unwrap_or(u32::MAX)
    }

    /// The line and the column in characters, each from 1.
    pub(crate) fn place(&self, byte: usize) -> (u32, usize) {
        let line = self.line(byte);
        let start = self.starts[line as usize - 1];
        let before = self.text.get(start..byte.max(start)).unwrap_or_default();
        (line, before.chars().count() + 1)
    }
}
