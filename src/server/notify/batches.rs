//! Output in pieces, read from the buffers of a run while it goes on.
//!
//! The buffers wait for nobody: a reader that comes too late finds a marker where the middle was
//! dropped, as everywhere else. So nothing here grows with what a command writes.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::capture::Cursor;
use crate::captured::Captured;

/// The most that one message holds, in bytes of text.
const MOST: usize = 32 * 1024;

/// What is written within this time goes into one message. People see no difference, and a command
/// that writes byte by byte does not make a message of each.
const PAUSE: Duration = Duration::from_millis(100);

/// A piece of one stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Batch {
    /// `stdout` or `stderr`.
    pub(super) stream: &'static str,
    /// Never empty, and never cut within a character.
    pub(super) text: String,
}

/// Reads what a run writes. Joined, the batches of a stream are its text.
#[derive(Debug)]
pub(super) struct Batches {
    captured: Arc<Captured>,
    cursor: Cursor,
    /// Bytes written to both streams, when they were last looked at.
    seen: u64,
    /// No batch before this moment, but for the last ones.
    next: Instant,
    is_over: bool,
}

impl Batches {
    pub(super) fn new(captured: Arc<Captured>) -> Self {
        Batches { captured, cursor: Cursor::START, seen: 0, next: Instant::now(), is_over: false }
    }

    /// Whether everything was taken.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Resolves when there is something to take, or the run is over.
    pub(super) async fn ready(&self) {
        self.until(|written, is_finished| is_finished || written > self.seen).await;
        tokio::select! {
            () = self.until(|_, is_finished| is_finished) => {}
            () = sleep_until(self.next) => {}
        }
    }

    /// Resolves when this holds of the bytes written, and of whether there will be more.
    async fn until(&self, holds: impl Fn(u64, bool) -> bool) {
        loop {
            // Asked for before the look, so that no write is missed in between.
            let news = self.captured.news();
            if holds(self.written(), self.is_finished()) {
                return;
            }
            news.await;
        }
    }

    /// What was written since the last time.
    pub(super) fn take(&mut self) -> Vec<Batch> {
        self.next = Instant::now() + PAUSE;
        self.seen = self.written();
        let Ok(window) = self.captured.since(self.cursor) else {
            self.is_over = true;
            return Vec::new();
        };
        self.cursor = window.next();
        self.is_over = window.stdout.eof && window.stderr.eof;
        let stdout = pieces(&window.stdout.text).map(|text| ("stdout", text));
        let stderr = pieces(&window.stderr.text).map(|text| ("stderr", text));
        let both = stdout.chain(stderr);
        both.map(|(stream, text)| Batch { stream, text: text.to_owned() }).collect()
    }

    fn written(&self) -> u64 {
        let buffers = self.captured.lock();
        buffers.stdout.written().bytes + buffers.stderr.written().bytes
    }

    fn is_finished(&self) -> bool {
        let buffers = self.captured.lock();
        buffers.stdout.is_finished() && buffers.stderr.is_finished()
    }
}

/// A text in pieces of at most [`MOST`] bytes, cut between characters.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(MOST));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Caps;
    use crate::captured::Channel;

    fn on_a_loop<T>(test: impl AsyncFnOnce() -> T) -> T {
        let event_loop = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        event_loop.block_on(test())
    }

    fn captured(most: usize) -> Arc<Captured> {
        Arc::new(Captured::new(Caps::new(most, most)))
    }

    fn joined(batches: &[Batch], stream: &str) -> String {
        let of_stream = batches.iter().filter(|batch| batch.stream == stream);
        of_stream.map(|batch| batch.text.as_str()).collect()
    }

    #[test]
    fn a_burst_is_cut_between_characters_into_pieces_that_join_to_the_whole() {
        let captured = captured(1 << 20);
        let text = "é😀中a\n".repeat(10_000);
        captured.push(Channel::Stdout, text.as_bytes());
        captured.push(Channel::Stderr, b"oops\n");
        let batches = on_a_loop(async || Batches::new(captured).take());
        assert!(batches.len() > 3);
        assert!(batches.iter().all(|batch| (1..=MOST).contains(&batch.text.len())));
        assert_eq!(joined(&batches, "stdout"), text);
        assert_eq!(joined(&batches, "stderr"), "oops\n");
    }

    #[test]
    fn what_comes_byte_by_byte_is_never_seen_in_half_characters() {
        let captured = captured(1024);
        let text = "hé😀中\n";
        on_a_loop(async || {
            let mut batches = Batches::new(captured.clone());
            let mut all = Vec::new();
            for byte in text.bytes() {
                captured.push(Channel::Stdout, &[byte]);
                batches.ready().await;
                all.extend(batches.take());
            }
            captured.finish();
            batches.ready().await;
            all.extend(batches.take());
            assert!(batches.is_over());
            assert_eq!(joined(&all, "stdout"), text);
            assert!(all.iter().all(|batch| !batch.text.contains('\u{fffd}')), "{all:?}");
        });
    }

    #[test]
    fn writes_that_follow_each_other_share_a_batch_and_none_waits_for_longer_than_the_pause() {
        let captured = captured(1024);
        on_a_loop(async || {
            let mut batches = Batches::new(captured.clone());
            captured.push(Channel::Stdout, b"1");
            batches.ready().await;
            assert_eq!(joined(&batches.take(), "stdout"), "1");
            let begun = Instant::now();
            captured.push(Channel::Stdout, b"2");
            captured.push(Channel::Stdout, b"3");
            batches.ready().await;
            assert_eq!(begun.elapsed(), PAUSE);
            assert_eq!(joined(&batches.take(), "stdout"), "23");
        });
    }

    #[test]
    fn the_end_waits_for_no_pause() {
        let captured = captured(1024);
        on_a_loop(async || {
            let mut batches = Batches::new(captured.clone());
            captured.push(Channel::Stdout, b"1");
            batches.ready().await;
            batches.take();
            let begun = Instant::now();
            captured.push(Channel::Stdout, b"2");
            captured.finish();
            batches.ready().await;
            assert_eq!(begun.elapsed(), Duration::ZERO);
            assert_eq!(joined(&batches.take(), "stdout"), "2");
            assert!(batches.is_over());
        });
    }

    #[test]
    fn a_reader_that_comes_too_late_finds_a_marker_and_the_end() {
        let captured = captured(1024);
        on_a_loop(async || {
            let mut batches = Batches::new(captured.clone());
            for _ in 0..1000 {
                captured.push(Channel::Stdout, &[b'x'; 1000]);
            }
            captured.finish();
            let text = joined(&batches.take(), "stdout");
            assert!(text.contains("bytes / 0 lines dropped"), "{text}");
            assert!(text.len() < 1100, "{}", text.len());
            assert!(batches.is_over());
        });
    }
}
