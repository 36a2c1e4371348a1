//! What the library tells by `tracing`, written to standard error: one event on each line, as it is.

use std::io::{self, Write};

use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::prelude::*;

/// Standard error, which nobody may be reading any more: that must not stop anything.
struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = io::stderr().lock().write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// From here on, what the library tells is written. Once in the life of a program.
pub(super) fn listen() {
    let line = tracing_subscriber::fmt::layer()
        .without_time()
        .with_level(false)
        .with_target(false)
        .with_ansi(false)
        .with_writer(|| Stderr);
    // Other crates tell things that are no operator's concern.
    let ours = Targets::new().with_target(crate::audit::TARGET, Level::INFO);
    // It fails where there is a listener already, which is then the one to listen.
    let _ = tracing_subscriber::registry().with(line.with_filter(ours)).try_init();
}
