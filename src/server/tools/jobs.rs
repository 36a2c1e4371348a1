//! `start`, `poll`, `output` and `kill`: commands that are not waited for.

use rmcp::model::{CallToolResult, JsonObject};

use crate::JobRefusal;
use crate::config::ToolName;
use crate::server::answer::refused;
use crate::server::arguments::{ArgumentError, Arguments};
use crate::server::notify::{Call, Client};
use crate::server::pack::Pack;
use crate::server::request::request;

const HANDLE: &str = "a string: the handle that start returned, such as \"j1-1x9k2w\"";

/// Starts a job. The call may be cancelled as it likes: the job is told to end by `kill` alone.
pub(super) async fn start(
    pack: &Pack,
    arguments: Option<JsonObject>,
    call: &Call,
    client: &Client,
) -> CallToolResult {
    let (request, compress) = match request(arguments, pack.has_output()) {
        Ok((request, compress)) => (request.tool(pack.names.name(ToolName::Start)), compress),
        Err(mistake) => return refused(&mistake),
    };
    let shortening = pack.shortening(&request, compress);
    let (started, story) = match pack.jobs.start_told(request, shortening).await {
        Ok(started) => started,
        Err(refusal) => return refused(&refusal),
    };
    let logger = pack.names.name(ToolName::Start);
    match call.is_modern() {
        true => call.tell(&story.first, &logger).await,
        false => client.follow(story, logger),
    }
    pack.answers.report(&started)
}

/// How a job is getting on.
pub(super) fn poll(pack: &Pack, arguments: Option<JsonObject>) -> CallToolResult {
    asked(pack, handle(arguments), |handle| pack.jobs.poll(handle))
}

/// What a job has written.
pub(super) fn output(pack: &Pack, arguments: Option<JsonObject>) -> CallToolResult {
    let read = || {
        let mut arguments = Arguments::open(arguments, &["compress", "cursor", "job"])?;
        let job = arguments.required_text("job", HANDLE)?;
        let cursor = arguments.text("cursor")?;
        Ok::<_, ArgumentError>((job, cursor, arguments.flag("compress")?))
    };
    asked(pack, read(), |(job, cursor, compress)| {
        pack.jobs.shorter_output(job, cursor.as_deref(), *compress)
    })
}

/// Ends a job.
pub(super) fn kill(pack: &Pack, arguments: Option<JsonObject>) -> CallToolResult {
    asked(pack, handle(arguments), |handle| pack.jobs.kill(handle))
}

/// Asks about a job, unless the question is wrong by itself.
fn asked<Q, A: serde::Serialize>(
    pack: &Pack,
    question: Result<Q, ArgumentError>,
    ask: impl FnOnce(&Q) -> Result<A, JobRefusal>,
) -> CallToolResult {
    match question {
        Ok(question) => pack.answers.told(ask(&question)),
        Err(mistake) => refused(&mistake),
    }
}

fn handle(arguments: Option<JsonObject>) -> Result<String, ArgumentError> {
    Arguments::open(arguments, &["job"])?.required_text("job", HANDLE)
}
