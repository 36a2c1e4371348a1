//! What an external validator's exit and words mean.

use crate::spawn::Ended;

/// A program that is asked, and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It ended, after it had printed this.
    Ended { how: Option<Ended>, stdout: Vec<u8> },
    /// It had not ended when its time was up.
    Late,
    /// It printed more than a reason.
    Flood,
}

/// So much of a reason is told, in characters.
const MOST: usize = 500;

impl Answer {
    /// Exit 0 allows; everything else refuses, with the first line that was printed as the reason.
    pub(super) fn verdict(self) -> Result<(), String> {
        match self {
            Answer::Ended { how: Some(Ended::Exited(0)), .. } => Ok(()),
            Answer::Ended { how, stdout } => Err(reason(&stdout).unwrap_or_else(|| silent(how))),
            Answer::Late => Err("the validator did not answer in time".to_owned()),
            Answer::Flood => Err("the validator printed more than a reason".to_owned()),
        }
    }
}

fn reason(stdout: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stdout);
    let line = text.lines().next()?.trim();
    let shown = line.chars().take(MOST).map(|sign| match sign.is_control() {
        true => '\u{fffd}',
        false => sign,
    });
    Some(shown.collect::<String>()).filter(|reason| !reason.is_empty())
}

fn silent(how: Option<Ended>) -> String {
    match how {
        Some(Ended::Exited(code)) => format!("the validator gave no reason (its exit is {code})"),
        Some(Ended::Signaled(signal)) => format!("the validator was ended by signal {signal}"),
        None => "what became of the validator is not known".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(how: Ended, stdout: &str) -> Result<(), String> {
        Answer::Ended { how: Some(how), stdout: stdout.into() }.verdict()
    }

    #[test]
    fn only_exit_0_allows() {
        assert_eq!(ended(Ended::Exited(0), "whatever"), Ok(()));
        for (how, stdout, reason) in [
            (Ended::Exited(1), " not on a Friday \nmore", "not on a Friday"),
            (Ended::Exited(1), "", "the validator gave no reason (its exit is 1)"),
            (Ended::Exited(3), "\nsecond", "the validator gave no reason (its exit is 3)"),
            (Ended::Signaled(11), "", "the validator was ended by signal 11"),
            (Ended::Exited(1), "a\u{1b}[31mb", "a\u{fffd}[31mb"),
        ] {
            assert_eq!(ended(how, stdout), Err(reason.to_owned()));
        }
        assert!(Answer::Late.verdict().is_err() && Answer::Flood.verdict().is_err());
    }

    #[test]
    fn a_reason_is_one_short_line() {
        let reason = ended(Ended::Exited(1), &"é".repeat(10_000)).unwrap_err();
        assert_eq!(reason.chars().count(), MOST);
    }
}
