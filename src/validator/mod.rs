//! The host's own word about each command, after the gate and before the launcher.
//!
//! A [`Validator`] sees the plan as it would be run, and allows or refuses it. [`program`] asks an
//! external program; [`proposal`] is what is asked about; [`questions`] are the threads on which it is. A
//! validator that fails has refused.

mod answer;
mod ask;
mod program;
mod proposal;
mod questions;

pub(crate) use program::ProgramValidator;
pub use proposal::Proposal;
pub(crate) use questions::{Questions, Veto};

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
    /// Allows or refuses one command. It is called on a thread of its own with the stack of any other
    /// (`std::thread`), where it may wait as long as it likes, and for up to 64 commands of a runner at
    /// once; more wait for their turn. The run's own timeout goes on meanwhile. A run that is out of time
    /// or cancelled does not wait for it, and does not begin whatever it says then.
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
