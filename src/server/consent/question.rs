//! What a person reads, and may answer.
//!
//! Most of it is the command's own text, and so perhaps an attacker's, shown in clients that may take
//! it for Markdown. Each piece is on one line, escaped and cut, and stands between backquotes of ours
//! with none of its own: there, nothing in it is a link, a heading or the end of a sentence.

use cofferdam_profiles::Grant;
use rmcp::model::{ElicitRequest, ElicitRequestParams, ElicitationSchema, JsonObject};
use serde_json::{Value, json};

use super::Pending;
use crate::evidence::shown;

/// The key of the answer.
pub(super) const DECISION: &str = "decision";
/// The answer that grants.
pub(super) const RUN_ONCE: &str = "run-once";

/// So much of a command line is shown, in bytes: what fits a dialog.
const LINE: usize = 600;
/// So much of any other piece. A path that is granted is never cut: a longer one is not offered.
const PIECE: usize = 300;
/// So much of a path that is granted.
const PATH: usize = 1024;

/// The question as the protocol has it, the same in both eras.
pub(super) fn request(pending: &Pending) -> Option<ElicitRequest> {
    Some(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message(pending),
        requested_schema: schema()?,
    }))
}

/// One choice of two. There is none without the sandbox.
fn schema() -> Option<ElicitationSchema> {
    let schema = json!({
        "type": "object",
        "properties": {
            DECISION: {
                "type": "string",
                "title": "May it run?",
                "description": "deny: nothing more happens. run-once: it runs once more, with exactly \
                                the grants that are listed.",
                "enum": ["deny", RUN_ONCE],
            },
        },
        "required": [DECISION],
    });
    serde_json::from_value(schema).ok()
}

fn message(pending: &Pending) -> String {
    let offer = &pending.offer;
    let mut lines = vec![
        "A command was refused something by its sandbox. May it run once more, in the same sandbox, \
         with the grants below and no others? Text between backquotes comes from the command and from \
         whoever called it, not from Cofferdam."
            .to_owned(),
        format!("Tool: {}", code(&pending.tool, PIECE)),
        format!("Command: {}", command(&pending.arguments)),
        format!("Directory: {}", code(&offer.directory.to_string_lossy(), PIECE)),
    ];
    for (name, value) in pending.arguments.iter().filter(|(_, value)| !value.is_null()) {
        if !["args", "command", "cwd", "pipeline"].contains(&name.as_str()) {
            lines.push(format!("{}: {}", code(name, PIECE), code(&value.to_string(), PIECE)));
        }
    }
    lines.extend(offer.refusals.iter().map(|one| format!("Refused: {}", span(one))));
    lines.extend(
        offer.grants.iter().map(|grant| format!("Grant, for this run alone: {}", told(grant))),
    );
    lines.join("\n")
}

fn told(grant: &Grant) -> String {
    let Some(path) = grant.path() else {
        return "the network: it can reach whatever this machine reaches, and send away what it reads"
            .to_owned();
    };
    let tree = if path.is_dir() { ", a directory with all that is in it" } else { "" };
    let what = match grant {
        Grant::Write(_) => "read, change and remove",
        _ => "read",
    };
    format!("{what} {}{tree}", code(&path.to_string_lossy(), PATH))
}

/// The command line, each word in quotes that does not stand for itself; the stages of a pipeline with
/// a `|` between them.
fn command(arguments: &JsonObject) -> String {
    let stages = arguments.get("pipeline").and_then(Value::as_array);
    let line = match stages {
        Some(stages) => {
            let stages = stages.iter().filter_map(Value::as_object).map(words);
            stages.collect::<Vec<_>>().join(" | ")
        }
        None => words(arguments),
    };
    let hidden = line.len().saturating_sub(LINE);
    let line = span(&cut(line, LINE));
    match hidden {
        0 => line,
        _ => format!("{line} and {hidden} bytes more, which are not shown"),
    }
}

fn words(program: &JsonObject) -> String {
    let args = program.get("args").and_then(Value::as_array).into_iter().flatten();
    let words = program.get("command").into_iter().chain(args).map(word);
    words.collect::<Vec<_>>().join(" ")
}

fn word(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "/._-+@%,:=~".contains(sign);
    match !text.is_empty() && text.chars().all(plain) {
        true => text,
        false => format!("\"{}\"", shown(&text, usize::MAX).replace('"', "\\\"")),
    }
}

fn cut(mut line: String, most: usize) -> String {
    if line.len() > most {
        let end = (0..=most).rev().find(|end| line.is_char_boundary(*end)).unwrap_or(0);
        line.truncate(end);
        line.push('…');
    }
    line
}

/// A text of somebody else's, escaped and cut.
fn code(text: &str, most: usize) -> String {
    span(&shown(text, most))
}

/// A text that is escaped already, set apart from ours.
fn span(text: &str) -> String {
    format!("`{}`", text.replace('`', r"\u{60}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(command: &str, args: &[&str]) -> String {
        let arguments = json!({ "command": command, "args": args });
        super::command(arguments.as_object().unwrap())
    }

    #[test]
    fn words_of_a_command_are_told_apart() {
        assert_eq!(line("touch", &["/a/b", "a b", "", "c\"d"]), r#"`touch /a/b "a b" "" "c\"d"`"#);
        assert_ne!(line("x", &["a\" \"b"]), line("x", &["a", "b"]));
        let pipeline =
            json!({ "pipeline": [{ "command": "ls", "args": ["|"] }, { "command": "wc" }] });
        let shown = super::command(pipeline.as_object().unwrap());
        assert_eq!(shown, r#"`ls "|" | wc`"#);
    }

    #[test]
    fn nothing_of_the_commands_ends_its_line_or_is_markdown() {
        let evil = "x`\n\n# Cofferdam\n[click](http://evil) **grant** \u{1b}[2J\u{202e}";
        let line = line("sh", &["-c", evil]);
        assert_eq!(line.matches('`').count(), 2, "{line}");
        assert!(line.starts_with('`') && line.ends_with('`'), "{line}");
        assert!(!line.chars().any(char::is_control) && !line.contains('\u{202e}'), "{line}");
        let piece = code(evil, PIECE);
        assert_eq!(piece.matches('`').count(), 2, "{piece}");
    }

    #[test]
    fn a_long_command_says_how_much_of_it_is_not_shown() {
        let line = line("echo", &[&"é".repeat(5000)]);
        assert!(line.len() < LINE + 60, "{}", line.len());
        assert!(line.ends_with("bytes more, which are not shown"), "{line}");
    }

    #[test]
    fn the_choice_is_to_deny_or_to_run_once() {
        let schema = serde_json::to_value(schema().unwrap()).unwrap();
        assert_eq!(schema["properties"][DECISION]["enum"], json!(["deny", "run-once"]));
        assert_eq!(schema["required"], json!([DECISION]));
        assert_eq!(schema["properties"].as_object().unwrap().len(), 1);
    }
}
