//! The tools as clients see them.

use std::sync::Arc;

use rmcp::model::{Tool as Listing, ToolAnnotations};

use crate::config::ToolName;
use crate::server::describe::{self, Facts};
use crate::server::schema;

/// How a tool of an instance is listed.
pub(in crate::server) fn listing(tool: ToolName, facts: &Facts<'_>) -> Listing {
    let name = facts.name(tool);
    let title = |what: &str| format!("{what} ({})", facts.prefix);
    match tool {
        ToolName::Run => Listing::new(name, describe::run(facts), schema::run(facts))
            .with_title(title("Run a command"))
            .with_raw_output_schema(Arc::new(schema::payload())),
        ToolName::Start => Listing::new(name, describe::start(facts), schema::start(facts))
            .with_title(title("Start a job"))
            .with_raw_output_schema(Arc::new(schema::started())),
        ToolName::Poll => Listing::new(name, describe::POLL, schema::job())
            .with_title(title("Look at a job"))
            .with_raw_output_schema(Arc::new(schema::poll()))
            .with_annotations(reads()),
        ToolName::Output => Listing::new(name, describe::OUTPUT, schema::job_and_cursor())
            .with_title(title("Read a job's output"))
            .with_raw_output_schema(Arc::new(schema::output()))
            .with_annotations(reads()),
        ToolName::Kill => Listing::new(name, describe::KILL, schema::job())
            .with_title(title("Kill a job"))
            .with_raw_output_schema(Arc::new(schema::killed())),
        ToolName::Allowed => Listing::new(name, describe::ALLOWED, schema::nothing())
            .with_title(title("List the allowed commands"))
            .with_annotations(reads()),
    }
}

/// Clients run calls of such tools side by side, and may answer two of the same with one. The other
/// tools promise nothing: nobody knows what a command does.
fn reads() -> ToolAnnotations {
    ToolAnnotations::new().read_only(true).idempotent(true)
}
