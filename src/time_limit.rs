//! How long a run may take.

use std::time::Duration;

/// How long a run may take, of what was asked for and what is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeLimit {
    /// `None` is as long as it likes.
    pub(crate) time: Option<Duration>,
    /// The same, where it is less than what was asked for.
    pub(crate) lowered: Option<Duration>,
}

impl TimeLimit {
    /// What is wanted, but no more than the most. No limit at all is more than any.
    pub(crate) fn new(wanted: Option<Duration>, most: Option<Duration>) -> Self {
        let lowered = most.filter(|most| wanted.is_none_or(|wanted| wanted > *most));
        TimeLimit { time: lowered.or(wanted), lowered }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_longer_than_the_most_is_lowered() {
        let seconds = |number: Option<u64>| number.map(Duration::from_secs);
        for (wanted, most, time, lowered) in [
            (None, None, None, None),
            (Some(5), None, Some(5), None),
            (Some(5), Some(7), Some(5), None),
            (Some(7), Some(7), Some(7), None),
            (Some(8), Some(7), Some(7), Some(7)),
            (None, Some(7), Some(7), Some(7)),
        ] {
            let limit = TimeLimit { time: seconds(time), lowered: seconds(lowered) };
            assert_eq!(
                TimeLimit::new(seconds(wanted), seconds(most)),
                limit,
                "{wanted:?} {most:?}"
            );
        }
    }
}
