//! The MCP server: the tools of a configuration, on standard input and output or over HTTP. Nothing
//! else in this crate knows `rmcp`.
//!
//! `pack` is a tool instance at work. `tools` says how each tool is listed and what it answers, with
//! the `facts`, the texts of `describe`, the schemas of `schema`, and what `arguments` and `request` make of a
//! call; `answer` is what comes of it, as JSON or in `sections`. `handler` speaks the protocol, `consent` asks a person about a run that was refused something, `calls` are the calls that are being answered, and `notify` is
//! what clients are told besides. `shell_pack` is an instance in a server of somebody else. `stdio`
//! makes streams of the standard descriptors, and `session` is one client from its first message to
//! the end of the last run. `http` is the same for many clients.

mod answer;
mod arguments;
#[cfg(feature = "cli")]
mod blocking;
mod calls;
mod consent;
mod describe;
mod error;
mod facts;
mod handler;
#[cfg(feature = "http")]
mod http;
mod notice;
mod notify;
mod pack;
mod request;
mod schema;
mod sections;
mod session;
mod shell_pack;
mod stdio;
mod tools;
mod words;

#[cfg(feature = "http")]
pub use self::http::{HttpAccess, HttpListener, HttpOptions, HttpServer, TokenFileError};
pub use answer::RunAnswer;
#[cfg(all(feature = "cli", feature = "http"))]
pub(crate) use blocking::run_http_blocking;
#[cfg(feature = "cli")]
pub(crate) use blocking::run_stdio_blocking;
pub use error::ServeError;
pub use rmcp;
pub use shell_pack::{PackOptions, ShellPack};

use crate::config::Config;

/// Serves a configuration to one MCP client, on this process's standard input and output, until the
/// client goes.
///
/// Everything is built before anything is read: a mistake is an error and not an answer. An instance
/// without a sandbox is named on standard error. Dropping the future kills all runs. What must not
/// lie within a workspace, such as the configuration file, is the caller's to look after.
///
/// A client is told more than its answers: the output of a run while it goes on, when its request
/// asks for log messages (revision 2026-07-28, `logLevel` `info` or lower); progress each second, when
/// its request has a token for that; and what happens to its jobs, in `notifications/message` and
/// `notifications/job`: for the length of a session, or, where there is none, within the call that
/// starts one. In the `_meta` of a message that belongs to a request, `io.github.cofferdam/requestId`
/// is the id of the request. None of it is needed: `poll` and `output` tell everything, always.
///
/// The streams belong to the protocol from here on: the caller must not use them. Where they are
/// neither pipes nor at their end, two threads may be left that wait for them until the process
/// ends.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use cofferdam::config::Config;
///
/// let config = Config::from_file("mcp.json".as_ref())?;
/// cofferdam::serve_stdio(&config).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`ServeError`] when an instance or the streams cannot be used, and when the client opens no
/// session.
pub async fn serve_stdio(config: &Config) -> Result<(), ServeError> {
    let server = handler::Server::new(config, &[])?;
    notice::unconfined(config);
    let stdio = stdio::Stdio::standard().map_err(ServeError::Stdio)?;
    session::session(server, stdio, std::future::pending()).await
}
