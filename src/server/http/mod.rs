//! The server over HTTP: the transport "streamable HTTP" of the MCP specification, of both eras.
//!
//! rmcp speaks the protocol; here is what stands before it. `options` is what can be chosen.
//! `server` is a configuration behind a `listener`, which has a `token` that lies in a `token_file`;
//! `listen` is its life. Each request goes to the `endpoint`: `access` looks at the token, `body`
//! reads the rest within bounds, `sessions` are those of clients that open one. What is answered
//! before the protocol is asked stands in `replies`, and `answer` is the body of all answers.
//! `connections` are limited in number, by their `usage`.

mod access;
mod answer;
mod body;
mod connections;
mod endpoint;
mod listen;
mod listener;
mod options;
mod replies;
mod server;
mod sessions;
mod token;
mod token_file;
mod usage;

pub use listener::HttpListener;
pub use options::{HttpAccess, HttpOptions};
pub use server::HttpServer;
pub(super) use sessions::WithinSession;
pub use token_file::TokenFileError;
pub(super) use token_file::sweep_all as sweep_tokens;

/// Where on the server the protocol is spoken.
const PATH: &str = "/mcp";
