//! `run`: a command that is waited for.

use rmcp::model::{CallToolResult, JsonObject};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::shorter::Shorter;
use crate::config::ToolName;
use crate::server::answer::refused;
use crate::server::notify::Call;
use crate::server::pack::Pack;
use crate::server::request::request;

/// Runs a command and tells what became of it. An exit other than 0, and a run that did not start,
/// are results too, unless the settings say otherwise.
pub(super) async fn run(pack: &Pack, arguments: Option<JsonObject>, call: &Call) -> CallToolResult {
    let (request, compress) = match request(arguments, pack.may_shorten_run()) {
        Ok((request, compress)) => (request.tool(pack.names.name(ToolName::Run)), compress),
        Err(mistake) => return refused(&mistake),
    };
    let shorter = Shorter::new(pack, &request, compress);
    let stop = call.stop().cancelled();
    if !call.watches() {
        let outcome = pack.runner.run_until(request, stop).await;
        return pack.answers.run(outcome, |outcome| shorter.payload(outcome));
    }
    let over = CancellationToken::new();
    let (begins, begun) = oneshot::channel();
    let run = async {
        let begins = |captured| drop(begins.send(captured));
        let outcome = pack.runner.run_watched(request, stop, begins).await;
        over.cancel();
        outcome
    };
    let logger = pack.names.name(ToolName::Run);
    let (outcome, ()) = tokio::join!(run, call.watch(begun, over.clone(), &logger));
    pack.answers.run(outcome, |outcome| shorter.payload(outcome))
}
