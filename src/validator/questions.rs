//! Where validators are asked: on threads of their own.
//!
//! A validator is the host's code. It may wait for a person, and need any stack that a thread has; so it
//! is neither asked on the few small threads that spawn, where it would hold up the runs of others, nor
//! on the blocking threads of the caller's runtime, which the host needs for its own files, and whose end
//! a runtime waits for when it is dropped: a run that is out of time could not be left.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use tokio::sync::{Semaphore, oneshot};

use super::{Proposal, Validator};
use crate::pipeline::StagePlace;

/// So many questions of one runner are open at once, each on a thread. Others wait for their turn, while
/// the time of their run goes on.
const MOST_OPEN: usize = 64;

/// Why a validator has refused.
#[derive(Debug)]
pub(crate) struct Veto {
    /// Which stage, where there are several.
    pub(crate) stage: Option<StagePlace>,
    pub(crate) reason: String,
}

impl From<String> for Veto {
    /// Not about a single stage.
    fn from(reason: String) -> Self {
        Veto { stage: None, reason }
    }
}

/// The validator of a runner, and the questions to it that are open. A clone shares both.
#[derive(Clone)]
pub(crate) struct Questions {
    validator: Arc<dyn Validator>,
    turns: Arc<Semaphore>,
}

impl Questions {
    pub(crate) fn to(validator: Arc<dyn Validator>) -> Self {
        Questions { validator, turns: Arc::new(Semaphore::new(MOST_OPEN)) }
    }

    /// Asks about each stage of what `propose` makes of `subject`, in their order, and gives the subject
    /// back where all are allowed. Dropping the future leaves the question open, and nobody hears the
    /// answer.
    ///
    /// # Errors
    /// The first refusal.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        subject: T,
        propose: impl FnOnce(&T) -> Vec<Proposal<'_>> + Send + 'static,
    ) -> Result<T, Veto> {
        // Nobody closes it.
        let turn = self.turns.clone().acquire_owned().await.map_err(|error| error.to_string())?;
        let validator = self.validator.clone();
        let (told, answer) = oneshot::channel();
        let question = move || {
            let verdict = propose(&subject).iter().try_for_each(|proposal| {
                let reason = |reason| Veto { stage: proposal.stage, reason };
                verdict(validator.as_ref(), proposal).map_err(reason)
            });
            let _ = told.send(verdict.map(|()| subject));
            drop(turn);
        };
        thread::Builder::new()
            .name("cofferdam-ask".to_owned())
            .spawn(question)
            .map_err(|error| format!("the validator cannot be asked: {error}"))?;
        answer.await.unwrap_or_else(|_| Err("the validator did not answer".to_owned().into()))
    }
}

/// What a validator says. One that panics has refused.
fn verdict(validator: &dyn Validator, proposal: &Proposal<'_>) -> Result<(), String> {
    let asked = catch_unwind(AssertUnwindSafe(|| validator.validate(proposal)));
    asked.unwrap_or_else(|_| Err("the validator panicked".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use crate::spawn::Pending;

    use super::*;

    #[test]
    fn a_validator_that_panics_has_refused() {
        let pending = Pending::new();
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
            pending: &pending,
        };
        let panics = |_: &Proposal<'_>| -> Result<(), String> { panic!("on the moon") };
        assert_eq!(verdict(&panics, &proposal), Err("the validator panicked".to_owned()));
    }
}
