//! Times, which people write as a number of seconds.

use std::time::Duration;

use crate::config::defaults::LONGEST;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Written;

/// The time that a number of seconds means, or `None` for a number that is not greater than zero.
///
/// There is a time for every positive number: one that is shorter than a nanosecond becomes one
/// nanosecond, and one that is longer than [`LONGEST`] becomes that.
///
/// ```
/// use std::time::Duration;
/// use cofferdam::config::{defaults::LONGEST, seconds};
///
/// assert_eq!(seconds(0.5), Some(Duration::from_millis(500)));
/// assert_eq!(seconds(1e300), Some(LONGEST));
/// assert_eq!(seconds(-1.0), None);
/// ```
pub fn seconds(number: f64) -> Option<Duration> {
    // False for zero, negative zero and what is not a number.
    if number > 0.0 {
        let time = Duration::try_from_secs_f64(number).unwrap_or(LONGEST);
        Some(time.clamp(Duration::from_nanos(1), LONGEST))
    } else {
        None
    }
}

const SECONDS: &str = "a number of seconds greater than 0, such as 30 or 0.5";

/// A setting that is a time.
pub(crate) fn duration(
    written: Written<f64>,
    default: Duration,
    mistakes: &mut Mistakes,
) -> Option<Duration> {
    written.check(|| default, mistakes, |number| seconds(*number).ok_or(Problem::must(SECONDS)))
}

/// `max-timeout`: the longest timeout that a call may ask for; not below `timeout`.
pub(crate) fn longest_timeout(
    written: Written<f64>,
    timeout: Option<Duration>,
    mistakes: &mut Mistakes,
) -> Option<Option<Duration>> {
    written.check(
        || None,
        mistakes,
        |number| match (seconds(*number), timeout) {
            (None, _) => Err(Problem::must(SECONDS)),
            (Some(longest), Some(timeout)) if longest < timeout => Err(Problem::conflict(format!(
                "is below `timeout`, which is {} seconds; raise it or set `timeout` as well",
                timeout.as_secs_f64()
            ))),
            (longest, _) => Ok(longest),
        },
    )
}

#[cfg(test)]
mod tests {
    use crate::config::defaults::TIMEOUT;
    use crate::config::place::{Place, Placed};

    use super::*;

    fn given(number: f64) -> Written<f64> {
        Written::Given(Placed::value(Place::root().key("max-timeout"), number))
    }

    #[test]
    fn every_positive_number_is_a_time() {
        for (number, time) in [
            (30.0, Duration::from_secs(30)),
            (0.5, Duration::from_millis(500)),
            (1e-9, Duration::from_nanos(1)),
            (f64::MIN_POSITIVE, Duration::from_nanos(1)),
            (5e-324, Duration::from_nanos(1)),
            (1e18, LONGEST),
            (1e300, LONGEST),
            (f64::MAX, LONGEST),
            (f64::INFINITY, LONGEST),
        ] {
            assert_eq!(seconds(number), Some(time), "{number:?}");
        }
    }

    #[test]
    fn everything_else_is_none() {
        for number in [0.0, -0.0, -1e-9, -1.0, -1e300, f64::NEG_INFINITY, f64::NAN] {
            assert_eq!(seconds(number), None, "{number:?}");
        }
    }

    #[test]
    fn the_longest_time_can_be_added_to_every_clock() {
        assert!(std::time::Instant::now().checked_add(LONGEST).is_some());
        assert!(std::time::SystemTime::now().checked_add(LONGEST).is_some());
    }

    #[test]
    fn the_longest_timeout_is_not_below_the_timeout() {
        let mut mistakes = Mistakes::default();
        let timeout = Some(TIMEOUT);
        assert_eq!(longest_timeout(given(30.0), timeout, &mut mistakes), Some(timeout));
        assert_eq!(longest_timeout(Written::Absent, timeout, &mut mistakes), Some(None));
        assert!(mistakes.lines().is_empty());
        assert_eq!(longest_timeout(given(29.5), timeout, &mut mistakes), None);
        assert_eq!(longest_timeout(given(0.0), None, &mut mistakes), None);
        assert_eq!(
            mistakes.lines(),
            [
                "max-timeout = 29.5: is below `timeout`, which is 30 seconds; raise it or set \
                 `timeout` as well",
                "max-timeout = 0.0: must be a number of seconds greater than 0, such as 30 or 0.5",
            ]
        );
    }
}
