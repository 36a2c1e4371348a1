//! The tools: what each answers. `listing` is how clients see them, `run` the one that waits, `jobs`
//! the four that do not.

mod jobs;
mod listing;
mod run;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use serde::Serialize;

use super::arguments::Arguments;
use super::describe;
use super::notify::{Call, Client};
use super::pack::Pack;
use crate::config::ToolName;

pub(super) use listing::listing;

/// Answers a call of a tool. When the call is cancelled what it waits for is killed; a job is not
/// waited for.
///
/// Whatever is wrong with the call is an error that the model reads; it is never one of the protocol.
pub(super) async fn answer(
    pack: &Pack,
    tool: ToolName,
    arguments: Option<JsonObject>,
    call: &Call,
    client: &Client,
) -> CallToolResult {
    match tool {
        ToolName::Run => run::run(pack, arguments, call).await,
        ToolName::Start => jobs::start(pack, arguments, call, client).await,
        ToolName::Poll => jobs::poll(pack, arguments),
        ToolName::Output => jobs::output(pack, arguments),
        ToolName::Kill => jobs::kill(pack, arguments),
        ToolName::Allowed => allowed(pack, arguments),
    }
}

fn allowed(pack: &Pack, arguments: Option<JsonObject>) -> CallToolResult {
    match Arguments::open(arguments, &[]) {
        Ok(_) => said(describe::allowed(&pack.runner.terms().gate)),
        Err(mistake) => refused(&mistake),
    }
}

/// An answer with a structure. Clients show a model either the text or the structure, so both say the
/// same.
fn reported(answer: &impl Serialize) -> CallToolResult {
    match serde_json::to_value(answer) {
        Ok(structure) => CallToolResult::structured(structure),
        Err(error) => refused(&error),
    }
}

/// An answer, or the caller's mistake.
fn told<T: Serialize, E: std::fmt::Display>(answer: Result<T, E>) -> CallToolResult {
    match answer {
        Ok(answer) => reported(&answer),
        Err(mistake) => refused(&mistake),
    }
}

fn said(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// The caller's mistake: nothing was run.
pub(super) fn refused(why: &dyn std::fmt::Display) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why.to_string())])
}
