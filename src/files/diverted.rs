//! How much of a run's output went into a file.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::capture::Dropped;

/// What went into a file, and what did not, counted while it goes.
#[derive(Debug, Default)]
pub(crate) struct Diverted {
    written: AtomicU64,
    dropped_bytes: AtomicU64,
    dropped_lines: AtomicU64,
    /// Whether the last byte that was dropped ended a line.
    is_at_line_start: AtomicBool,
}

impl Diverted {
    /// Bytes that the run has put into the file.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// What the run has written beyond the cap of the file, or the room of the disk.
    pub(crate) fn dropped(&self) -> Option<Dropped> {
        let bytes = self.dropped_bytes.load(Ordering::Relaxed);
        let unfinished = u64::from(!self.is_at_line_start.load(Ordering::Relaxed));
        let lines = self.dropped_lines.load(Ordering::Relaxed) + unfinished;
        (bytes > 0).then_some(Dropped { bytes, lines })
    }

    pub(super) fn write(&self, bytes: u64) {
        self.written.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn drop_bytes(&self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.is_at_line_start.store(*last == b'\n', Ordering::Relaxed);
        let lines = memchr::memchr_iter(b'\n', bytes).count();
        self.dropped_lines.fetch_add(lines as u64, Ordering::Relaxed);
        self.dropped_bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_last_line_counts_as_one() {
        let diverted = Diverted::default();
        assert_eq!(diverted.dropped(), None);
        diverted.drop_bytes(b"a\nb");
        assert_eq!(diverted.dropped(), Some(Dropped { bytes: 3, lines: 2 }));
        diverted.drop_bytes(b"c\n");
        assert_eq!(diverted.dropped(), Some(Dropped { bytes: 5, lines: 2 }));
    }
}
