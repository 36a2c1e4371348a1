//! What a person has said.

use serde_json::Value;

use super::question::{DECISION, RUN_ONCE};

/// What came of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    Granted,
    /// Nothing is opened, for this reason.
    Denied(&'static str),
}

impl Decision {
    /// Reads the result of an elicitation. Whatever is no clear yes is a no.
    pub(super) fn read(answer: &Value) -> Self {
        match answer["action"].as_str() {
            Some("accept") => match answer["content"][DECISION].as_str() {
                Some(RUN_ONCE) => Decision::Granted,
                Some("deny") => Decision::Denied("a person said no"),
                _ => Decision::Denied("the answer makes no sense"),
            },
            Some("decline") => Decision::Denied("a person declined to answer"),
            Some("cancel") => Decision::Denied("a person closed the question"),
            _ => Decision::Denied("the answer makes no sense"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_clear_yes_is_one() {
        let yes = json!({ "action": "accept", "content": { "decision": "run-once" } });
        assert_eq!(Decision::read(&yes), Decision::Granted);
        for no in [
            json!({ "action": "accept", "content": { "decision": "deny" } }),
            json!({ "action": "accept", "content": { "decision": "Run-once" } }),
            json!({ "action": "accept", "content": { "decision": ["run-once"] } }),
            json!({ "action": "accept", "content": { "decision": true } }),
            json!({ "action": "accept", "content": "run-once" }),
            json!({ "action": "accept", "content": {} }),
            json!({ "action": "accept" }),
            json!({ "action": "decline", "content": { "decision": "run-once" } }),
            json!({ "action": "cancel", "content": { "decision": "run-once" } }),
            json!({ "action": "ACCEPT", "content": { "decision": "run-once" } }),
            json!({ "content": { "decision": "run-once" } }),
            json!("accept"),
            json!(null),
            json!([]),
        ] {
            assert!(matches!(Decision::read(&no), Decision::Denied(_)), "{no}");
        }
    }
}
