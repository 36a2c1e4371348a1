//! How the text of a job is made shorter, for those who ask for it.

use crate::compress::Recipe;

/// How a job's text is made shorter, and whether it is where a question says nothing.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "mcp"), expect(dead_code, reason = "only the server asks for it"))]
pub(crate) struct Shortening {
    pub(crate) recipe: Recipe,
    pub(crate) by_default: bool,
}
