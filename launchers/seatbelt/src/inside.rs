//! Whether the files that a run stands on are open to it.
//!
//! `sandbox-exec` would tell it with an exit code that commands have as well, so it is found out
//! before.

use std::path::Path;

use cofferdam_launcher::{LaunchError, Plan};

use crate::parameters::real;
use crate::places::Places;

/// Sees to it that the working directory and the program can be read inside.
///
/// # Errors
/// [`LaunchError::Other`] with the rule that would help.
pub(crate) fn admit(plan: &Plan, places: &Places) -> Result<(), LaunchError> {
    let dir = plan.dir();
    if !places.is_readable(&real(dir)) {
        return Err(LaunchError::Other(format!(
            "the working directory `{0}` is not visible inside the sandbox: add a `read` or `write` rule for `{0}`",
            dir.display()
        )));
    }
    let program = plan.program();
    let physical = program
        .canonicalize()
        .map_err(|source| LaunchError::Path { path: program.to_owned(), source })?;
    match places.is_readable(&real(&physical)) {
        true => Ok(()),
        false => Err(invisible(plan, &physical)),
    }
}

fn invisible(plan: &Plan, path: &Path) -> LaunchError {
    LaunchError::Other(format!(
        "the program `{}` is not visible inside the sandbox: add a `read` rule for `{}`",
        plan.command().display(),
        path.display()
    ))
}
