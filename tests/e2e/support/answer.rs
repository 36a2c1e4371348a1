//! What came of a tool call.

use serde_json::Value;

/// The result of a tool call.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) is_error: bool,
    pub(crate) text: String,
    /// The text as JSON; null where it is none.
    pub(crate) payload: Value,
}

impl Answer {
    pub(super) fn read(message: &Value) -> Self {
        let result = &message["result"];
        let [content] = result["content"].as_array().map_or(&[][..], |content| content) else {
            panic!("not the result of a tool: {message}");
        };
        let text = content["text"].as_str().expect("text content").to_owned();
        let payload = serde_json::from_str(&text).unwrap_or(Value::Null);
        if let Some(structure) = result.get("structuredContent") {
            assert_eq!(structure, &payload, "text and structure differ");
        }
        Answer { is_error: result["isError"] == true, text, payload }
    }

    /// Asserts that the run was refused, with each of these words in the reason.
    #[track_caller]
    pub(crate) fn refused(&self, words: &[&str]) {
        assert!(self.is_error, "{self:?}");
        for word in words {
            assert!(self.text.contains(word), "`{word}` is missing: {}", self.text);
        }
    }

    /// Asserts that something ran, and gives its payload.
    #[track_caller]
    pub(crate) fn ran(&self) -> &Value {
        assert!(!self.is_error, "{self:?}");
        &self.payload
    }

    /// Asserts this exit, and gives the payload.
    #[track_caller]
    pub(crate) fn exited(&self, exit: i32) -> &Value {
        let payload = self.ran();
        assert_eq!(payload["exit"], exit, "{payload}");
        payload
    }

    /// Asserts exit 0 and this output.
    #[track_caller]
    pub(crate) fn printed(&self, stdout: &str) {
        assert_eq!(self.exited(0)["stdout"], stdout, "{self:?}");
    }

    /// Asserts that nothing ran, with each of these words in the reason.
    #[track_caller]
    pub(crate) fn not_started(&self, words: &[&str]) {
        let payload = self.exited(-1);
        assert!(payload.get("sandbox").is_none(), "{payload}");
        assert_eq!(payload["stdout"], "", "{payload}");
        let stderr = payload["stderr"].as_str().unwrap();
        for word in words {
            assert!(stderr.contains(word), "`{word}` is missing: {stderr}");
        }
    }
}
