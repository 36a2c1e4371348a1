//! Where the server listens, and whom it answers.

use std::net::SocketAddr;
use std::path::PathBuf;

/// Where a server listens, and what a client must show.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpOptions {
    /// The address to listen on. Port 0 takes a free one, which
    /// [`HttpServer::address`](super::HttpServer::address) tells.
    pub address: SocketAddr,
    /// What a client must show.
    pub access: HttpAccess,
}

impl HttpOptions {
    /// A server on this address that makes a token of its own.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        HttpOptions { address, access: HttpAccess::Generated }
    }

    /// The same, with another kind of access.
    #[must_use]
    pub fn access(mut self, access: HttpAccess) -> Self {
        self.access = access;
        self
    }

    /// Whether only this machine can reach the address.
    pub(crate) fn is_local(&self) -> bool {
        self.address.ip().to_canonical().is_loopback()
    }
}

/// What a client must show to be answered.
///
/// Every user of a machine can connect to its loopback addresses, and so can every page that runs in
/// a browser there. Whoever is answered runs commands as this process's user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpAccess {
    /// A bearer token made at the start, which only the owner of this process can read: see
    /// [`HttpServer::token_file`](super::HttpServer::token_file).
    Generated,
    /// The bearer token in this file, white space around it left out. The file belongs to this
    /// process's user or to root, nobody else can read it, and it holds at least 16 characters.
    TokenFile(PathBuf),
    /// Nothing. Only on a loopback address.
    Open,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loopback_address_is_local_in_every_spelling() {
        for (address, is_local) in [
            ("127.0.0.1:0", true),
            ("127.8.0.1:0", true),
            ("[::1]:0", true),
            ("[::ffff:127.0.0.1]:0", true),
            ("0.0.0.0:0", false),
            ("[::]:0", false),
            ("192.0.2.1:0", false),
        ] {
            let options = HttpOptions::new(address.parse().unwrap());
            assert_eq!(options.is_local(), is_local, "{address}");
        }
    }
}
