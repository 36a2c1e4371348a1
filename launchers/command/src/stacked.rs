//! A wrapper outside of another launcher.

use std::sync::Arc;

use cofferdam_launcher::{Launch, LaunchError, Launcher, Plan, WrapperEnd};

use crate::Command;

/// Two launchers, one inside the other. Made by [`Command::around`].
///
/// The outer one wraps what the inner one would exec. Everything that is said about a run (missing
/// rules, blame, the command's process id) is the inner one's, since only it knows.
pub struct Stacked {
    name: String,
    outer: Command,
    inner: Arc<dyn Launcher>,
}

impl Stacked {
    pub(crate) fn new(outer: Command, inner: Arc<dyn Launcher>) -> Self {
        Stacked { name: format!("{}/{}", outer.name(), inner.name()), outer, inner }
    }

    fn stands_alone(&self) -> LaunchError {
        LaunchError::unsupported(
            format!(
                "`{inner}` confines the process that is exec'd in place, which would be `{outer}` and not the command: \
                 it must stand alone",
                inner = self.inner.name(),
                outer = self.outer.name(),
            ),
            format!(
                "use `{inner}` by itself, or put `{outer}` around a launcher that is a program of its own, such as \
                 `bubblewrap` with the network off",
                inner = self.inner.name(),
                outer = self.outer.name(),
            ),
        )
    }
}

impl Launcher for Stacked {
    /// Both names, the outer one first, with a slash between them.
    fn name(&self) -> &str {
        &self.name
    }

    fn check(&self) -> Result<(), LaunchError> {
        self.outer.check()?;
        self.inner.check()?;
        // A plan that the inner launcher refuses tells nothing about its shape: `wrap` looks again.
        match self.inner.wrap(&Plan::new("true", "/bin/true", "/")) {
            Ok(launch) if launch.child_step().is_some() => Err(self.stands_alone()),
            _ => Ok(()),
        }
    }

    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        let inner = self.inner.wrap(plan)?;
        let command = inner.program().as_os_str();
        let outer = Plan::new(command, inner.program(), plan.dir())
            .with_args(inner.argv().iter().skip(1).cloned());
        let outer = self.outer.wrap(&outer)?;
        inner.inside(outer).map_err(|_| self.stands_alone())
    }

    fn blame(&self, end: &WrapperEnd<'_>) -> Option<LaunchError> {
        self.inner.blame(end)
    }

    fn command_pid(&self, status: &[u8]) -> Option<u32> {
        self.inner.command_pid(status)
    }

    fn missing(&self) -> &[String] {
        self.inner.missing()
    }

    fn explain(&self, plan: &Plan) -> Result<String, LaunchError> {
        let mut text = String::new();
        for arg in self.wrap(plan)?.argv() {
            text.push_str(&format!("{arg:?}\n"));
        }
        text.push_str(&format!("\nInside of it, {}:\n", self.inner.name()));
        text.push_str(&self.inner.explain(plan)?);
        Ok(text)
    }
}
