//! `format`: how tools answer.

use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Written;

/// How the tools of an instance answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AnswerFormat {
    /// An object of JSON, as structured content and as text.
    #[default]
    Json,
    /// Text alone: `Exit code: 0`, then sections such as `=== STDOUT ===`. For models and people; a
    /// command can write a line that looks like a heading, so no program should read it.
    Text,
}

impl AnswerFormat {
    pub(crate) const NAMES: &[&str] = &["json", "text"];

    /// The format that was written, or the default.
    pub(crate) fn check(written: Written<String>, mistakes: &mut Mistakes) -> Option<AnswerFormat> {
        written.check(AnswerFormat::default, mistakes, |name| match name.as_str() {
            "json" => Ok(AnswerFormat::Json),
            "text" => Ok(AnswerFormat::Text),
            _ => Err(Problem::unknown("format", name, AnswerFormat::NAMES)),
        })
    }
}
