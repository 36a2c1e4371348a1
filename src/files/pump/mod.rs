//! The threads that carry bytes between files and pipes. A thread each, since a disk may make its user
//! wait for as long as it likes; it ends with the pipe, or when it is told to stop.

mod drain;
mod feed;
mod thread;

use std::path::Path;

pub(crate) use drain::Drain;
pub(crate) use feed::Feed;

/// As much as a pipe holds by default (`pipe(7)`), for files to which the kernel carries nothing itself.
const CHUNK: usize = 64 * 1024;
/// The kernel carries no more at once than a pipe holds.
const MOST_AT_ONCE: usize = 1024 * 1024;

/// What is said behind the standard error of a command whose file failed on the way.
fn failure(key: &str, path: &Path, error: rustix::io::Errno) -> String {
    let error = std::io::Error::from(error);
    format!("cofferdam: `{key}` `{}` failed on the way: {error}", path.display())
}
