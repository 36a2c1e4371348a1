//! `run`: a command that is waited for.

use std::panic::resume_unwind;

use rmcp::model::{CallToolResult, JsonObject};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::shorter::Shorter;
use crate::config::ToolName;
use crate::consent::{Bound, Offer};
use crate::outcome::chain;
use crate::server::answer::refused;
use crate::server::consent::{NOBODY, Pending, Step};
use crate::server::notify::Call;
use crate::server::pack::Pack;
use crate::server::request::request;
use crate::{Outcome, Refusal, Request, Runner};

/// Runs a command and tells what became of it. An exit other than 0, and a run that did not start,
/// are results too, unless the settings say otherwise. Where they say so, a person is to be asked about
/// a run that was refused something; `name` is what the tool was called by.
pub(super) async fn run(
    pack: &Pack,
    name: &str,
    arguments: Option<JsonObject>,
    call: &Call,
) -> Step {
    let said = pack.approvals.as_ref().map(|_| arguments.clone().unwrap_or_default());
    let (request, compress) = match request(arguments, pack.may_shorten_run()) {
        Ok((request, compress)) => (request.tool(pack.names.name(ToolName::Run)), compress),
        Err(mistake) => return refused(&mistake).into(),
    };
    let shorter = Shorter::new(pack, &request, compress);
    let Some(arguments) = said else {
        let came = told(&pack.runner, pack, request, call).await;
        return pack.answers.run(came, |outcome| shorter.payload(outcome)).into();
    };
    let mut came = told(&pack.runner, pack, request.clone(), call).await;
    let is_denied = came.as_ref().is_ok_and(Outcome::was_denied);
    let mut offer = None;
    if is_denied && call.can_ask() {
        (offer, came) = offered(&pack.runner, request, came).await;
    }
    let answer = pack.answers.run(came, |outcome| {
        let mut payload = shorter.payload(outcome);
        if let Some(sandbox) = payload.sandbox.as_mut().filter(|_| is_denied && !call.can_ask()) {
            sandbox.consent = Some(NOBODY);
        }
        payload
    });
    let Some(offer) = offer else { return answer.into() };
    let bound = Bound::to(name, &arguments);
    let tool = name.to_owned();
    Step::Ask(Box::new(Pending { offer, arguments, bound, tool, compress, refused: answer }))
}

/// Runs what a person has agreed to, once, and tells what became of it.
pub(in crate::server) async fn run_granted(
    pack: &Pack,
    pending: Pending,
    call: &Call,
) -> CallToolResult {
    let Pending { offer, compress, .. } = pending;
    let granted = offer.told();
    let runner = pack.runner.clone();
    let (runner, request) = match blocking(move || offer.granted(&runner)).await {
        Ok(granted) => granted,
        Err(reason) => {
            return refused(&format_args!(
                "a person agreed, and it was not run: {}; nothing was opened",
                chain(&reason)
            ));
        }
    };
    let shorter = Shorter::new(pack, &request, compress);
    let came = told(&runner, pack, request, call).await;
    // Launchers clean up after themselves, which may take a moment.
    blocking(move || drop(runner)).await;
    pack.answers.run(came, |outcome| {
        let mut payload = shorter.payload(outcome);
        if let Some(sandbox) = &mut payload.sandbox {
            sandbox.granted = granted;
        }
        payload
    })
}

/// What could be granted to a run that has come to this.
async fn offered(
    runner: &Runner,
    request: Request,
    came: Result<Outcome, Refusal>,
) -> (Option<Offer>, Result<Outcome, Refusal>) {
    let runner = runner.clone();
    let look = move || {
        let offer = came.as_ref().ok().and_then(|outcome| runner.offer(&request, outcome));
        (offer, came)
    };
    blocking(look).await
}

/// Does what waits for disks on a thread where that holds up nobody.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    // The task is never cancelled, so it failed with a panic, which the call's own task tells of.
    spawn_blocking(work).await.unwrap_or_else(|error| resume_unwind(error.into_panic()))
}

/// Runs a command, and tells the client meanwhile what it wants to hear.
async fn told(
    runner: &Runner,
    pack: &Pack,
    request: Request,
    call: &Call,
) -> Result<Outcome, Refusal> {
    let stop = call.stop().cancelled();
    if !call.watches() {
        return runner.run_until(request, stop).await;
    }
    let over = CancellationToken::new();
    let (begins, begun) = oneshot::channel();
    let run = async {
        let begins = |captured| drop(begins.send(captured));
        let outcome = runner.run_watched(request, stop, begins).await;
        over.cancel();
        outcome
    };
    let logger = pack.names.name(ToolName::Run);
    let (outcome, ()) = tokio::join!(run, call.watch(begun, over.clone(), &logger));
    outcome
}
