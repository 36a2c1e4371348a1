//! From the arguments of a call to a [`Request`].

use rmcp::model::JsonObject;

use super::arguments::{ArgumentError, Arguments};
use crate::Request;

/// What a call that runs something may say.
pub(super) const NAMES: &[&str] = &["args", "command", "cwd", "stdin", "timeout"];

const PROGRAM: &str = "a string that names one program; its arguments go into `args`";

/// Reads the arguments of a call that runs something.
pub(super) fn request(came: Option<JsonObject>) -> Result<Request, ArgumentError> {
    let mut arguments = Arguments::open(came, NAMES)?;
    let mut request =
        Request::new(arguments.required_text("command", PROGRAM)?).args(arguments.texts("args")?);
    if let Some(dir) = arguments.text("cwd")? {
        request = request.cwd(dir);
    }
    if let Some(text) = arguments.text("stdin")? {
        request = request.stdin(text);
    }
    if let Some(time) = arguments.time("timeout")? {
        request = request.timeout(time);
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;

    fn read(came: Value) -> Result<Request, String> {
        request(came.as_object().cloned()).map_err(|error| error.to_string())
    }

    #[test]
    fn every_argument_finds_its_place() {
        let came = json!({
            "command": "jq", "args": ["-r", 1], "cwd": "/srv", "stdin": "a\u{0}b", "timeout": 2,
        });
        let request = Request::new("jq")
            .args(["-r", "1"])
            .cwd("/srv")
            .stdin("a\0b")
            .timeout(Duration::from_secs(2));
        assert_eq!(read(came), Ok(request));
    }

    #[test]
    fn null_is_the_same_as_left_out() {
        let nulls =
            json!({ "command": "ls", "args": null, "cwd": null, "stdin": null, "timeout": null });
        assert_eq!(read(nulls), Ok(Request::new("ls")));
    }

    #[test]
    fn an_empty_standard_input_is_one() {
        let came = json!({ "command": "cat", "stdin": "" });
        assert_eq!(read(came), Ok(Request::new("cat").stdin("")));
    }

    #[test]
    fn a_call_without_arguments_lacks_its_command() {
        assert!(read(json!(null)).unwrap_err().starts_with("`command` is missing"));
    }

    #[test]
    fn texts_of_another_type_are_refused() {
        for name in ["cwd", "stdin"] {
            let message = read(json!({ "command": "ls", name: ["x"] })).unwrap_err();
            assert_eq!(message, format!("`{name}` = [\"x\"]: it must be a string"));
        }
    }
}
