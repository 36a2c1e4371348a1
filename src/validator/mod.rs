//! The host's own word about each command, after the gate and before the launcher.
//!
//! A [`Validator`] sees the plan as it would be run, and allows or refuses it. [`program`] asks an
//! external program; [`proposal`] is what is asked about. A validator that fails has refused.

mod answer;
mod ask;
mod program;
mod proposal;

use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use program::ProgramValidator;
pub use proposal::Proposal;

/// Decides about single commands. Closures are validators:
///
/// ```
/// use cofferdam::{Proposal, Request, Runner};
///
/// # let dir = tempfile::tempdir()?;
/// let runner = Runner::builder()
///     .allow_any()
///     .workspace(dir.path())
///     .validator(|asked: &Proposal<'_>| match asked.args.iter().any(|arg| arg == "--force") {
///         true => Err("`--force` needs a person".to_owned()),
///         false => Ok(()),
///     })
///     .build()?;
/// assert!(runner.run_blocking(Request::new("echo").arg("--force")).is_err());
/// assert!(runner.run_blocking(Request::new("echo").arg("hi")).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is no boundary: what an allowed program does then is up to it. What holds it is the launcher.
pub trait Validator: Send + Sync {
    /// Allows or refuses one command. It is called on a thread where it may wait, for several commands
    /// at once; the run's own timeout goes on meanwhile.
    ///
    /// # Errors
    /// The reason, which the caller is told. A panic refuses as well.
    fn validate(&self, proposal: &Proposal<'_>) -> Result<(), String>;
}

impl<F> Validator for F
where
    F: Fn(&Proposal<'_>) -> Result<(), String> + Send + Sync,
{
    fn validate(&self, proposal: &Proposal<'_>) -> Result<(), String> {
        self(proposal)
    }
}

/// Asks a validator.
pub(crate) fn ask(validator: &dyn Validator, proposal: &Proposal<'_>) -> Result<(), String> {
    let asked = catch_unwind(AssertUnwindSafe(|| validator.validate(proposal)));
    asked.unwrap_or_else(|_| Err("the validator panicked".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_validator_that_panics_has_refused() {
        let proposal = Proposal {
            command: OsStr::new("true"),
            args: &[],
            program: Path::new("/bin/true"),
            directory: Path::new("/"),
            launcher: "none",
            profile: None,
            instance: None,
            tool: None,
            stdin_file: None,
            stdout_file: None,
            stdout_append: None,
            stage: None,
            pending: &crate::spawn::Pending::new(),
        };
        let panics = |_: &Proposal<'_>| -> Result<(), String> { panic!("on the moon") };
        assert_eq!(ask(&panics, &proposal), Err("the validator panicked".to_owned()));
    }
}
