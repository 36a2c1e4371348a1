//! Answers as text: a line for each fact, and a section for each stream.

use serde_json::Value;

/// The text of an answer. First the exit, then what else there is to tell (what is false or not known
/// is left out), then the streams that are not empty.
pub(super) fn sections(answer: &Value) -> String {
    let mut text = String::new();
    let Value::Object(fields) = answer else { return answer.to_string() };
    if let Some(exit) = fields.get("exit") {
        text += &match exit {
            Value::Null => "Exit code: none\n".to_owned(),
            exit => format!("Exit code: {exit}\n"),
        };
    }
    for (key, value) in fields {
        let value = match value {
            Value::Null | Value::Bool(false) => continue,
            Value::String(value) => value.clone(),
            value => value.to_string(),
        };
        if !["exit", "stdout", "stderr"].contains(&key.as_str()) {
            text += &format!("{}: {value}\n", name(key));
        }
    }
    for stream in ["stdout", "stderr"] {
        let written = fields.get(stream).and_then(Value::as_str).unwrap_or_default();
        if !written.is_empty() {
            text += &format!("\n=== {} ===\n{written}", stream.to_uppercase());
            if !written.ends_with('\n') {
                text.push('\n');
            }
        }
    }
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// A key as people write it: `timed-out` is `Timed out`.
fn name(key: &str) -> String {
    let words = key.replace('-', " ");
    let (first, rest) = words.split_at(words.chars().next().map_or(0, char::len_utf8));
    first.to_uppercase() + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_is_its_exit_code_and_the_streams_that_hold_something() {
        let payload = json!({ "exit": 0, "stderr": "", "stdout": "main\n", "timed-out": false });
        assert_eq!(sections(&payload), "Exit code: 0\n\n=== STDOUT ===\nmain");
        let silent = json!({ "exit": 1, "stderr": "", "stdout": "", "timed-out": false });
        assert_eq!(sections(&silent), "Exit code: 1");
    }

    #[test]
    fn what_else_there_is_to_tell_stands_between_the_two() {
        let payload = json!({
            "exit": 137, "limit": "max-output-bytes", "sandbox": { "active": true },
            "stderr": "e", "stdout": "o", "timed-out": true, "timeout": 5,
        });
        assert_eq!(
            sections(&payload),
            "Exit code: 137\nLimit: max-output-bytes\nSandbox: {\"active\":true}\nTimed out: true\n\
             Timeout: 5\n\n=== STDOUT ===\no\n\n=== STDERR ===\ne"
        );
    }

    #[test]
    fn a_job_is_told_line_by_line() {
        let poll = json!({ "exit": null, "job": "j1-1x9k2w", "killed": false, "state": "running" });
        assert_eq!(sections(&poll), "Exit code: none\nJob: j1-1x9k2w\nState: running");
    }
}
