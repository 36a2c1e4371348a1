//! The server of the program: an event loop of its own, and signals.

use std::io;
use std::path::PathBuf;

use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};

use super::error::ServeError;
use super::handler::Server;
#[cfg(feature = "http")]
use super::http::{HttpOptions, HttpServer};
use super::notice;
use super::session::session;
use super::stdio::Stdio;
use crate::config::Config;

/// Serves a configuration on the standard streams until the client goes, or SIGINT, SIGTERM or
/// SIGHUP comes. A workspace that holds one of the `reserved` files is refused.
///
/// A thread may be left that reads standard input or writes standard output; the process is to exit
/// without waiting for it.
pub(crate) fn run_stdio_blocking(config: &Config, reserved: &[PathBuf]) -> Result<(), ServeError> {
    let (event_loop, stop) = event_loop()?;
    let server = Server::new(config, reserved)?;
    notice::unconfined(config);
    event_loop.block_on(async {
        let stdio = Stdio::standard().map_err(ServeError::Stdio)?;
        session(server, stdio, stop).await
    })
    // The event loop is dropped here, with whatever did not end in time; then nothing holds the
    // runners any more, and their scratch folders go.
}

/// Serves a configuration over HTTP until SIGINT, SIGTERM or SIGHUP comes. Where, and where the token
/// is, is told on standard error. A workspace that holds the token file or one of the `reserved` files
/// is refused.
#[cfg(feature = "http")]
pub(crate) fn run_http_blocking(
    config: &Config,
    options: &HttpOptions,
    reserved: &[PathBuf],
) -> Result<(), ServeError> {
    let (event_loop, stop) = event_loop()?;
    let server = HttpServer::bind_reserving(config, options, reserved)?;
    notice::listening(&server);
    event_loop.block_on(server.serve(stop))
}

/// An event loop, and what resolves when this process is asked to stop.
fn event_loop() -> Result<(runtime::Runtime, impl Future<Output = ()>), ServeError> {
    let event_loop = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ServeError::EventLoop)?;
    // First of all: a signal that comes during the start must not leave scratch folders behind.
    let stop = event_loop.block_on(async { asked_to_stop() }).map_err(ServeError::EventLoop)?;
    Ok((event_loop, stop))
}

/// Resolves when a signal asks this process to end. A client may send any of them, or a person.
fn asked_to_stop() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    })
}
