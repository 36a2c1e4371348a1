//! "No launcher" is a launcher, so that the runner has one path.

use crate::{Launch, LaunchError, Launcher, Plan};

/// Runs the command as it is and claims nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Plain;

impl Launcher for Plain {
    fn name(&self) -> &str {
        "none"
    }

    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        Ok(Launch::direct(plan))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_keeps_the_name_by_which_it_was_called() {
        let plan = Plan::new("sh", "/bin/dash", "/").with_args(["-c", "exit 3"]);
        let launch = Plain.wrap(&plan).unwrap();
        assert_eq!(launch.program(), "/bin/dash");
        assert_eq!(launch.argv(), ["sh", "-c", "exit 3"]);
        assert!(!launch.is_sandboxed());
    }
}
