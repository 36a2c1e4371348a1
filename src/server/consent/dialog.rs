//! The question as a request to the client, while the call waits: the era with sessions.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientResult, ServerRequest};
use rmcp::service::{PeerRequestOptions, RequestHandle};
use tokio::time::{sleep, timeout};

use super::decision::Decision;
use super::{Pending, question};
use crate::server::notify::Call;

/// So long a person has. Clients give up on a call after a minute of silence.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks, and waits for the answer: no longer than a person has, and not when the call is cancelled.
///
/// It must be called on the task that rmcp runs the call on: there rmcp knows which stream of a
/// session the question belongs to.
pub(super) async fn ask(call: &Call, pending: &Pending) -> Decision {
    let Some(request) = question::request(pending) else {
        return Decision::Denied("the question cannot be put");
    };
    let asking = put(call, ServerRequest::ElicitRequest(request));
    call.meanwhile("waiting for a person's consent", asking).await
}

async fn put(call: &Call, request: ServerRequest) -> Decision {
    let options = PeerRequestOptions::no_options();
    let late = sleep(PATIENCE);
    tokio::pin!(late);
    // A client that does not read does not even get the question.
    let sent = tokio::select! {
        biased;
        () = call.stop().cancelled() => return CANCELLED,
        sent = call.peer().send_request_with_option(request, options) => sent,
        () = &mut late => return LATE,
    };
    let Ok(mut asked) = sent else { return Decision::Denied("the client cannot be asked") };
    let decision = tokio::select! {
        biased;
        () = call.stop().cancelled() => CANCELLED,
        answer = &mut asked.rx => return read(answer.ok().and_then(Result::ok)),
        () = &mut late => LATE,
    };
    withdraw(asked);
    decision
}

const CANCELLED: Decision = Decision::Denied("the call was cancelled");
const LATE: Decision = Decision::Denied("nobody answered within 60 s");

fn read(answer: Option<ClientResult>) -> Decision {
    match answer {
        Some(ClientResult::ElicitResult(answer)) => {
            Decision::read(&serde_json::to_value(answer).unwrap_or_default())
        }
        Some(_) => Decision::Denied("the answer makes no sense"),
        None => Decision::Denied("the client did not ask"),
    }
}

/// Tells the client, while it reads, that the question is over.
fn withdraw(asked: RequestHandle<RoleServer>) {
    tokio::spawn(timeout(
        Duration::from_secs(1),
        asked.cancel(Some("the question is over".to_owned())),
    ));
}
