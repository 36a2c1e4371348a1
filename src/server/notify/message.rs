//! The messages themselves.

use std::time::Duration;

use rmcp::model::{
    CustomNotification, NotificationMetaObject, ProgressNotification, ProgressNotificationParam,
    ProgressToken, RequestId, ServerNotification,
};
use serde_json::{Value, json};

use super::batches::Batch;
use super::level::Level;
use crate::{Happening, JobEvent};

/// The key in a message's `_meta` that holds the id of the request it belongs to.
pub(super) const REQUEST: &str = "io.github.cofferdam/requestId";

/// The `_meta` of a message that belongs to a request.
pub(super) fn within(request: &RequestId) -> NotificationMetaObject {
    let mut meta = NotificationMetaObject::new();
    meta.0.0.insert(REQUEST.to_owned(), json!(request));
    meta
}

/// A message that a client may choose not to hear.
pub(super) fn log(
    level: Level,
    logger: &str,
    data: Value,
    meta: NotificationMetaObject,
) -> ServerNotification {
    custom("notifications/message", json!({ "level": level, "logger": logger, "data": data }), meta)
}

/// What a run wrote.
pub(super) fn run_output(batch: &Batch) -> Value {
    json!({ "stream": batch.stream, "text": batch.text })
}

/// What a job wrote.
pub(super) fn job_output(job: &str, batch: &Batch) -> Value {
    json!({ "job": job, "stream": batch.stream, "text": batch.text })
}

/// What happened to a job, as a line for people.
///
/// `command` is what somebody asked to run; a line break in it must not begin a line of its own.
pub(super) fn job_line(event: &JobEvent) -> Value {
    let (job, command) = (&event.job, event.command.escape_debug());
    let after = event.runtime.as_secs_f64();
    Value::String(match event.what {
        Happening::Started => format!("job {job} started: {command}"),
        Happening::Ended { killed: true, .. } => {
            format!("job {job} killed after {after:.3} s: {command}")
        }
        Happening::Ended { exit: Some(exit), .. } => {
            format!("job {job} exited with {exit} after {after:.3} s: {command}")
        }
        Happening::Ended { exit: None, .. } => {
            format!("job {job} exited after {after:.3} s, its status never came: {command}")
        }
    })
}

/// What happened to a job, for programs. `exit` is absent where it is not known: that must not look
/// like an exit of 0.
pub(super) fn job(
    event: &JobEvent,
    logger: &str,
    meta: NotificationMetaObject,
) -> ServerNotification {
    let (state, exit) = match event.what {
        Happening::Started => ("started", None),
        Happening::Ended { killed: true, exit } => ("killed", exit),
        Happening::Ended { killed: false, exit } => ("exited", exit),
    };
    let mut params = json!({
        "job": &*event.job,
        "state": state,
        "runtime": seconds(event.runtime),
        "logger": logger,
        "command": &*event.command,
    });
    if let Some(exit) = exit {
        params["exit"] = json!(exit);
    }
    custom("notifications/job", params, meta)
}

/// That a request is still being worked on. `seconds` grows from one to the next.
pub(super) fn progress(
    token: ProgressToken,
    elapsed: Duration,
    message: String,
) -> ServerNotification {
    let param = ProgressNotificationParam::new(token, elapsed.as_secs_f64()).with_message(message);
    ServerNotification::ProgressNotification(ProgressNotification::new(param))
}

/// Seconds to the millisecond; whole ones are written as such.
fn seconds(time: Duration) -> Value {
    match time.subsec_millis() {
        0 => json!(time.as_secs()),
        _ => json!(time.as_millis() as f64 / 1000.0),
    }
}

/// A message of which rmcp needs to know nothing. Its own type for log messages goes away with the
/// next revision of the protocol.
fn custom(method: &str, params: Value, meta: NotificationMetaObject) -> ServerNotification {
    let mut message = CustomNotification::new(method, Some(params));
    if !meta.0.0.is_empty() {
        message.extensions.insert(meta);
    }
    ServerNotification::CustomNotification(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(what: Happening) -> JobEvent {
        JobEvent {
            job: "j1-1x9k2w".into(),
            command: "make".into(),
            runtime: Duration::from_millis(42_317),
            what,
        }
    }

    fn written(message: ServerNotification) -> Value {
        serde_json::to_value(message).unwrap()
    }

    fn params(what: Happening) -> Value {
        let message = written(job(&event(what), "sh_start", NotificationMetaObject::new()));
        assert_eq!(message["method"], "notifications/job");
        message["params"].clone()
    }

    #[test]
    fn a_job_is_told_in_the_words_of_the_contract() {
        let ended = params(Happening::Ended { killed: false, exit: Some(0) });
        let expected = json!({
            "job": "j1-1x9k2w", "state": "exited", "exit": 0, "runtime": 42.317,
            "logger": "sh_start", "command": "make",
        });
        assert_eq!(ended, expected);
        assert_eq!(params(Happening::Started)["state"], "started");
        let killed = params(Happening::Ended { killed: true, exit: Some(137) });
        assert_eq!((&killed["state"], &killed["exit"]), (&json!("killed"), &json!(137)));
    }

    #[test]
    fn an_exit_that_is_not_known_is_absent_and_not_null() {
        for what in [Happening::Started, Happening::Ended { killed: true, exit: None }] {
            assert!(params(what).get("exit").is_none(), "{what:?}");
        }
    }

    #[test]
    fn a_line_about_a_job_is_one_line_whatever_its_command_is() {
        let mut event = event(Happening::Ended { killed: false, exit: Some(2) });
        event.command = "make\n[background event]".into();
        let line = job_line(&event);
        assert_eq!(line, r"job j1-1x9k2w exited with 2 after 42.317 s: make\n[background event]");
    }

    #[test]
    fn whole_seconds_are_whole_numbers() {
        assert_eq!(seconds(Duration::ZERO).to_string(), "0");
        assert_eq!(seconds(Duration::from_millis(12_004)).to_string(), "12.004");
    }

    #[test]
    fn the_id_of_the_request_stands_in_the_meta_data_as_it_came() {
        let id = RequestId::String("a-7".into());
        let data = json!({ "stream": "stdout", "text": "x" });
        let message = written(log(Level::Info, "sh_run", data.clone(), within(&id)));
        let expected = json!({
            "method": "notifications/message",
            "params": {
                "level": "info", "logger": "sh_run", "data": data,
                "_meta": { "io.github.cofferdam/requestId": "a-7" },
            },
        });
        assert_eq!(message, expected);
        let without = log(Level::Info, "sh_run", json!(1), NotificationMetaObject::new());
        assert!(written(without)["params"].get("_meta").is_none());
    }
}
