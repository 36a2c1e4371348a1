//! A configuration that is served, from its first check to its end.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::{HttpListener, HttpOptions};
use crate::config::Config;
use crate::server::error::ServeError;
use crate::server::handler::Server;
use crate::server::notice;

/// A configuration that is served over HTTP, at the path `/mcp`. Who is answered there, and within
/// which bounds, stands at [`HttpListener`].
///
/// A client that cancels a run, or ends the session that the run belongs to, kills it; jobs go on.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use cofferdam::config::Config;
/// use cofferdam::{HttpOptions, HttpServer};
///
/// let config = Config::from_file("mcp.json".as_ref())?;
/// let server = HttpServer::bind(&config, &HttpOptions::new("127.0.0.1:0".parse()?))?;
/// println!("{}, token in {:?}", server.url(), server.token_file());
/// server.serve(std::future::pending()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct HttpServer {
    server: Server,
    listener: HttpListener,
}

impl HttpServer {
    /// Builds everything and begins to listen. Connections wait until [`HttpServer::serve`].
    ///
    /// An instance without a sandbox is named on standard error. A workspace that holds the token file
    /// is refused; what else must not lie within one, such as the configuration file, is the caller's
    /// to look after.
    ///
    /// # Errors
    /// [`ServeError`] when an instance, the token file, or the address cannot be used.
    pub fn bind(config: &Config, options: &HttpOptions) -> Result<Self, ServeError> {
        HttpServer::bind_reserving(config, options, &[])
    }

    /// The same; a workspace that holds one of the `reserved` files is refused as well.
    pub(crate) fn bind_reserving(
        config: &Config,
        options: &HttpOptions,
        reserved: &[PathBuf],
    ) -> Result<Self, ServeError> {
        let listener = HttpListener::bind(options)?;
        let token_file = listener.token_file().map(names).into_iter().flatten();
        let reserved: Vec<_> = reserved.iter().cloned().chain(token_file).collect();
        let server = Server::new(config, &reserved)?;
        notice::unconfined(config);
        Ok(HttpServer { server, listener })
    }

    /// The address that it listens on, with the port that was taken.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// What clients are to be given.
    #[must_use]
    pub fn url(&self) -> String {
        self.listener.url()
    }

    /// The file that holds the token, see [`HttpListener::token_file`].
    #[must_use]
    pub fn token_file(&self) -> Option<&Path> {
        self.listener.token_file()
    }

    /// Whether other machines can reach it.
    #[cfg(feature = "cli")]
    pub(crate) fn is_public(&self) -> bool {
        !self.listener.is_local()
    }

    /// Answers requests until `stop` resolves; then all runs are killed, and what they answer still
    /// goes out. Dropping the future kills all runs as well.
    ///
    /// # Errors
    /// [`ServeError::Listen`] when the event loop does not take the listening socket.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let HttpServer { server, listener } = self;
        let calls = server.calls();
        let _dropped = calls.stop_token().drop_guard();
        let wind_down = async {
            // The jobs first, while their end can still be told.
            server.end_jobs().await;
            calls.stop_token().cancel();
            calls.ended().await;
            // A call may have started one meanwhile.
            server.end_jobs().await;
        };
        let clients = server.clone();
        listener.serve(move || clients.for_another_client(), stop, wind_down).await
    }
}

/// A file as it is named, and where it really lies: a run that can write either could let itself in.
fn names(file: &Path) -> Vec<PathBuf> {
    [std::path::absolute(file), file.canonicalize()].into_iter().flatten().collect()
}
