//! From the arguments of a call to a [`Request`].

use rmcp::model::JsonObject;

use super::arguments::{ArgumentError, Arguments};
use crate::Request;

/// What a call that runs something may say.
const NAMES: &[&str] = &["args", "command", "compress", "cwd", "stdin", "timeout"];

const PROGRAM: &str = "a string that names one program; its arguments go into `args`";

/// The same where the whole text could not be read afterwards.
const NAMES_WITHOUT_OUTPUT: &[&str] = &["args", "command", "cwd", "stdin", "timeout"];

/// Reads the arguments of a call that runs something, and whether its text is to be made shorter, which
/// can be asked for only where there is the tool `output`.
pub(super) fn request(
    came: Option<JsonObject>,
    has_output: bool,
) -> Result<(Request, Option<bool>), ArgumentError> {
    let names = if has_output { NAMES } else { NAMES_WITHOUT_OUTPUT };
    let mut arguments = Arguments::open(came, names)?;
    let compress = arguments.flag("compress")?;
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
    Ok((request, compress))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;

    fn read(came: Value) -> Result<Request, String> {
        let read = request(came.as_object().cloned(), true);
        read.map(|(request, _)| request).map_err(|error| error.to_string())
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
    fn whether_the_text_is_to_be_shorter_is_read_beside_the_request() {
        let read =
            |came: Value| request(came.as_object().cloned(), true).map(|(_, compress)| compress);
        assert_eq!(read(json!({ "command": "ls", "compress": true })).unwrap(), Some(true));
        assert_eq!(read(json!({ "command": "ls" })).unwrap(), None);
        assert!(read(json!({ "command": "ls", "compress": "yes" })).is_err());
        let came = json!({ "command": "ls", "compress": true }).as_object().cloned();
        let error = request(came, false).unwrap_err().to_string();
        assert!(error.starts_with("there is no argument `compress`"), "{error}");
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
