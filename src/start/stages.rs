//! From the stages of a request to children: programs, launches, pipes.

use std::collections::VecDeque;
use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cofferdam_launcher::{Launch, Launcher, Plan, Scratch};

use super::{NotBegun, Streams};
use crate::cgroup::RunGroup;
use crate::outcome::Reason;
use crate::pipeline::{Stage, StagePlace, connect};
use crate::resolve::resolve;
use crate::runner::Terms;
use crate::spawn::{Child, Pending, Spawner, Surroundings};

/// A stage whose program was found.
pub(super) struct Found<'a> {
    pub(super) place: Option<StagePlace>,
    pub(super) stage: &'a Stage,
    pub(super) program: &'a Path,
}

/// The program of a stage.
pub(super) fn program(
    terms: &Terms,
    place: Option<StagePlace>,
    stage: &Stage,
    dir: &Path,
    search_path: &OsStr,
) -> Result<PathBuf, NotBegun> {
    let found = resolve(&stage.command, dir, search_path, terms.policy.as_deref());
    Ok(found.map_err(|unresolved| Reason::from(unresolved).at(place))?)
}

/// What is to be exec'd for each stage. The launcher is asked about all of them before any starts.
pub(super) fn launches<'a>(
    terms: &Terms,
    stages: impl Iterator<Item = Found<'a>>,
    dir: &Path,
    folders: Option<&Scratch>,
    takes_refusals: bool,
) -> Result<Vec<(Option<StagePlace>, Launch)>, Reason> {
    let wrapped = |Found { place, stage, program }| {
        let mut plan =
            Plan::new(stage.command.clone(), program, dir.to_owned()).with_args(stage.args.clone());
        if let Some(folders) = folders {
            plan = plan.with_scratch(folders.clone());
        }
        if takes_refusals {
            plan = plan.taking_refusals();
        }
        let launch = wrap(terms.launcher.as_ref(), &plan).map_err(|reason| reason.at(place))?;
        Ok((place, launch))
    };
    stages.map(wrapped).collect()
}

/// The rules that are not enforced in every stage.
pub(super) fn missing<'a>(launches: impl Iterator<Item = &'a Launch>) -> Arc<[String]> {
    let mut all: Arc<[String]> = Arc::default();
    for launch in launches {
        let missing = launch.missing_rules();
        if all.is_empty() {
            all = missing.clone();
        } else if missing.iter().any(|rule| !all.contains(rule)) {
            let more = missing.iter().filter(|rule| !all.contains(rule));
            all = all.iter().chain(more).cloned().collect();
        }
    }
    all
}

/// What surrounds each stage, with pipes between them.
pub(super) fn surroundings(
    streams: Streams,
    count: usize,
    env: &Arc<[CString]>,
    dir: &OwnedFd,
    group: Option<&RunGroup>,
) -> io::Result<Vec<Surroundings>> {
    let session = streams.session;
    let each = connect(streams.streams, count)?.into_iter();
    each.map(|streams| {
        let group = group.map(RunGroup::dir);
        Ok(Surroundings { env: env.clone(), dir: dir.try_clone()?, group, streams, session })
    })
    .collect()
}

/// Starts the stages, the last one first: so whoever reads is there before anybody writes, and what
/// cannot be started keeps those that would feed it from running at all. The pipes stay open here
/// until all stages run or are gone; none sees an end that is none.
pub(super) fn spawn(
    launches: Vec<(Option<StagePlace>, Launch)>,
    surroundings: &[Surroundings],
    spawner: &mut Spawner,
    pending: &Pending,
) -> Result<(Child, Vec<Child>), NotBegun> {
    let mut further = VecDeque::with_capacity(launches.len());
    let mut first = None;
    for ((place, launch), around) in launches.into_iter().zip(surroundings).rev() {
        if let Some(child) = first.take() {
            further.push_front(child);
            if pending.is_killed() {
                return Err(NotBegun::NotStarted(Reason::Stopped));
            }
        }
        let started = spawner.spawn(launch, around, pending);
        first = Some(started.map_err(|error| Reason::Spawn(error).at(place))?);
    }
    match first {
        Some(first) => Ok((first, further.into())),
        None => Err(NotBegun::NotStarted(Reason::Stopped)),
    }
}

/// Asks the launcher. One that panics is one that failed.
pub(crate) fn wrap(launcher: &dyn Launcher, plan: &Plan) -> Result<Launch, Reason> {
    let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| launcher.wrap(plan)));
    match asked {
        Ok(wrapped) => wrapped.map_err(Reason::Launcher),
        Err(panic) => Err(Reason::LauncherPanicked(panic_text(panic.as_ref()))),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_that_panics_is_one_that_failed() {
        let launcher =
            |_: &Plan| -> Result<Launch, cofferdam_launcher::LaunchError> { panic!("on the moon") };
        let error = wrap(&launcher, &Plan::new("true", "/bin/true", "/")).unwrap_err();
        assert_eq!(error.to_string(), "the launcher panicked: on the moon");
    }
}
