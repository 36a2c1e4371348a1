//! What a probe said, and how its run ended.
//!
//! A probe writes one line when it begins and one when it ends, each with a mark that nothing else
//! writes. Everything in between is the program's own.

use std::os::unix::process::ExitStatusExt;
use std::process::Output;

use crate::verdict::{Judged, Trouble, Verdict};

/// The mark in front of a probe's lines.
pub(crate) const MARK: &str = "@cofferdam-probe@";

/// What a probe said last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// It did what it was asked to; with what it got.
    Did(String),
    /// It was refused; with the step and the error.
    Refused(String),
    /// What it was asked to do makes no sense here.
    Unable(String),
    /// It began, and said nothing more.
    Nothing,
}

/// A run of the probe, as seen from outside.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) said: Said,
    pub(crate) output: Output,
}

impl Report {
    /// Reads what a run left.
    ///
    /// # Errors
    /// [`Trouble::NeverRan`] without the line of the beginning; [`Trouble::Unavailable`] where the
    /// probe says so.
    pub(crate) fn read(output: Output) -> Result<Report, Trouble> {
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<_> = text.lines().filter_map(|line| line.split_once(MARK)).collect();
        let said = match lines.as_slice() {
            [] => {
                let stderr = String::from_utf8_lossy(&output.stderr);
                return Err(Trouble::NeverRan(format!(
                    "the probe never ran ({}): {}",
                    output.status,
                    stderr.trim()
                )));
            }
            [.., (_, last)] => match last.trim_start().split_once(' ') {
                Some(("did", what)) => Said::Did(what.to_owned()),
                Some(("refused", why)) => Said::Refused(why.to_owned()),
                Some(("unable", why)) => Said::Unable(why.to_owned()),
                _ => Said::Nothing,
            },
        };
        match said {
            Said::Unable(why) => Err(Trouble::Unavailable(why)),
            said => Ok(Report { said, output }),
        }
    }

    /// For what cannot be done: judged by the probe's own word.
    pub(crate) fn refused(&self) -> Judged {
        match &self.said {
            Said::Did(what) => Ok(Verdict::Broken(format!("the probe did it: {what}"))),
            Said::Refused(why) => Ok(Verdict::Held(why.clone())),
            Said::Unable(why) => Err(Trouble::Unavailable(why.clone())),
            Said::Nothing => match self.output.status.signal().or(self.shell_signal()) {
                Some(signal) => Ok(Verdict::Held(format!("ended by signal {signal}"))),
                None => Err(Trouble::NeverRan("the probe did not finish telling".to_owned())),
            },
        }
    }

    /// For what must not be told: broken where these words are anywhere in what came out.
    pub(crate) fn hides(&self, words: &str) -> Judged {
        let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(words);
        if told(&self.output.stdout) || told(&self.output.stderr) {
            return Ok(Verdict::Broken("what is secret came out".to_owned()));
        }
        match &self.said {
            Said::Did(_) => Ok(Verdict::Held("there was nothing to be seen".to_owned())),
            _ => self.refused(),
        }
    }

    /// For what may be done, as long as the outside sees no effect.
    pub(crate) fn without(&self, effect: bool, seen: &str) -> Judged {
        match &self.said {
            Said::Did(_) => Ok(Verdict::Held("it had no effect outside".to_owned())),
            _ => self.refused(),
        }
        .map(|verdict| verdict.unless(effect, seen))
    }

    /// For what must work.
    pub(crate) fn did(&self) -> Judged {
        Ok(match &self.said {
            Said::Did(what) => Verdict::Held(what.clone()),
            Said::Refused(why) => Verdict::Broken(why.clone()),
            Said::Unable(why) => return Err(Trouble::Unavailable(why.clone())),
            Said::Nothing => Verdict::Broken(format!("it ended with {}", self.output.status)),
        })
    }

    /// What it did, for a judgment of one's own.
    pub(crate) fn got(&self) -> Option<&str> {
        match &self.said {
            Said::Did(what) => Some(what),
            _ => None,
        }
    }

    /// A runner tells a signal as a shell does.
    fn shell_signal(&self) -> Option<i32> {
        self.output.status.code().filter(|code| (129..=192).contains(code)).map(|code| code - 128)
    }
}

#[cfg(test)]
mod tests {
    use std::process::ExitStatus;

    use super::*;

    fn report(stdout: &str, status: i32) -> Result<Report, Trouble> {
        let (stdout, stderr) = (stdout.as_bytes().to_vec(), Vec::new());
        Report::read(Output { status: ExitStatus::from_raw(status), stdout, stderr })
    }

    #[test]
    fn a_probe_that_never_began_is_a_failure() {
        assert!(matches!(report("hello\n", 0), Err(Trouble::NeverRan(_))));
    }

    #[test]
    fn a_probe_that_fell_silent_is_held_only_where_a_signal_ended_it() {
        let begun = format!("{MARK} begins\n");
        assert!(matches!(report(&begun, 31).unwrap().refused(), Ok(Verdict::Held(_))));
        assert!(matches!(report(&begun, 159 << 8).unwrap().refused(), Ok(Verdict::Held(_))));
        assert!(matches!(report(&begun, 0).unwrap().refused(), Err(Trouble::NeverRan(_))));
    }

    #[test]
    fn a_secret_that_came_out_counts_against_what_the_probe_says() {
        let text = format!("{MARK} begins\nkey=s3\n{MARK} refused open: permission denied\n");
        assert!(matches!(report(&text, 0).unwrap().hides("s3"), Ok(Verdict::Broken(_))));
        assert!(matches!(report(&text, 0).unwrap().hides("s4"), Ok(Verdict::Held(_))));
    }
}
