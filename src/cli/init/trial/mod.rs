//! The server, started as the client would start it, and one confined call to it.

mod conversation;
mod error;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Client, Variables};
use super::entry::Start;
use conversation::Conversation;
pub(super) use error::TrialError;

/// What a server with these arguments calls its tool.
const RUN: &str = "sh_run";
/// For the start and the call together. Codex waits as long for the start alone.
const LIMIT: Duration = Duration::from_secs(10);
/// A command that does nothing, and is everywhere.
pub(super) const COMMAND: &str = "true";

/// A command ran confined.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// Launcher and profile, in the server's words.
    pub(super) by: String,
    /// What the profile asks for and nothing enforces here.
    pub(super) missing: Vec<String>,
}

/// Starts the server, asks for its tools, runs [`COMMAND`] and ends the server.
///
/// # Errors
/// [`TrialError`]: the client would not get a confined command.
pub(super) fn trial(client: &dyn Client, start: &Start, open: &Path) -> Result<Held, TrialError> {
    let mut server = Conversation::start(command(client, start, open), LIMIT)?;
    server.ask(
        "initialize",
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "cofferdam-init", "version": env!("CARGO_PKG_VERSION") },
        }),
    )?;
    server.tell("notifications/initialized")?;
    let tools = server.ask("tools/list", json!({}))?;
    let by = launcher_and_profile(&tools).ok_or(TrialError::NoTool)?;
    let call = json!({ "name": RUN, "arguments": { "command": COMMAND } });
    let answer = server.ask("tools/call", call)?;
    held(&answer, by)
}

/// As the client does it: these words, this folder, and what it passes on of its environment.
fn command(client: &dyn Client, start: &Start, open: &Path) -> Command {
    let mut command = Command::new(&start.command);
    command.args(&start.args).current_dir(&start.folder);
    if let Variables::Only(names) = client.variables() {
        command.env_clear();
        command.envs(names.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    }
    if let Some(name) = client.project_variable() {
        command.env(name, open);
    }
    command
}

/// The description of the tool says what confines it, in a sentence of its own.
fn launcher_and_profile(tools: &Value) -> Option<String> {
    let tools = tools["tools"].as_array()?;
    let run = tools.iter().find(|tool| tool["name"] == RUN)?;
    let (_, after) = run["description"].as_str()?.split_once("Sandbox: ")?;
    let end = after.find([';', '\n']).into_iter().chain(after.find(". ")).min();
    let sentence = end.map_or(after, |end| &after[..end]);
    Some(sentence.trim_end_matches('.').to_owned())
}

fn held(answer: &Value, by: String) -> Result<Held, TrialError> {
    let payload = payload(answer);
    let sandbox = &payload["sandbox"];
    match (payload["exit"].as_i64(), sandbox["active"] == true) {
        (Some(0), true) => {
            let missing = sandbox["missing"].as_array().into_iter().flatten();
            let missing = missing.filter_map(|rule| rule.as_str().map(str::to_owned)).collect();
            Ok(Held { by, missing })
        }
        (Some(0), false) => Err(TrialError::Unconfined),
        _ => Err(TrialError::NotRun { reason: reason(answer, &payload) }),
    }
}

fn payload(answer: &Value) -> Value {
    match &answer["structuredContent"] {
        Value::Null => {
            let text = answer["content"][0]["text"].as_str().unwrap_or_default();
            serde_json::from_str(text).unwrap_or_default()
        }
        payload => payload.clone(),
    }
}

fn reason(answer: &Value, payload: &Value) -> String {
    let texts = [&payload["stderr"], &answer["content"][0]["text"]];
    let text = texts.into_iter().filter_map(Value::as_str).find(|text| !text.trim().is_empty());
    text.unwrap_or("it gave no reason").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(description: &str) -> Value {
        json!({ "tools": [{ "name": "other" }, { "name": RUN, "description": description }] })
    }

    #[test]
    fn the_description_says_what_confines() {
        for (description, by) in [
            ("Run. Sandbox: landlock, profile workspace. More.", "landlock, profile workspace"),
            ("Sandbox: bubblewrap, profile a.b.", "bubblewrap, profile a.b"),
            ("Sandbox: landlock, profile p; not enforced here: ipc.\nX", "landlock, profile p"),
        ] {
            assert_eq!(launcher_and_profile(&tools(description)).as_deref(), Some(by));
        }
        assert_eq!(launcher_and_profile(&tools("No sandbox: all rights.")), None);
        assert_eq!(launcher_and_profile(&json!({})), None);
    }

    #[test]
    fn only_a_run_that_was_confined_counts() {
        let answer = |payload: Value| json!({ "structuredContent": payload });
        let sandbox = json!({ "active": true, "missing": ["pty"] });
        let good = answer(json!({ "exit": 0, "sandbox": sandbox, "stderr": "" }));
        let missing = vec!["pty".to_owned()];
        assert_eq!(held(&good, "x".into()).unwrap(), Held { by: "x".into(), missing });
        let bare = held(&answer(json!({ "exit": 0 })), String::new());
        assert!(matches!(bare, Err(TrialError::Unconfined)), "{bare:?}");
        let failed = answer(json!({ "exit": -1, "stderr": "no launcher\n" }));
        match held(&failed, String::new()) {
            Err(TrialError::NotRun { reason }) => assert_eq!(reason, "no launcher"),
            other => panic!("{other:?}"),
        }
        let refused = json!({ "isError": true, "content": [{ "text": "not allowed" }] });
        match held(&refused, String::new()) {
            Err(TrialError::NotRun { reason }) => assert_eq!(reason, "not allowed"),
            other => panic!("{other:?}"),
        }
    }
}
