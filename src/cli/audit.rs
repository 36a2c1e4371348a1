//! `cofferdam audit`: what an audit file holds, for people.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::args::AuditArgs;
use super::report::{Failure, complain};

/// Shows the records that are asked for, in the order of the file.
pub(super) fn audit(args: AuditArgs) -> Result<u8, Failure> {
    let unreadable = |error| Failure(format!("`{}` cannot be read: {error}", args.file.display()));
    let mut file = BufReader::new(File::open(&args.file).map_err(unreadable)?);
    let mut stdout = std::io::stdout().lock();
    let mut line = Vec::new();
    let mut strange = 0;
    while file.read_until(b'\n', &mut line).map_err(unreadable)? > 0 {
        let text = String::from_utf8_lossy(&line);
        match serde_json::from_str::<Value>(&text) {
            Ok(record) if record.is_object() => {
                if is_wanted(&record, &args) {
                    let shown = if args.json { whole(&text) } else { row(&record) };
                    // A reader that has gone has read enough.
                    if stdout.write_all(shown.as_bytes()).is_err() {
                        return Ok(0);
                    }
                }
            }
            _ if text.trim().is_empty() => {}
            _ => strange += 1,
        }
        line.clear();
    }
    if strange > 0 {
        complain(format!(
            "{strange} of the lines are no records; one at the end is what a full disk or a power \
             failure leaves"
        ));
    }
    Ok(0)
}

fn is_wanted(record: &Value, args: &AuditArgs) -> bool {
    let is_recent = args.since.is_none_or(|since| {
        let time = record["time"].as_str().and_then(|time| humantime::parse_rfc3339(time).ok());
        time.is_some_and(|time| time >= since)
    });
    is_recent && (!args.refused || record["outcome"] == "refused")
}

/// The line as it is; the last one may lack its end.
fn whole(line: &str) -> String {
    format!("{}\n", line.trim_end())
}

/// One line of columns, and below it what must be said besides.
fn row(record: &Value) -> String {
    let text = |key: &str| shown(&record[key]);
    let who = match record["tool"].is_null() {
        true => text("instance"),
        false => text("tool"),
    };
    let mut row = format!(
        "{:24}  {:11}  {:>4}  {:>9}  {:10}  {}\n",
        text("time"),
        text("outcome"),
        text("exit"),
        record["duration"].as_f64().map_or(String::new(), |time| format!("{time:.3} s")),
        who,
        line(record)
    );
    let mut besides = |name: &str, value: String| {
        if !value.is_empty() {
            row.push_str(&format!("{:26}{name}: {value}\n", ""));
        }
    };
    besides("in", text("directory"));
    for key in ["stdin-file", "stdout-file", "stdout-append"] {
        besides(key, text(key));
    }
    besides("because", text("reason"));
    besides("grants", list(&record["grants"]));
    let sandbox = &record["sandbox"];
    besides("not enforced", list(&sandbox["missing"]));
    besides("created", list(&sandbox["created"]));
    row
}

/// The command, or the stages of a pipeline, as they would have to be typed.
fn line(record: &Value) -> String {
    let stage = |stage: &Value| {
        let args = stage["args"].as_array().into_iter().flatten().map(quoted);
        std::iter::once(shown(&stage["command"])).chain(args).collect::<Vec<_>>().join(" ")
    };
    match record["pipeline"].as_array() {
        Some(stages) => stages.iter().map(stage).collect::<Vec<_>>().join(" | "),
        None => stage(record),
    }
}

fn list(values: &Value) -> String {
    values.as_array().into_iter().flatten().map(shown).collect::<Vec<_>>().join(", ")
}

/// A word as it would have to be typed, where that matters.
fn quoted(word: &Value) -> String {
    let text = shown(word);
    match text.is_empty() || text.contains([' ', '\'', '"', '\\', '$', '|', '&', ';', '*', '`']) {
        true => format!("'{}'", text.replace('\'', "'\\''")),
        false => text,
    }
}

/// A value on one line, without a sign that a terminal would obey or that turns text around.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::Null => return String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let obeyed = |sign: char| {
        sign.is_control()
            || matches!(sign, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().fold(String::new(), |mut clean, sign| {
        match obeyed(sign) {
            true => clean.extend(sign.escape_default()),
            false => clean.push(sign),
        }
        clean
    })
}

const SINCE: &str = "give a time such as 2026-11-30T12:00:00Z, or how long ago: 2h, 1day";

/// A time: the moment itself, or how long ago it was.
pub(super) fn since(text: &str) -> Result<SystemTime, &'static str> {
    if let Ok(time) = humantime::parse_rfc3339_weak(text) {
        return Ok(time);
    }
    let ago: Duration = humantime::parse_duration(text).map_err(|_| SINCE)?;
    SystemTime::now().checked_sub(ago).ok_or(SINCE)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_is_a_line_of_columns_and_what_matters_besides() {
        let record = json!({
            "time": "2026-11-30T12:00:00.000Z", "outcome": "success", "tool": "git_run",
            "command": "git", "args": ["log", "--grep", "fix the thing", ""], "directory": "/srv",
            "exit": 0, "duration": 0.0123, "sandbox": { "active": true, "missing": ["pty", "ipc"] },
        });
        assert_eq!(
            row(&record),
            "2026-11-30T12:00:00.000Z  success         0    0.012 s  git_run     git log --grep \
             'fix the thing' ''\n                          in: /srv\n                          not \
             enforced: pty, ipc\n"
        );
    }

    #[test]
    fn no_sign_reaches_the_terminal_that_it_would_obey() {
        let record = json!({
            "outcome": "refused", "command": "a\u{1b}[2Jb\n\u{202e}c", "args": ["\r\u{9b}31m"],
            "reason": "x\u{7}",
        });
        let row = row(&record);
        assert!(row.contains(r"a\u{1b}[2Jb\n\u{202e}c"), "{row:?}");
        assert!(row.chars().all(|sign| sign == '\n' || !sign.is_control()), "{row:?}");
    }

    #[test]
    fn a_time_is_a_moment_or_how_long_ago_it_was() {
        let moment = since("2026-11-30T12:00:00Z").unwrap();
        assert_eq!(humantime::format_rfc3339(moment).to_string(), "2026-11-30T12:00:00Z");
        let then = since("1h").unwrap();
        let hour = SystemTime::now().duration_since(then).unwrap();
        assert_eq!(hour.as_secs() / 60, 60);
        assert!(since("yesterday").is_err());
    }
}
