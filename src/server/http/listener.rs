//! What listens, before anybody says what is served.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rmcp::ServerHandler;
use tokio_util::sync::CancellationToken;

use super::access::Access;
use super::endpoint::Endpoint;
use super::listen::listen;
use super::token::Token;
use super::token_file::{self, Generated};
use super::{HttpAccess, HttpOptions, PATH};
use crate::server::error::ServeError;

/// An address that is listened on, for an MCP server of a host's own. For a configuration there is
/// [`HttpServer`](super::HttpServer).
///
/// * Every request shows a bearer token, except with [`HttpAccess::Open`]. There is no TLS: beyond
///   the own machine everyone on the way can read the traffic, the token included.
/// * A page in a browser is answered only when it comes from this machine (`Origin`), and on a
///   loopback address only when it calls the server by a name of this machine (`Host`).
/// * A request has at most 16 MiB. There are at most 256 connections, and no more than a quarter of
///   the descriptors that the process may have; when there are too many, the one that was idle for
///   the longest time is closed.
/// * A client that speaks the revision 2026-07-28 and hangs up has cancelled its request. Earlier
///   ones have sessions: what they have begun goes on, until they cancel it or delete the session.
///
/// ```no_run
/// # use cofferdam::{HttpListener, HttpOptions, ShellPack};
/// # use cofferdam::rmcp::ServerHandler;
/// # #[derive(Clone)]
/// # struct Mine { shell: ShellPack }
/// # impl ServerHandler for Mine {}
/// # async fn example(mine: Mine) -> Result<(), Box<dyn std::error::Error>> {
/// let listener = HttpListener::bind(&HttpOptions::new("127.0.0.1:0".parse()?))?;
/// println!("{}, token in {:?}", listener.url(), listener.token_file());
/// let shell = mine.shell.clone();
/// let one = move || Mine { shell: mine.shell.for_another_client() };
/// listener.serve(one, std::future::pending(), shell.shut_down()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct HttpListener {
    listener: TcpListener,
    address: SocketAddr,
    is_local: bool,
    access: Access,
    token_file: TokenFile,
}

/// Where the token is.
#[derive(Debug)]
enum TokenFile {
    None,
    Chosen(PathBuf),
    Generated(Generated),
}

impl HttpListener {
    /// Begins to listen. Connections wait until [`HttpListener::serve`].
    ///
    /// # Errors
    /// [`ServeError`] when the token file or the address cannot be used.
    pub fn bind(options: &HttpOptions) -> Result<Self, ServeError> {
        let (access, token_file) = access(options)?;
        let unusable = |source| ServeError::Listen { address: options.address, source };
        let listener = TcpListener::bind(options.address).map_err(unusable)?;
        listener.set_nonblocking(true).map_err(unusable)?;
        let address = listener.local_addr().map_err(unusable)?;
        Ok(HttpListener { listener, address, is_local: options.is_local(), access, token_file })
    }

    /// The address that it listens on, with the port that was taken.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What clients are to be given.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// The file that holds the token; `None` with [`HttpAccess::Open`]. One that was generated is
    /// removed at the end. A run that can read it can let itself in: see
    /// [`RunnerBuilder::reserve`](crate::RunnerBuilder::reserve).
    #[must_use]
    pub fn token_file(&self) -> Option<&Path> {
        match &self.token_file {
            TokenFile::None => None,
            TokenFile::Chosen(path) => Some(path),
            TokenFile::Generated(generated) => Some(generated.path()),
        }
    }

    /// Whether only this machine can reach it.
    #[cfg(feature = "cli")]
    pub(super) fn is_local(&self) -> bool {
        self.is_local
    }

    /// Answers requests until `stop` resolves.
    ///
    /// `handler` makes a handler for each session, and for each request that belongs to none. At the
    /// end no new connections are taken, `wind_down` has two seconds to end what goes on, and what is
    /// answered then still goes out. When the future is dropped, everything is closed at once.
    ///
    /// # Errors
    /// [`ServeError::Listen`] when the event loop does not take the listening socket.
    pub async fn serve<H: ServerHandler>(
        self,
        handler: impl Fn() -> H + Send + Sync + 'static,
        stop: impl Future<Output = ()>,
        wind_down: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let address = self.address;
        let listener = tokio::net::TcpListener::from_std(self.listener)
            .map_err(|source| ServeError::Listen { address, source })?;
        let host = self.is_local.then(|| address.ip().to_string());
        let end = CancellationToken::new();
        let endpoint = Arc::new(Endpoint::new(self.access, host, handler, end.clone()));
        listen(listener, endpoint, end, stop, wind_down).await;
        drop(self.token_file);
        Ok(())
    }
}

/// What a client must show, and where it is written.
fn access(options: &HttpOptions) -> Result<(Access, TokenFile), ServeError> {
    Ok(match &options.access {
        HttpAccess::Open if options.is_local() => (Access::Open, TokenFile::None),
        HttpAccess::Open => return Err(ServeError::Open { address: options.address }),
        HttpAccess::TokenFile(path) => {
            let token = token_file::read(path)
                .map_err(|source| ServeError::TokenFile { path: path.clone(), source })?;
            (Access::Token(token), TokenFile::Chosen(path.clone()))
        }
        HttpAccess::Generated => {
            let token = Token::random().map_err(ServeError::Token)?;
            token_file::sweep_all();
            let file = Generated::new(&token).map_err(ServeError::Token)?;
            (Access::Token(token), TokenFile::Generated(file))
        }
    })
}
