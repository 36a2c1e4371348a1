//! What one call allows to be sent within it.

use std::time::Duration;

use rmcp::model::{ErrorData, ProgressToken, RequestId, ServerNotification};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::level::Level;
use super::sink::Sink;

/// So long an answer waits for what is to be read before it. A client that reads never notices.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// A call: who asked, and what may be sent until it is answered.
#[derive(Debug, Clone)]
pub(in crate::server) struct Call {
    id: RequestId,
    peer: Peer<RoleServer>,
    stop: CancellationToken,
    is_modern: bool,
    /// Whether the client can ask its person.
    can_ask: bool,
    begun: Instant,
    /// The least level of log messages that belong to this call; none in the era with sessions.
    level: Option<Level>,
    token: Option<ProgressToken>,
}

impl Call {
    /// The call of a request, which `stop` cancels. A request is wrong that wants a log level that
    /// there is not.
    pub(in crate::server) fn of(
        stop: CancellationToken,
        context: RequestContext<RoleServer>,
    ) -> Result<Self, ErrorData> {
        let is_modern = is_modern(&context);
        let can_ask = can_ask(&context);
        let level = if is_modern { Level::wanted(&context.meta.0)? } else { None };
        Ok(Call {
            token: context.meta.get_progress_token(),
            id: context.id,
            peer: context.peer,
            stop,
            is_modern,
            can_ask,
            begun: Instant::now(),
            level,
        })
    }

    /// Whether it is of the era without sessions: what follows its answer cannot be sent.
    pub(in crate::server) fn is_modern(&self) -> bool {
        self.is_modern
    }

    /// Whether the client can put a form before its person (elicitation).
    pub(in crate::server) fn can_ask(&self) -> bool {
        self.can_ask
    }

    /// When it came: progress grows from there, whatever is done meanwhile.
    pub(super) fn begun(&self) -> Instant {
        self.begun
    }

    /// Cancelled when nobody wants the answer any more; right after the answer, too.
    pub(in crate::server) fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// How to tell of progress, where that is wanted.
    pub(super) fn token(&self) -> Option<&ProgressToken> {
        self.token.as_ref()
    }

    pub(in crate::server) fn peer(&self) -> &Peer<RoleServer> {
        &self.peer
    }

    pub(super) fn id(&self) -> &RequestId {
        &self.id
    }

    /// Whether log messages of this level are wanted.
    pub(super) fn wants(&self, level: Level) -> bool {
        self.level.is_some_and(|least| level >= least)
    }

    /// Sends messages before the answer, in order. A client that does not read misses them.
    pub(super) async fn say(&self, messages: impl IntoIterator<Item = ServerNotification>) {
        let all = async {
            for message in messages {
                if self.peer.send(message).await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => {}
            // Whether they all went makes no difference to the answer.
            _ = timeout(PATIENCE, all) => {}
        }
    }
}

/// Whether the client of a request has elicitation, by forms: it says so, or names no kind at all.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let can = context.client_capabilities().and_then(|can| can.elicitation);
    can.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// Whether a request is of the era without sessions.
pub(in crate::server) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}
