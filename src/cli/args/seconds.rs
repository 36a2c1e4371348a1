//! Times on the command line.

use std::time::Duration;

use crate::config::seconds;

const SECONDS: &str = "give a number of seconds greater than 0, such as 30 or 0.5";

/// A number of seconds, as the settings take it.
pub(super) fn number_of_seconds(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|number| seconds(*number).is_some()).ok_or(SECONDS)
}

/// A time, in seconds.
pub(super) fn time(text: &str) -> Result<Duration, &'static str> {
    number_of_seconds(text).and_then(|number| seconds(number).ok_or(SECONDS))
}
