//! The arguments of a tool call: taken out one by one, each in its type.
//!
//! Nothing is guessed. A value of another type is the caller's mistake, and the answer says which
//! argument it was, what came, and what is right. `null` counts as left out.

use std::time::Duration;

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::config::{nearest::nearest, seconds};

/// The arguments of one call that have not been taken yet.
#[derive(Debug)]
pub(super) struct Arguments {
    came: JsonObject,
    /// What stands before their names in messages: nothing, or the place of an element with its dot.
    place: String,
}

/// A mistake in the arguments of a call.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArgumentError {
    /// The tool has no such argument.
    #[error("there is no argument `{}`{}", name.escape_debug(), instead(*meant, valid))]
    Unknown {
        /// The name that came.
        name: String,
        /// What was probably meant.
        meant: Option<&'static str>,
        /// Every name that there is.
        valid: &'static [&'static str],
    },
    /// A required argument did not come.
    #[error("`{name}` is missing: it must be {must}")]
    Missing {
        /// The argument.
        name: String,
        /// What it must be.
        must: &'static str,
    },
    /// Two arguments came that exclude each other.
    #[error("`{0}` and `{1}` exclude each other: {2}")]
    Both(&'static str, &'static str, &'static str),
    /// An argument has another type.
    #[error("`{name}` = {value}: it must be {must}")]
    Wrong {
        /// The argument, or an element of it.
        name: String,
        /// The beginning of what came, as JSON.
        value: String,
        /// What it must be.
        must: &'static str,
    },
}

const TEXT: &str = "a string";
const TEXTS: &str = "an array of strings, one for each argument, such as [\"-l\", \"my file\"]";
const ELEMENT: &str = "a string or a number: `args` is an array of strings, one for each argument";
const FLAG: &str = "`true` or `false`";
const SECONDS: &str = "a number of seconds greater than 0, such as 30 or 0.5";

impl Arguments {
    /// Takes over what came, unless there is an argument that the tool does not have.
    pub(super) fn open(
        came: Option<JsonObject>,
        valid: &'static [&'static str],
    ) -> Result<Self, ArgumentError> {
        Arguments::open_at(String::new(), came.unwrap_or_default(), valid)
    }

    fn open_at(
        place: String,
        came: JsonObject,
        valid: &'static [&'static str],
    ) -> Result<Self, ArgumentError> {
        match came.keys().find(|name| !valid.contains(&name.as_str())) {
            Some(name) => Err(ArgumentError::Unknown {
                name: place + &clipped(name),
                meant: nearest(name, valid),
                valid,
            }),
            None => Ok(Arguments { came, place }),
        }
    }

    /// Whether there is such an argument.
    pub(super) fn has(&self, name: &str) -> bool {
        self.came.get(name).is_some_and(|value| !value.is_null())
    }

    /// A list of objects, each of which holds arguments of its own.
    pub(super) fn objects(
        &mut self,
        name: &'static str,
        must: &'static str,
        valid: &'static [&'static str],
    ) -> Result<Vec<Arguments>, ArgumentError> {
        let elements = match self.take(name) {
            Some(Value::Array(elements)) if !elements.is_empty() => elements,
            Some(other) => return Err(self.wrong(name, &other, must)),
            None => return Ok(Vec::new()),
        };
        let objects = elements.into_iter().enumerate().map(|(index, element)| match element {
            Value::Object(object) => {
                Arguments::open_at(format!("{}{name}[{index}].", self.place), object, valid)
            }
            other => Err(self.wrong(&format!("{name}[{index}]"), &other, must)),
        });
        objects.collect()
    }

    /// A text that must be there.
    pub(super) fn required_text(
        &mut self,
        name: &'static str,
        must: &'static str,
    ) -> Result<String, ArgumentError> {
        match self.take(name) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(self.wrong(name, &other, must)),
            None => Err(ArgumentError::Missing { name: self.named(name), must }),
        }
    }

    /// A text.
    pub(super) fn text(&mut self, name: &'static str) -> Result<Option<String>, ArgumentError> {
        match self.take(name) {
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(name, &other, TEXT)),
            None => Ok(None),
        }
    }

    /// A list of texts. A number in it is its own text; every other type might have meant something
    /// else.
    pub(super) fn texts(&mut self, name: &'static str) -> Result<Vec<String>, ArgumentError> {
        let elements = match self.take(name) {
            Some(Value::Array(elements)) => elements,
            Some(other) => return Err(self.wrong(name, &other, TEXTS)),
            None => return Ok(Vec::new()),
        };
        let texts = elements.into_iter().enumerate().map(|(index, element)| match element {
            Value::String(text) => Ok(text),
            Value::Number(number) => Ok(number.to_string()),
            other => Err(self.wrong(&format!("{name}[{index}]"), &other, ELEMENT)),
        });
        texts.collect()
    }

    /// A yes or no.
    pub(super) fn flag(&mut self, name: &'static str) -> Result<Option<bool>, ArgumentError> {
        match self.take(name) {
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(self.wrong(name, &other, FLAG)),
            None => Ok(None),
        }
    }

    /// A time in seconds.
    pub(super) fn time(&mut self, name: &'static str) -> Result<Option<Duration>, ArgumentError> {
        let Some(value) = self.take(name) else { return Ok(None) };
        let time = value.as_f64().and_then(seconds);
        time.map(Some).ok_or_else(|| self.wrong(name, &value, SECONDS))
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.came.remove(name).filter(|value| !value.is_null())
    }

    fn named(&self, name: &str) -> String {
        format!("{}{name}", self.place)
    }

    fn wrong(&self, name: &str, value: &Value, must: &'static str) -> ArgumentError {
        ArgumentError::Wrong { name: self.named(name), value: clipped(&value.to_string()), must }
    }
}

/// The beginning of a text that may be megabytes long: the caller knows the rest.
fn clipped(text: &str) -> String {
    const ENOUGH: usize = 100;
    match text.char_indices().nth(ENOUGH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn instead(meant: Option<&str>, valid: &[&str]) -> String {
    let meant = meant.map_or_else(String::new, |meant| format!(" (did you mean `{meant}`?)"));
    match valid {
        [] => "; this tool takes none".to_owned(),
        _ => format!("{meant}; there are: {}", valid.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NAMES: &[&str] = &["args", "command", "timeout"];

    fn open(value: Value) -> Result<Arguments, ArgumentError> {
        let Value::Object(object) = value else { panic!("not an object: {value}") };
        Arguments::open(Some(object), NAMES)
    }

    fn texts(value: Value) -> Result<Vec<String>, String> {
        open(json!({ "args": value })).unwrap().texts("args").map_err(|error| error.to_string())
    }

    fn time(value: Value) -> Result<Option<Duration>, String> {
        open(json!({ "timeout": value })).unwrap().time("timeout").map_err(|e| e.to_string())
    }

    #[test]
    fn numbers_among_the_texts_are_taken_as_written() {
        assert_eq!(texts(json!([1, 2.5, -3, "x"])).unwrap(), ["1", "2.5", "-3", "x"]);
    }

    #[test]
    fn texts_that_are_left_out_are_none() {
        assert_eq!(texts(json!(null)).unwrap(), [""; 0]);
        assert_eq!(texts(json!([])).unwrap(), [""; 0]);
        assert_eq!(Arguments::open(None, NAMES).unwrap().texts("args").unwrap(), [""; 0]);
    }

    #[test]
    fn whatever_is_no_array_of_strings_is_refused_with_its_name_and_value() {
        for value in [json!("a b"), json!("[\"a\"]"), json!({}), json!(5), json!(true)] {
            let message = texts(value.clone()).unwrap_err();
            assert!(message.starts_with(&format!("`args` = {value}: ")), "{message}");
            assert!(message.contains("array of strings"), "{message}");
        }
        for element in [json!(true), json!(null), json!(["b"]), json!({"a": 1})] {
            let message = texts(json!(["a", element.clone()])).unwrap_err();
            assert!(message.starts_with(&format!("`args[1]` = {element}: ")), "{message}");
            assert!(message.contains("array of strings"), "{message}");
        }
    }

    #[test]
    fn a_time_is_a_positive_number() {
        assert_eq!(time(json!(0.5)).unwrap(), Some(Duration::from_millis(500)));
        assert_eq!(time(json!(30)).unwrap(), Some(Duration::from_secs(30)));
        assert_eq!(time(json!(null)).unwrap(), None);
        for huge in ["1e18", "1e300", "18446744073709551615", "1e-9"] {
            let number: Value = serde_json::from_str(huge).unwrap();
            assert!(time(number).unwrap().is_some(), "{huge}");
        }
        for value in [json!(-1), json!(0), json!(-0.0), json!("5"), json!(true), json!([])] {
            let message = time(value.clone()).unwrap_err();
            assert!(message.starts_with(&format!("`timeout` = {value}: ")), "{message}");
        }
    }

    #[test]
    fn a_flag_is_true_or_false_and_no_word_for_it() {
        let flag = |value: Value| open(json!({ "command": value })).unwrap().flag("command");
        assert_eq!(flag(json!(true)).unwrap(), Some(true));
        assert_eq!(flag(json!(null)).unwrap(), None);
        for value in [json!("true"), json!(1), json!([])] {
            let message = flag(value.clone()).unwrap_err().to_string();
            assert_eq!(message, format!("`command` = {value}: it must be `true` or `false`"));
        }
    }

    #[test]
    fn a_required_text_is_asked_for_when_it_is_missing_or_null() {
        for came in [json!({}), json!({ "command": null })] {
            let error = open(came).unwrap().required_text("command", "one program").unwrap_err();
            assert_eq!(error.to_string(), "`command` is missing: it must be one program");
        }
        let came = json!({ "command": ["git", "status"] });
        let error = open(came).unwrap().required_text("command", "one program").unwrap_err();
        assert_eq!(error.to_string(), r#"`command` = ["git","status"]: it must be one program"#);
    }

    #[test]
    fn an_unknown_argument_is_named_with_the_one_that_was_meant() {
        let error = open(json!({ "comand": "git" })).unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no argument `comand` (did you mean `command`?); there are: args, command, \
             timeout"
        );
        let came = json!({ "why": "because" }).as_object().cloned();
        let error = Arguments::open(came, &[]).unwrap_err().to_string();
        assert_eq!(error, "there is no argument `why`; this tool takes none");
    }

    #[test]
    fn a_long_value_is_shown_by_its_beginning() {
        let message = texts(json!("é".repeat(100_000))).unwrap_err();
        assert!(message.len() < 400, "{}", message.len());
        assert!(message.contains('…'));
    }
}
