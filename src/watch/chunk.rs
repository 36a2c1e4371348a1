//! What is read from a pipe, before it is kept.
//!
//! There is one such buffer for each thread that watches runs, and not one for each run: a read is over
//! before the next one begins, and of a job that writes nothing for an hour nothing lies in it.

use std::cell::Cell;

/// One read takes as much as a pipe holds by default (`pipe(7)`).
const SIZE: usize = 64 * 1024;

thread_local! {
    static CHUNK: Cell<Option<Box<[u8]>>> = const { Cell::new(None) };
}

/// Lends the thread's buffer. What is in it from before means nothing.
pub(super) fn with_chunk<T>(read: impl FnOnce(&mut [u8]) -> T) -> T {
    let mut chunk = CHUNK.take().unwrap_or_else(|| vec![0; SIZE].into_boxed_slice());
    let read = read(&mut chunk);
    CHUNK.set(Some(chunk));
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_buffer_is_the_same_each_time_and_another_one_within_itself() {
        let place = |chunk: &mut [u8]| chunk.as_ptr().addr();
        let first = with_chunk(place);
        assert_eq!(with_chunk(place), first);
        let (outer, inner) = with_chunk(|chunk| (place(chunk), with_chunk(place)));
        assert_eq!(outer, first);
        assert_ne!(inner, outer);
    }
}
