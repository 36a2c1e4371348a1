//! Whether the host's files that a run stands on are the same ones inside.

use std::path::Path;

use cofferdam_launcher::{LaunchError, Plan, Scratch};
use cofferdam_view::View;

/// What a run finds at the paths that the host knows.
pub(crate) struct Inside<'a> {
    view: &'a View,
    scratch: Option<&'a Scratch>,
}

impl<'a> Inside<'a> {
    /// The inside of one run.
    pub(crate) fn of(view: &'a View, plan: &'a Plan) -> Self {
        Inside { view, scratch: plan.scratch() }
    }

    /// Sees to it that the working directory and the program inside are those that were admitted.
    ///
    /// Bubblewrap fails by itself where nothing is at a path. This is for the places where something
    /// *else* may be: a folder that was made only to mount something in it, or the private `/tmp`,
    /// in which an earlier run may have left a program of the same name.
    ///
    /// # Errors
    /// [`LaunchError::Other`] with the rule that would help.
    pub(crate) fn admit(&self, plan: &Plan) -> Result<(), LaunchError> {
        let dir = plan.dir();
        if !self.shows(dir) {
            return Err(LaunchError::Other(format!(
                "the working directory `{0}` is not visible inside the sandbox: add a `read` or `write` rule for `{0}`",
                dir.display()
            )));
        }
        if !dir.is_dir() {
            return Err(LaunchError::Other(format!(
                "the working directory `{}` is not there any more",
                dir.display()
            )));
        }
        match plan.program().canonicalize() {
            Ok(real) if !self.shows(&real) => Err(invisible(plan, &real)),
            Ok(_) if self.covers_up(plan.program()) => Err(invisible(plan, plan.program())),
            // What cannot be resolved here cannot be exec'd inside either; bubblewrap says why.
            _ => Ok(()),
        }
    }

    fn shows(&self, path: &Path) -> bool {
        self.is_scratch(path) || self.view.shows(path)
    }

    fn covers_up(&self, path: &Path) -> bool {
        !self.is_scratch(path) && self.view.covers_up(path)
    }

    fn is_scratch(&self, path: &Path) -> bool {
        self.scratch.is_some_and(|scratch| {
            path.starts_with(&scratch.tmp) || path.starts_with(&scratch.home)
        })
    }
}

fn invisible(plan: &Plan, path: &Path) -> LaunchError {
    LaunchError::Other(format!(
        "the program `{}` is not visible inside the sandbox: add a `read` rule for `{}`",
        plan.command().display(),
        path.display()
    ))
}
