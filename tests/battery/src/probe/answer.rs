//! What an attack comes to, in the probe.

use std::fmt;
use std::io;

/// What was done or got, or why not.
pub(super) type Answer = Result<String, Refused>;

/// Why an attack did not work.
#[derive(Debug)]
pub(super) enum Refused {
    /// A step was refused.
    At {
        /// The step.
        step: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// What was done had not the result that it has elsewhere.
    Otherwise(String),
    /// The attack makes no sense on this machine or for this user.
    Unable(String),
}

impl Refused {
    pub(super) fn otherwise(what: impl Into<String>) -> Refused {
        Refused::Otherwise(what.into())
    }

    pub(super) fn unable(why: impl Into<String>) -> Refused {
        Refused::Unable(why.into())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::At { step, source } => write!(f, "{step}: {source}"),
            Refused::Otherwise(text) | Refused::Unable(text) => f.write_str(text),
        }
    }
}

/// Names the step that was refused.
pub(super) trait Step<T> {
    fn step(self, step: &'static str) -> Result<T, Refused>;
}

impl<T, E: Into<io::Error>> Step<T> for Result<T, E> {
    fn step(self, step: &'static str) -> Result<T, Refused> {
        self.map_err(|source| Refused::At { step, source: source.into() })
    }
}
