//! The size of a pipe.

use std::os::fd::AsFd;

/// Lets a pipe hold more than the 64 KiB that it has by default. The stages of a pipeline are sessions
/// of their own, and between sessions the scheduler changes over at a price (`sched(7)`, "The autogroup
/// feature"): so it is to happen less often. Where the user has used up what pipes may hold it stays as
/// it is (`pipe(7)`, "pipe-user-pages-soft").
pub(crate) fn widen_pipe(pipe: impl AsFd) {
    const SIZE: usize = 256 * 1024;
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, SIZE);
}
