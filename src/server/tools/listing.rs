//! The tools as clients see them.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Listing, ToolAnnotations};

use crate::config::{AnswerFormat, ToolName};
use crate::server::describe;
use crate::server::facts::Facts;
use crate::server::schema;

/// How a tool of an instance is listed.
pub(in crate::server) fn listing(tool: ToolName, facts: &Facts<'_>) -> Listing {
    let described = facts.shape.descriptions.get(&tool).cloned();
    let description = described.unwrap_or_else(|| description(tool, facts));
    let mut listing = Listing::new(facts.name(tool), description, arguments(tool, facts))
        .with_title(format!("{} ({})", title(tool), facts.names.prefix()));
    if let Some(schema) = structure(tool, facts) {
        listing = listing.with_raw_output_schema(Arc::new(schema));
    }
    match tool {
        ToolName::Poll | ToolName::Output | ToolName::Allowed => listing.with_annotations(reads()),
        ToolName::Run | ToolName::Start | ToolName::Kill => listing,
    }
}

fn title(tool: ToolName) -> &'static str {
    match tool {
        ToolName::Run => "Run a command",
        ToolName::Start => "Start a job",
        ToolName::Poll => "Look at a job",
        ToolName::Output => "Read a job's output",
        ToolName::Kill => "Kill a job",
        ToolName::Allowed => "List the allowed commands",
    }
}

fn description(tool: ToolName, facts: &Facts<'_>) -> String {
    match tool {
        ToolName::Run => describe::run(facts),
        ToolName::Start => describe::start(facts),
        ToolName::Poll => describe::POLL.to_owned(),
        ToolName::Output => describe::OUTPUT.to_owned(),
        ToolName::Kill => describe::KILL.to_owned(),
        ToolName::Allowed => describe::ALLOWED.to_owned(),
    }
}

fn arguments(tool: ToolName, facts: &Facts<'_>) -> JsonObject {
    match tool {
        ToolName::Run => schema::run(facts),
        ToolName::Start => schema::start(facts),
        ToolName::Poll | ToolName::Kill => schema::job(),
        ToolName::Output => schema::job_and_cursor(),
        ToolName::Allowed => schema::nothing(),
    }
}

/// What the structure of an answer looks like, where it has one that is known.
fn structure(tool: ToolName, facts: &Facts<'_>) -> Option<JsonObject> {
    match tool {
        _ if facts.shape.format == AnswerFormat::Text => None,
        ToolName::Run if facts.host_answers => None,
        ToolName::Run => Some(schema::payload()),
        ToolName::Start => Some(schema::started()),
        ToolName::Poll => Some(schema::poll()),
        ToolName::Output => Some(schema::output()),
        ToolName::Kill => Some(schema::killed()),
        ToolName::Allowed => None,
    }
}

/// Clients run calls of such tools side by side, and may answer two of the same with one. The other
/// tools promise nothing: nobody knows what a command does.
fn reads() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).idempotent(true)
}
