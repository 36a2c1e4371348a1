//! Why a server does not start, or did not get to serve.

use std::io;
#[cfg(feature = "http")]
use std::net::SocketAddr;
#[cfg(feature = "http")]
use std::path::PathBuf;

use rmcp::service::ServerInitializeError;

#[cfg(feature = "http")]
use super::http::TokenFileError;
use crate::config::SettingsError;

/// A server that cannot serve. That a client goes away is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The settings of a tool instance cannot be used. Nothing was read and nothing was written.
    #[error("the tool instance `{instance}` cannot be used")]
    Settings {
        /// Its key in the configuration.
        instance: String,
        /// Why.
        #[source]
        source: SettingsError,
    },
    /// The event loop cannot be made, or signals cannot be received.
    #[error("the event loop cannot be made")]
    EventLoop(#[source] io::Error),
    /// Standard input or output cannot be used.
    #[error("standard input and output cannot be used")]
    Stdio(#[source] io::Error),
    /// The client opened with something else than a request.
    #[error("the client opened no session: {0}")]
    NoSession(String),
    /// The address cannot be listened on.
    #[cfg(feature = "http")]
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Other machines can reach the address, and clients were to show no token.
    #[cfg(feature = "http")]
    #[error(
        "other machines can reach {address}, so that clients must show a token: leave out \
         `--no-auth`, or listen on a loopback address such as 127.0.0.1"
    )]
    Open {
        /// The address.
        address: SocketAddr,
    },
    /// The token file cannot be used.
    #[cfg(feature = "http")]
    #[error("the token file `{path}` cannot be used", path = path.display())]
    TokenFile {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: TokenFileError,
    },
    /// No token can be made, or it cannot be left where clients find it.
    #[cfg(feature = "http")]
    #[error("no token can be made; name a file that holds one with `--token-file`")]
    Token(#[source] io::Error),
    /// The part that speaks the protocol failed. A mistake of Cofferdam.
    #[error("the session broke off")]
    Broken(#[source] tokio::task::JoinError),
}

/// Whether a session that was never opened is anybody's mistake.
pub(super) fn unopened(error: ServerInitializeError) -> Result<(), ServeError> {
    use ServerInitializeError as Error;
    match error {
        // The client went away first, or this process was asked to stop.
        Error::ConnectionClosed(_) | Error::TransportError { .. } | Error::Cancelled => Ok(()),
        // Its own text holds the message itself, which may be of any length.
        Error::ExpectedInitializeRequest(_) => {
            Err(ServeError::NoSession("its first message is not a request".to_owned()))
        }
        other => Err(ServeError::NoSession(other.to_string())),
    }
}
