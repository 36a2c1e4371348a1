//! What a call comes to, so far.

use rmcp::model::{CallToolResult, JsonObject};

use crate::consent::{Bound, Offer};

/// What a call comes to.
#[derive(Debug)]
pub(in crate::server) enum Step {
    /// This is the answer.
    Done(CallToolResult),
    /// A person is to be asked before.
    Ask(Box<Pending>),
}

/// A run that was refused something, and waits for a person.
#[derive(Debug)]
pub(in crate::server) struct Pending {
    pub(in crate::server) offer: Offer,
    /// The arguments of the call, all that there are.
    pub(in crate::server) arguments: JsonObject,
    /// The tool that was called, with these arguments.
    pub(in crate::server) bound: Bound,
    pub(in crate::server) tool: String,
    /// Whether the text is to be made shorter.
    pub(in crate::server) compress: Option<bool>,
    /// The answer, where nobody agrees.
    pub(in crate::server) refused: CallToolResult,
}

impl From<CallToolResult> for Step {
    fn from(result: CallToolResult) -> Self {
        Step::Done(result)
    }
}
