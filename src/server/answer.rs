//! What an instance makes of what came of a call, by its shape.

use std::fmt;
use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;

use super::sections::sections;
use crate::config::{AnswerFormat, Shape};
use crate::{Outcome, Payload};

/// How a host answers a run in its own way, in place of the payload: with other fields, as an error,
/// in another language.
///
/// ```
/// use cofferdam::RunAnswer;
/// use cofferdam::rmcp::model::{CallToolResult, ContentBlock};
///
/// let answer = RunAnswer::new(|outcome| {
///     let text = String::from_utf8_lossy(&outcome.stdout_bytes()).into_owned();
///     match outcome.exit.number() {
///         Some(0) => CallToolResult::success(vec![ContentBlock::text(text)]),
///         _ => CallToolResult::error(vec![ContentBlock::text(text)]),
///     }
/// });
/// # let mut options = cofferdam::PackOptions::default();
/// options.run_answer = Some(answer);
/// ```
#[derive(Clone)]
pub struct RunAnswer(Arc<dyn Fn(&Outcome) -> CallToolResult + Send + Sync>);

impl RunAnswer {
    /// Answers with what this makes of an outcome. The tool then has no output schema, since nobody
    /// knows one.
    pub fn new(answer: impl Fn(&Outcome) -> CallToolResult + Send + Sync + 'static) -> Self {
        RunAnswer(Arc::new(answer))
    }
}

impl fmt::Debug for RunAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunAnswer")
    }
}

/// Makes the answers of an instance.
#[derive(Debug, Clone, Default)]
pub(super) struct Answers {
    pub(super) shape: Shape,
    pub(super) run: Option<RunAnswer>,
}

impl Answers {
    /// The answer to a run: what became of it, as this payload tells it, or the caller's mistake.
    pub(super) fn run<E: fmt::Display>(
        &self,
        came: Result<Outcome, E>,
        payload: impl FnOnce(&Outcome) -> Payload,
    ) -> CallToolResult {
        let outcome = match came {
            Ok(outcome) => outcome,
            Err(mistake) => return refused(&mistake),
        };
        if let Some(RunAnswer(answer)) = &self.run {
            return answer(&outcome);
        }
        let mut result = self.report(&payload(&outcome));
        if self.shape.nonzero_is_error && outcome.exit.number() != Some(0) {
            result.is_error = Some(true);
        }
        result
    }

    /// An answer, or the caller's mistake.
    pub(super) fn told<T: Serialize, E: fmt::Display>(&self, came: Result<T, E>) -> CallToolResult {
        match came {
            Ok(answer) => self.report(&answer),
            Err(mistake) => refused(&mistake),
        }
    }

    /// An answer in the format of the instance. Clients show a model either the text or the
    /// structure, so where there are both they say the same.
    pub(super) fn report(&self, answer: &impl Serialize) -> CallToolResult {
        match (serde_json::to_value(answer), self.shape.format) {
            (Ok(structure), AnswerFormat::Json) => CallToolResult::structured(structure),
            (Ok(structure), AnswerFormat::Text) => said(sections(&structure)),
            (Err(error), _) => refused(&error),
        }
    }
}

/// A text.
pub(super) fn said(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// The caller's mistake: nothing was run.
pub(super) fn refused(why: &dyn fmt::Display) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why.to_string())])
}

#[cfg(test)]
mod tests {
    use crate::{Request, Runner};

    use super::*;

    fn outcome(script: &str) -> Result<Outcome, crate::Refusal> {
        let runner = Runner::builder().allow_any().workspace("/").build().unwrap();
        runner.run_blocking(Request::new("sh").args(["-c", script]))
    }

    #[test]
    fn an_exit_other_than_0_is_an_error_only_where_the_settings_say_so() {
        let is_error = |answers: &Answers, script: &str| {
            answers.run(outcome(script), Outcome::payload).is_error
        };
        let answers = Answers::default();
        assert_eq!(is_error(&answers, "exit 1"), Some(false));
        let shape = Shape { nonzero_is_error: true, ..Shape::default() };
        let answers = Answers { shape, run: None };
        assert_eq!(is_error(&answers, "exit 1"), Some(true));
        assert_eq!(is_error(&answers, "kill -9 $$"), Some(true));
        assert_eq!(is_error(&answers, "exit 0"), Some(false));
        let failed = answers.run(outcome("echo why >&2; exit 3"), Outcome::payload);
        assert_eq!(failed.structured_content.unwrap()["stderr"], "why\n", "nothing is lost");
    }

    #[test]
    fn text_has_no_structure() {
        let shape = Shape { format: AnswerFormat::Text, ..Shape::default() };
        let result = Answers { shape, run: None }.run(outcome("echo hi"), Outcome::payload);
        assert_eq!(result.structured_content, None);
        let content = serde_json::to_value(&result.content).unwrap();
        assert_eq!(content[0]["text"], "Exit code: 0\n\n=== STDOUT ===\nhi");
    }

    #[test]
    fn a_host_answers_in_its_own_way_but_for_the_callers_mistakes() {
        let answer = RunAnswer::new(|outcome| said(format!("{:?}", outcome.exit.number())));
        let answers = Answers { shape: Shape::default(), run: Some(answer) };
        let text = |result: CallToolResult| {
            serde_json::to_value(&result.content).unwrap()[0]["text"].clone()
        };
        assert_eq!(text(answers.run(outcome("exit 5"), Outcome::payload)), "Some(5)");
        let refused = answers.run(Err::<Outcome, _>("no such argument"), Outcome::payload);
        assert_eq!(refused.is_error, Some(true));
        assert_eq!(text(refused), "no such argument");
    }
}
