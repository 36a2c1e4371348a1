//! The trait that a launcher implements.

use crate::{Launch, LaunchError, Plan, WrapperEnd};

/// Wraps commands in an OS sandbox. See the [crate's documentation](crate) for what it promises.
///
/// One launcher serves many runs at once, so it is shared and immutable. It is built with its
/// policy already compiled.
pub trait Launcher: Send + Sync {
    /// The name shown to people: in tool descriptions, `check` and the audit.
    fn name(&self) -> &str {
        "custom"
    }

    /// Whether this launcher can work here at all. Called once, when a tool is built; it probes with
    /// the very options that runs will use later.
    ///
    /// # Errors
    /// Why it cannot, and what would help. The tool then refuses to start.
    fn check(&self) -> Result<(), LaunchError> {
        Ok(())
    }

    /// Wraps one command. Called for every run, in the host's process, on a thread that may block.
    ///
    /// # Errors
    /// Why the sandbox cannot be built. The run is reported as not started, with exit −1.
    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError>;

    /// The process that was exec'd has ended: did the wrapper fail before the command began? `None`
    /// means that the command ran and the exit is its own.
    fn blame(&self, end: &WrapperEnd<'_>) -> Option<LaunchError> {
        let _ = end;
        None
    }

    /// The process id of the command as the host sees it, read from what the wrapper has written to
    /// its status pipe so far. A kill then reaches a command that left the wrapper's process group.
    fn command_pid(&self, status: &[u8]) -> Option<u32> {
        let _ = status;
        None
    }

    /// The names of the policy's rules that this launcher does not enforce here, each of which the
    /// policy lists as best effort. Every [`Launch`] carries the same names.
    fn missing(&self) -> &[String] {
        &[]
    }

    /// What would be run, as text for a person: the wrapped argument vector, and whatever else
    /// decides (a ruleset, a filter, a profile text). Nothing is run.
    ///
    /// # Errors
    /// As [`Launcher::wrap`].
    fn explain(&self, plan: &Plan) -> Result<String, LaunchError> {
        let launch = self.wrap(plan)?;
        let mut text = String::new();
        for arg in launch.argv() {
            text.push_str(&format!("{arg:?}\n"));
        }
        if let Some(step) = launch.child_step() {
            text.push_str(&step.explain());
        }
        Ok(text)
    }
}

/// A function is a launcher too.
impl<F> Launcher for F
where
    F: Fn(&Plan) -> Result<Launch, LaunchError> + Send + Sync,
{
    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        self(plan)
    }
}
