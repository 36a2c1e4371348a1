//! The JSON schemas of the tools. They stick to keywords that every client and model service takes,
//! and they are short: each client sends them to its model with every request.

use std::time::Duration;

use rmcp::model::JsonObject;
use rmcp::object;
use serde_json::{Value, json};

use super::facts::Facts;
use super::words::{clipped, seconds};
use crate::config::ToolName;

/// The arguments of `run`.
pub(super) fn run(facts: &Facts<'_>) -> JsonObject {
    let mut request = request(timeout(facts.timeout, facts.max_timeout));
    if facts.may_shorten_run() {
        request["properties"]["compress"] = flag();
    }
    describe(&mut request, facts);
    request
}

/// The arguments of `start`: the same, but that a job has no timeout unless its call gives one. Where
/// there is a `run` they are described there.
pub(super) fn start(facts: &Facts<'_>) -> JsonObject {
    let mut request = request(timeout(None, facts.max_timeout));
    if facts.tools.contains(&ToolName::Output) {
        request["properties"]["compress"] = flag();
    }
    if !facts.tools.contains(&ToolName::Run) {
        describe(&mut request, facts);
    } else if !facts.may_shorten_run() {
        describe_compress(&mut request, facts);
    }
    request
}

/// What a call that runs something may say.
fn request(timeout: String) -> JsonObject {
    object!({
        "type": "object",
        "properties": {
            "command": text(),
            "args": texts(),
            "pipeline": pipeline(),
            "cwd": text(),
            "stdin": text(),
            "stdin-file": text(),
            "stdout-file": text(),
            "stdout-append": text(),
            "timeout": { "type": "number", "description": timeout },
        },
        "additionalProperties": false,
    })
}

/// What it means.
fn describe(request: &mut JsonObject, facts: &Facts<'_>) {
    let descriptions = [
        ("command", "One program: name or path".to_owned()),
        ("pipeline", "Instead of command and args: programs connected by pipes".to_owned()),
        ("args", arguments(facts)),
        ("cwd", directory(facts)),
        ("stdin", "Its standard input; default: none".to_owned()),
        ("stdin-file", "A file under cwd to read instead".to_owned()),
        ("stdout-file", "A file under cwd for its output".to_owned()),
    ];
    for (name, text) in descriptions {
        request["properties"][name]["description"] = json!(text);
    }
    describe_compress(request, facts);
}

fn describe_compress(request: &mut JsonObject, facts: &Facts<'_>) {
    if let Some(flag) = request["properties"].get_mut("compress") {
        flag["description"] = json!(compress(facts));
    }
}

/// Programs that are connected. That there are at most 16 is told by who exceeds it.
fn pipeline() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": { "command": text(), "args": texts() },
            "required": ["command"],
        },
    })
}

fn arguments(facts: &Facts<'_>) -> String {
    let guard = if facts.is_guarded { "; guarded (no boundary)" } else { "" };
    format!("Its arguments, one for each element{guard}")
}

fn compress(facts: &Facts<'_>) -> String {
    format!("Shorten output (whole: `compressed.job`); default: {}", facts.compress)
}

fn directory(facts: &Facts<'_>) -> String {
    const ROOM: usize = 80;
    format!("Directory; default: {}", clipped(&facts.dir.to_string_lossy(), ROOM))
}

fn timeout(default: Option<Duration>, most: Option<Duration>) -> String {
    let mut text = "Killed after so many seconds".to_owned();
    match (default, most) {
        (Some(default), _) => text += &format!("; default: {}", seconds(default)),
        (None, None) => text += "; default: never",
        (None, Some(_)) => {}
    }
    if let Some(most) = most {
        text += &format!("; at most {}", seconds(most));
    }
    text
}

/// The argument of a call about a job.
pub(super) fn job() -> JsonObject {
    object!({
        "type": "object",
        "properties": { "job": handle() },
        "required": ["job"],
        "additionalProperties": false,
    })
}

/// The arguments of `output`.
pub(super) fn job_and_cursor() -> JsonObject {
    object!({
        "type": "object",
        "properties": {
            "job": handle(),
            "compress": flag(),
            "cursor": { "type": "string", "description": "`cursor` of the answer before" },
        },
        "required": ["job"],
        "additionalProperties": false,
    })
}

/// No arguments.
pub(super) fn nothing() -> JsonObject {
    object!({ "type": "object", "additionalProperties": false })
}

fn handle() -> Value {
    json!({ "type": "string", "description": "Handle from start" })
}

/// What [`Payload`](crate::Payload) looks like. Here and below, what is not required is named only where
/// a name does not say it: every client is sent this, and keys may come in addition.
pub(super) fn payload() -> JsonObject {
    object!({
        "type": "object",
        "properties": {
            "exit": {
                "anyOf": [{ "type": "integer" }, { "type": "null" }],
                "description": "Exit code; 128 + signal; -1: not started, see stderr; null: unknown",
            },
            "stages": { "type": "array" },
            "stdout": text(),
            "stderr": text(),
            "timed-out": flag(),
            "truncated": { "type": "object", "description": "What fell out, by stream" },
            "sandbox": { "type": "object", "description": "missing: not enforced here; denied: what it refused" },
        },
        "required": ["exit", "stdout", "stderr", "timed-out"],
    })
}

/// What [`Started`](crate::Started) looks like.
pub(super) fn started() -> JsonObject {
    object!({
        "type": "object",
        "properties": { "job": text(), "state": text() },
        "required": ["job", "state"],
    })
}

/// What [`Poll`](crate::Poll) looks like.
pub(super) fn poll() -> JsonObject {
    object!({
        "type": "object",
        "properties": {
            "exit": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
            "job": text(),
            "killed": flag(),
            "runtime": { "type": "number" },
            "started-at": text(),
            "state": text(),
            "stderr-bytes": count(),
            "stdout-bytes": count(),
            "timed-out": flag(),
        },
        "required": [
            "exit", "job", "killed", "runtime", "started-at", "state", "stderr-bytes",
            "stdout-bytes", "timed-out",
        ],
    })
}

/// What [`Output`](crate::Output) looks like.
pub(super) fn output() -> JsonObject {
    object!({
        "type": "object",
        "properties": {
            "cursor": text(),
            "eof": flag(),
            "job": text(),
            "state": text(),
            "stderr": text(),
            "stdout": text(),
        },
        "required": ["cursor", "eof", "job", "state", "stderr", "stdout"],
    })
}

/// What [`Killed`](crate::Killed) looks like.
pub(super) fn killed() -> JsonObject {
    object!({
        "type": "object",
        "properties": { "job": text(), "killed": flag(), "state": text() },
        "required": ["job", "killed", "state"],
    })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn texts() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn flag() -> Value {
    json!({ "type": "boolean" })
}

fn count() -> Value {
    json!({ "type": "integer" })
}
