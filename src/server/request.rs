//! From the arguments of a call to a [`Request`].

use rmcp::model::JsonObject;

use super::arguments::{ArgumentError, Arguments};
use crate::Request;
use crate::files::{STDIN_FILE, STDOUT_APPEND, STDOUT_FILE};

/// What a call that runs something may say.
const NAMES: &[&str] = &[
    "args",
    "command",
    "compress",
    "cwd",
    "pipeline",
    "stdin",
    "stdin-file",
    "stdout-append",
    "stdout-file",
    "timeout",
];

/// The same where its text cannot be made shorter.
const NAMES_WITHOUT_COMPRESS: &[&str] = &[
    "args",
    "command",
    "cwd",
    "pipeline",
    "stdin",
    "stdin-file",
    "stdout-append",
    "stdout-file",
    "timeout",
];

/// What a stage of a pipeline may say.
const STAGE: &[&str] = &["args", "command"];

const PROGRAM: &str = "a string that names one program; its arguments go into `args` (several programs \
                       go into `pipeline` instead)";

const STAGES: &str = "an array of 1 to 16 objects, one for each program, such as \
                      [{\"command\": \"ls\"}, {\"command\": \"wc\", \"args\": [\"-l\"]}]";

const ONE_OF_THEM: &str = "a call runs one program, or the programs of a pipeline, each of which has \
                           `command` and `args` of its own";

/// Reads the arguments of a call that runs something, and whether its text is to be made shorter, which
/// can be asked for only where the whole could be read afterwards, and where the answer is ours.
pub(super) fn request(
    came: Option<JsonObject>,
    may_shorten: bool,
) -> Result<(Request, Option<bool>), ArgumentError> {
    let names = if may_shorten { NAMES } else { NAMES_WITHOUT_COMPRESS };
    let mut arguments = Arguments::open(came, names)?;
    let compress = arguments.flag("compress")?;
    let mut request = programs(&mut arguments)?;
    if let Some(dir) = arguments.text("cwd")? {
        request = request.cwd(dir);
    }
    if let Some(text) = arguments.text("stdin")? {
        request = request.stdin(text);
    }
    if let Some(path) = arguments.text(STDIN_FILE)? {
        request = request.stdin_file(path);
    }
    if let Some(path) = arguments.text(STDOUT_FILE)? {
        request = request.stdout_file(path);
    }
    if let Some(path) = arguments.text(STDOUT_APPEND)? {
        request = request.stdout_append(path);
    }
    if let Some(time) = arguments.time("timeout")? {
        request = request.timeout(time);
    }
    Ok((request, compress))
}

/// What is to be run: one program, or a pipeline.
fn programs(arguments: &mut Arguments) -> Result<Request, ArgumentError> {
    if !arguments.has("pipeline") {
        return command(arguments);
    }
    if let Some(other) = STAGE.iter().rev().find(|name| arguments.has(name)) {
        return Err(ArgumentError::Both(other, "pipeline", ONE_OF_THEM));
    }
    let mut stages = arguments.objects("pipeline", STAGES, STAGE)?.into_iter();
    let first = stages.next().map(|mut stage| command(&mut stage));
    let mut request = first.unwrap_or_else(|| command(arguments))?;
    request.is_pipeline = true;
    for mut stage in stages {
        let program = stage.required_text("command", PROGRAM)?;
        request = request.pipe(program).args(stage.texts("args")?);
    }
    Ok(request)
}

fn command(arguments: &mut Arguments) -> Result<Request, ArgumentError> {
    let program = arguments.required_text("command", PROGRAM)?;
    Ok(Request::new(program).args(arguments.texts("args")?))
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
    fn the_stages_of_a_pipeline_are_programs_with_arguments_of_their_own() {
        let came = json!({ "pipeline": [
            { "command": "git", "args": ["log", 5] }, { "command": "wc", "args": null },
        ] });
        assert_eq!(read(came), Ok(Request::new("git").args(["log", "5"]).pipe("wc")));
        let one = read(json!({ "pipeline": [{ "command": "git" }], "command": null })).unwrap();
        assert!(one.is_pipeline && one.further.is_empty());
    }

    #[test]
    fn a_pipeline_that_is_none_is_refused_with_the_place_of_the_mistake() {
        let stage = json!({ "command": "ls" });
        for (came, words) in [
            (json!({ "pipeline": [] }), "`pipeline` = []: it must be an array of 1 to 16 objects"),
            (json!({ "pipeline": "ls | wc" }), "`pipeline` = \"ls | wc\": it must be an array"),
            (json!({ "pipeline": ["ls"] }), "`pipeline[0]` = \"ls\": it must be an array of 1"),
            (json!({ "pipeline": [stage, {}] }), "`pipeline[1].command` is missing: it must"),
            (
                json!({ "pipeline": [stage, { "command": "wc", "args": "-l" }] }),
                "`pipeline[1].args` = \"-l\": it must be an array of strings",
            ),
            (
                json!({ "pipeline": [{ "command": "wc", "args": [true] }] }),
                "`pipeline[0].args[0]` = true: it must be a string or a number",
            ),
            (
                json!({ "pipeline": [{ "command": "wc", "stdin": "x" }] }),
                "there is no argument `pipeline[0].stdin`; there are: args, command",
            ),
            (
                json!({ "pipeline": [stage], "command": "ls" }),
                "`command` and `pipeline` exclude each other",
            ),
            (
                json!({ "pipeline": [stage], "args": ["x"] }),
                "`args` and `pipeline` exclude each other",
            ),
        ] {
            let message = read(came).unwrap_err();
            assert!(message.starts_with(words), "{message}");
        }
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
        for name in ["cwd", "stdin", "stdin-file", "stdout-file", "stdout-append"] {
            let message = read(json!({ "command": "ls", name: ["x"] })).unwrap_err();
            assert_eq!(message, format!("`{name}` = [\"x\"]: it must be a string"));
        }
    }
}
