//! The tools: what each answers. `listing` is how clients see them, `run` the one that waits, `jobs`
//! the four that do not.

mod jobs;
mod listing;
mod run;
mod shorter;

use rmcp::model::{CallToolResult, JsonObject};

use super::answer::{refused, said};
use super::arguments::Arguments;
use super::consent::Step;
use super::describe;
use super::notify::{Call, Client};
use super::pack::Pack;
use crate::config::ToolName;

pub(super) use listing::listing;
pub(super) use run::run_granted;

/// Answers a call of a tool, which was called by this name. When the call is cancelled what it waits for is killed; a job is not
/// waited for.
///
/// Whatever is wrong with the call is an error that the model reads; it is never one of the protocol.
pub(super) async fn answer(
    pack: &Pack,
    tool: ToolName,
    name: &str,
    arguments: Option<JsonObject>,
    call: &Call,
    client: &Client,
) -> Step {
    let result = match tool {
        ToolName::Run => return run::run(pack, name, arguments, call).await,
        ToolName::Start => jobs::start(pack, arguments, call, client).await,
        ToolName::Poll => jobs::poll(pack, arguments),
        ToolName::Output => jobs::output(pack, arguments),
        ToolName::Kill => jobs::kill(pack, arguments),
        ToolName::Allowed => allowed(pack, arguments),
    };
    result.into()
}

fn allowed(pack: &Pack, arguments: Option<JsonObject>) -> CallToolResult {
    match Arguments::open(arguments, &[]) {
        Ok(_) => said(describe::allowed(&pack.runner.terms().gate)),
        Err(mistake) => refused(&mistake),
    }
}
