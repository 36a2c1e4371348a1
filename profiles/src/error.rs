//! Why a profile could not become a policy.

use crate::Mistake;

/// A profile that could not become a policy. Each variant holds every mistake of its stage, so that
/// one message is enough to put them all right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The profiles cannot be found or read, or say what profiles cannot say.
    #[error("{}", lines("the profile is not valid", .0))]
    Invalid(Vec<Mistake>),
    /// The profiles are well written and do not fit this machine: paths that are missing, variables
    /// that stand for nothing, a workspace that must not be written.
    #[error("{}", lines("the profile does not fit this machine", .0))]
    Unfit(Vec<Mistake>),
}

impl ProfileError {
    /// The mistakes, in the order of the files; at least one.
    pub fn mistakes(&self) -> &[Mistake] {
        match self {
            ProfileError::Invalid(mistakes) | ProfileError::Unfit(mistakes) => mistakes,
        }
    }
}

/// A single mistake stands on the line of the heading, several below it.
fn lines(heading: &str, mistakes: &[Mistake]) -> String {
    match mistakes {
        [mistake] => format!("{heading}: {mistake}"),
        _ => mistakes
            .iter()
            .fold(format!("{heading}:"), |text, mistake| format!("{text}\n  {mistake}")),
    }
}
