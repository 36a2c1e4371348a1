//! One request: from its path to the protocol.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::{Method, Request, Response};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::access::Access;
use super::answer::{Answer, Uses};
use super::connections::Place;
use super::replies::{self, Reply};
use super::sessions::Sessions;
use super::{PATH, body};

/// The pages that may speak to this server: those that come from this machine. Requests that come
/// from no page have no origin.
const ORIGINS: [&str; 6] = [
    "http://localhost:*",
    "http://127.0.0.1:*",
    "http://[::1]:*",
    "https://localhost:*",
    "https://127.0.0.1:*",
    "https://[::1]:*",
];

/// The names of this machine that only this machine knows it by.
const HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// What stands at the path of the server.
pub(super) struct Endpoint<H> {
    access: Access,
    sessions: Sessions,
    /// The requests whose answers the end of the server waits for.
    answering: TaskTracker,
    protocol: StreamableHttpService<H, LocalSessionManager>,
}

impl<H: ServerHandler> Endpoint<H> {
    /// An endpoint whose handlers `handler` makes, one for each session and for each request without
    /// one. When `end` is cancelled, all sessions and streams end.
    pub(super) fn new(
        access: Access,
        host: Option<String>,
        handler: impl Fn() -> H + Send + Sync + 'static,
        end: CancellationToken,
    ) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(ORIGINS)
            .with_max_request_body_bytes(body::LONGEST)
            .with_cancellation_token(end);
        // A page can make its own name stand for a local address; then the browser takes this server
        // for the page's own. Elsewhere this server may have any name, and always asks for a token,
        // which no page has.
        let config = match host {
            Some(host) => {
                config.with_allowed_hosts(HOSTS.map(str::to_owned).into_iter().chain([host]))
            }
            None => config.disable_allowed_hosts(),
        };
        let sessions = Sessions::new();
        let manager = sessions.manager().clone();
        let protocol = StreamableHttpService::new(move || Ok(handler()), manager, config);
        Endpoint { access, sessions, answering: TaskTracker::new(), protocol }
    }

    /// Answers a request that came on the connection at `place`.
    pub(super) async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        place: Arc<Place>,
    ) -> Response<Answer> {
        if let Err(refused) = self.admit(&request) {
            return refused.map(|body| Answer::new(body, None));
        }
        let session = self.sessions.of(request.headers());
        let mut uses = Uses { _connection: place.begin(), session, answering: None };
        let reply = match self.read(request, &uses).await {
            Ok(request) => {
                let is_stream = request.method() == Method::GET;
                uses.answering = (!is_stream).then(|| self.answering.token());
                self.pass(request).await
            }
            Err(refused) => *refused,
        };
        reply.map(|body| Answer::new(body, Some(uses)))
    }

    fn admit(&self, request: &Request<Incoming>) -> Result<(), Box<Reply>> {
        // First, and without a token: clients look for a login page in other places when they are
        // refused, and must not be refused there as well.
        match request.uri().path() == PATH {
            true => self.access.check(request.headers()),
            false => Err(Box::new(replies::not_found())),
        }
    }

    async fn read(
        &self,
        request: Request<Incoming>,
        uses: &Uses,
    ) -> Result<Request<Full<Bytes>>, Box<Reply>> {
        let (mut parts, body) = request.into_parts();
        // The handler finds it there, and keeps the session in use until it is done.
        if let Some(session) = &uses.session {
            parts.extensions.insert(session.clone());
        }
        let body = body::read(&parts.headers, body).await?;
        Ok(Request::from_parts(parts, Full::new(body)))
    }

    async fn pass(&self, request: Request<Full<Bytes>>) -> Reply {
        let deletes = (request.method() == Method::DELETE).then(|| request.headers().clone());
        let reply = self.protocol.handle(request).await;
        if let Some(headers) = deletes.filter(|_| reply.status().is_success()) {
            self.sessions.deleted(&headers);
        }
        self.sessions.opened(reply.headers()).await;
        reply
    }

    /// Waits until all answers have been taken.
    pub(super) async fn answered(&self) {
        self.answering.close();
        self.answering.wait().await;
    }
}
