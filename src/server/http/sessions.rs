//! The sessions of clients that open one, and what their end means.
//!
//! rmcp keeps the sessions themselves. It would end one that is silent for a while, and the run that
//! it waits for with it; or none at all, and those that clients forget would add up. So it is told to
//! end none, and this is where they are looked after.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hyper::HeaderMap;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio_util::sync::CancellationToken;

use super::usage::{InUse, Usage};

/// The header that names a session.
const HEADER: &str = "mcp-session-id";

/// A session that nobody has used for this time was forgotten: no request, no open stream, no run. A
/// client that comes back after it is answered 404, and opens another one.
const FORGOTTEN: Duration = Duration::from_secs(24 * 60 * 60);

/// The open sessions.
#[derive(Debug)]
pub(super) struct Sessions {
    manager: Arc<LocalSessionManager>,
    open: Mutex<HashMap<String, Session>>,
}

#[derive(Debug)]
struct Session {
    usage: Arc<Usage>,
    end: CancellationToken,
}

/// A request belongs to a session, and keeps it in use.
#[derive(Debug, Clone)]
pub(in crate::server) struct WithinSession {
    end: CancellationToken,
    _use: InUse,
}

impl WithinSession {
    /// Cancelled when the session has ended.
    pub(in crate::server) fn end(&self) -> &CancellationToken {
        &self.end
    }
}

impl Sessions {
    pub(super) fn new() -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = None;
        Sessions { manager: Arc::new(manager), open: Mutex::default() }
    }

    /// Where rmcp keeps them.
    pub(super) fn manager(&self) -> &Arc<LocalSessionManager> {
        &self.manager
    }

    /// The session that a request names.
    pub(super) fn of(&self, headers: &HeaderMap) -> Option<WithinSession> {
        let open = self.open();
        let session = open.get(name(headers)?)?;
        Some(WithinSession { end: session.end.clone(), _use: session.usage.begin() })
    }

    /// Notes the session that an answer opens, and ends those that were forgotten.
    pub(super) async fn opened(&self, headers: &HeaderMap) {
        let Some(name) = name(headers) else { return };
        let session = Session { usage: Usage::new(), end: CancellationToken::new() };
        self.open().insert(name.to_owned(), session);
        for forgotten in self.unused_since(Instant::now().checked_sub(FORGOTTEN)) {
            self.ended(&forgotten);
            // What fails is a session that has ended already.
            let _ = self.manager.close_session(&forgotten.into()).await;
        }
    }

    /// The client has ended the session that its request names.
    pub(super) fn deleted(&self, headers: &HeaderMap) {
        if let Some(name) = name(headers) {
            self.ended(name);
        }
    }

    fn ended(&self, name: &str) {
        if let Some(session) = self.open().remove(name) {
            session.end.cancel();
        }
    }

    fn unused_since(&self, time: Option<Instant>) -> Vec<String> {
        let Some(time) = time else { return Vec::new() };
        let open = self.open();
        let unused = open
            .iter()
            .filter(|(_, session)| session.usage.idle_since().is_some_and(|since| since <= time));
        unused.map(|(name, _)| name.clone()).collect()
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn name(headers: &HeaderMap) -> Option<&str> {
    headers.get(HEADER)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn sessions(names: &[&'static str]) -> Sessions {
        let sessions = Sessions::new();
        let event_loop = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for name in names {
            event_loop.block_on(sessions.opened(&headers(name)));
        }
        sessions
    }

    fn headers(name: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HEADER, HeaderValue::from_static(name));
        headers
    }

    #[test]
    fn a_deleted_session_ends_for_its_requests_and_for_no_others() {
        let sessions = sessions(&["one", "other"]);
        let one = sessions.of(&headers("one")).unwrap();
        let other = sessions.of(&headers("other")).unwrap();
        sessions.deleted(&headers("one"));
        assert!(one.end().is_cancelled());
        assert!(!other.end().is_cancelled());
        assert!(sessions.of(&headers("one")).is_none());
    }

    #[test]
    fn a_session_with_a_request_is_not_forgotten() {
        let sessions = sessions(&["busy", "forgotten"]);
        let _request = sessions.of(&headers("busy")).unwrap();
        assert_eq!(sessions.unused_since(Some(Instant::now())), ["forgotten"]);
    }

    #[test]
    fn a_request_may_name_no_session_or_one_that_is_not_there() {
        let sessions = sessions(&["one"]);
        assert!(sessions.of(&HeaderMap::new()).is_none());
        assert!(sessions.of(&headers("two")).is_none());
    }
}
