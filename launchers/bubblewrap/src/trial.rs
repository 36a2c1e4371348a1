//! Tries the launcher on a program that does nothing, with the options that runs will use.

use std::path::{Path, PathBuf};

use cofferdam_landlock::Threshold;
use cofferdam_launcher::{LaunchError, Plan};

use crate::bubblewrap::Bubblewrap;
use crate::cause::{self, Machine};
use crate::mount::Mount;
use crate::probe::{self, PATIENCE, Ran};
use crate::status::{Failure, Status};

/// A program that does nothing.
const HARMLESS: &str = "/usr/bin/true";

/// Runs it once.
///
/// # Errors
/// [`LaunchError::Unsupported`] with bubblewrap's own words and what would help.
pub(crate) fn run(launcher: &Bubblewrap) -> Result<(), LaunchError> {
    let dir = a_folder(launcher);
    let plan = Plan::new("true", HARMLESS, dir.as_deref().unwrap_or(Path::new("/")));
    let prepared = launcher.prepare(&plan, dir.as_deref())?;
    let names: Vec<_> = prepared.mounts.iter().filter_map(Mount::descriptor).collect();
    let launch = prepared.launch(launcher)?;
    let ran = probe::run(launch, PATIENCE)
        .map_err(|source| LaunchError::System { stage: "start bubblewrap", source })?;
    let said = with_names(&cause::own_words(&ran.stderr), &names);
    judge(&ran, &said, launcher.program())
}

/// The message with paths in place of descriptors: "Can't find source path /proc/self/fd/7".
fn with_names(said: &str, names: &[(i32, String)]) -> String {
    let mut said = said.to_owned();
    for (fd, name) in names {
        said = said.replace(&format!("/proc/self/fd/{fd}:"), &format!("{name}:"));
    }
    said
}

fn judge(ran: &Ran, said: &str, program: &Path) -> Result<(), LaunchError> {
    let status = Status::parse(&ran.status);
    // Everything stands when the command is about to be exec'd. A policy need not show the harmless
    // program.
    if status.begun {
        return Ok(());
    }
    let what = match (ran.hung, ran.code) {
        (true, _) => "it did not end".to_owned(),
        _ if let Some(Failure { stage, errno, path }) = status.failure => {
            Threshold::describe(stage, errno, path)
        }
        _ if !said.is_empty() => format!("bwrap: {said}"),
        (_, Some(code)) => format!("it exited with {code} and gave no reason"),
        (_, None) => "it ended without a reason".to_owned(),
    };
    let remedy = cause::remedy(said, Machine::look());
    Err(LaunchError::unsupported(
        format!("`{}` cannot build a sandbox here: {what}", program.display()),
        remedy.unwrap_or_else(|| "see bwrap(1), or use another launcher".to_owned()),
    ))
}

/// A folder that the policy shows, to be the working directory.
fn a_folder(launcher: &Bubblewrap) -> Option<PathBuf> {
    let files = &launcher.policy().filesystem;
    let roots = files.roots().map(|rule| &rule.path);
    let candidates = files.workspace.iter().chain(roots);
    candidates.filter(|path| launcher.shows(path)).find(|path| path.is_dir()).cloned()
}
