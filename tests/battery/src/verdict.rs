//! What an attempt came to.

use std::io;

/// What was seen of a promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It was kept; with what the attack met, or what was given.
    Held(String),
    /// It was broken; with what was done or seen, or what did not work.
    Broken(String),
}

/// Why nothing can be said about a promise.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// This machine, user or profile has not what the attack needs.
    Unavailable(String),
    /// The runner did not start the run, because of a rule that it cannot enforce.
    Refused(String),
    /// The probe did not run, or did not finish telling.
    NeverRan(String),
    /// The scene could not be built.
    Scene { stage: &'static str, source: io::Error },
}

/// What a promise's function returns.
pub(crate) type Judged = Result<Verdict, Trouble>;

impl Trouble {
    pub(crate) fn unavailable(why: impl Into<String>) -> Trouble {
        Trouble::Unavailable(why.into())
    }
}

/// Names the step at which the scene could not be built.
pub(crate) trait At<T> {
    /// Turns the error into a [`Trouble`].
    fn at(self, stage: &'static str) -> Result<T, Trouble>;
}

impl<T, E: Into<io::Error>> At<T> for Result<T, E> {
    fn at(self, stage: &'static str) -> Result<T, Trouble> {
        self.map_err(|source| Trouble::Scene { stage, source: source.into() })
    }
}

impl Verdict {
    /// Broken where the outside saw an effect, whatever the verdict was.
    pub(crate) fn unless(self, effect: bool, seen: &str) -> Verdict {
        match effect {
            true => Verdict::Broken(format!("seen from outside: {seen}")),
            false => self,
        }
    }
}
