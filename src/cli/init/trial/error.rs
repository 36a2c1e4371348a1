//! Why a client would not get a confined command.

use std::io;
use std::time::Duration;

/// What went wrong, and what would help.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli::init) enum TrialError {
    /// The system does not start the program.
    #[error("the server cannot be started")]
    Start(#[source] io::Error),
    /// It told its reason on standard error.
    #[error("the server ended before it answered{}", told(.0))]
    Ended(String),
    /// It was ended.
    #[error(
        "the server did not answer within {} s; clients give up as well. A slow machine may need \
         a second try{}", .limit.as_secs(), told(.said)
    )]
    Silent { limit: Duration, said: String },
    /// A line that is no JSON.
    #[error("the server answered what is no answer: `{0}`")]
    Nonsense(String),
    /// An error in place of a result.
    #[error("the server refused `{method}`: {reason}")]
    Refused { method: String, reason: String },
    /// Its tools are not what these arguments come to.
    #[error("the server has no tool that runs commands in a sandbox")]
    NoTool,
    /// The sandbox could not be built, or the call was refused.
    #[error(
        "the command `{}` did not run: {reason}. `cofferdam check` tells what works here",
        super::COMMAND
    )]
    NotRun { reason: String },
    /// `auto` takes no launcher that does not confine, so this is a mistake of ours.
    #[error("the command ran without a sandbox. `cofferdam check` tells what works here")]
    Unconfined,
}

/// The server's own words, without its name in front.
fn told(said: &str) -> String {
    let said = said.trim();
    match said.strip_prefix("cofferdam: ").unwrap_or(said) {
        "" => String::new(),
        said => format!(": {said}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_words_are_the_cause() {
        let error = TrialError::Ended("cofferdam: no launcher works\n".to_owned());
        assert_eq!(error.to_string(), "the server ended before it answered: no launcher works");
        let error = TrialError::Ended(String::new());
        assert_eq!(error.to_string(), "the server ended before it answered");
    }
}
