//! The blocking half of a run: directory, program, launcher, spawn. It runs on a spawning thread, in
//! one go, because each of these may wait for a slow disk.

use std::collections::VecDeque;
use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cofferdam_launcher::{Launch, Launcher, Plan};
use rustix::fs::{Mode, OFlags};

use crate::Request;
use crate::audit::Entry;
use crate::evidence::Scene;
use crate::gate::{Admitted, Refusal};
use crate::outcome::{Reason, chain};
use crate::pipeline::{Stage, StagePlace, connect};
use crate::protected::Watched;
use crate::resolve::resolve;
use crate::runner::Terms;
use crate::scratch::ScratchDir;
use crate::spawn::{Child, Pending, Session, SpawnError, Spawner, Stream, Surroundings, TO_ENTER};
use crate::validator::{self, Proposal};

/// A run that has begun.
#[derive(Debug)]
pub(crate) struct Begun {
    /// The child of the first stage.
    pub(crate) first: Child,
    /// Those of the further stages of a pipeline, in their order.
    pub(crate) further: Vec<Child>,
    pub(crate) known: Known,
    /// The run's own folders, where it has some.
    pub(crate) scratch: Option<ScratchDir>,
}

/// What is known of a run before it ends, to judge its end by.
#[derive(Debug)]
pub(crate) struct Known {
    /// Whether it was asked for as a pipeline.
    pub(crate) is_pipeline: bool,
    /// What the launcher claimed for every stage: the rules that it does not enforce, or no claim.
    pub(crate) claim: Option<Arc<[String]>>,
    /// What the run could make, or replace, although it is protected.
    pub(crate) watched: Watched,
    /// Whom to ask what was refused.
    pub(crate) scene: Scene,
}

/// Why a run did not begin.
#[derive(Debug)]
pub(crate) enum NotBegun {
    Refused(Refusal),
    NotStarted(Reason),
}

impl<T: Into<Reason>> From<T> for NotBegun {
    fn from(reason: T) -> Self {
        NotBegun::NotStarted(reason.into())
    }
}

/// Where the child's standard streams go and which session it gets.
#[derive(Debug)]
pub(crate) struct Streams {
    pub(crate) streams: [Stream; 3],
    pub(crate) session: Session,
}

/// Begins an admitted run. Nothing is started before every stage could be.
pub(crate) fn begin(
    terms: &Terms,
    admitted: Admitted,
    streams: Streams,
    spawner: Result<&mut Spawner, SpawnError>,
    pending: &Pending,
    entry: &Entry,
) -> Result<Begun, NotBegun> {
    let request = admitted.into_request();
    let (dir, dir_fd) = directory(terms, request.cwd.as_deref())?;
    let scratch = terms
        .scratch
        .for_run()
        .map_err(|source| Reason::Setup { stage: "make the scratch folder of the run", source })?;
    let env = match &scratch {
        Some(own) => Arc::new(terms.environment.child(Some(own.scratch()))),
        None => terms.shared_environment.clone(),
    };
    let resolved = |(place, stage)| resolved(terms, place, stage, &dir, &env.search_path);
    let stages = request.stages().map(resolved).collect::<Result<Vec<_>, _>>()?;
    for stage in &stages {
        validate(terms, &request, stage, &dir, pending)?;
    }
    entry
        .starts(&dir)
        .map_err(|error| NotBegun::Refused(Refusal::NotRecorded { why: chain(&error) }))?;
    let folders = scratch.as_ref().or(terms.scratch.instance()).map(ScratchDir::scratch);
    let mut launches = Vec::with_capacity(stages.len());
    for Resolved { place, stage, program } in stages {
        let mut plan =
            Plan::new(stage.command.clone(), program, dir.clone()).with_args(stage.args.clone());
        if let Some(folders) = folders {
            plan = plan.with_scratch(folders.clone());
        }
        let launch = wrap(terms.launcher.as_ref(), &plan).map_err(|reason| reason.at(place))?;
        launches.push((place, launch));
    }
    let missing = missing(launches.iter().map(|(_, launch)| launch));
    let known = Known {
        is_pipeline: request.is_pipeline,
        claim: launches.iter().all(|(_, launch)| launch.is_sandboxed()).then(|| missing.clone()),
        watched: Watched::of(terms.policy.as_deref()),
        scene: Scene::new(terms.policy.clone(), dir, folders, missing),
    };
    let surroundings = surroundings(streams, launches.len(), &env.block, &dir_fd)
        .map_err(|source| Reason::Setup { stage: "connect the stages of the pipeline", source })?;
    let spawner = spawner.map_err(Reason::Spawn)?;
    let (first, further) = spawn(launches, &surroundings, spawner, pending)?;
    Ok(Begun { first, further, known, scratch })
}

/// A stage whose program was found.
struct Resolved<'a> {
    place: Option<StagePlace>,
    stage: &'a Stage,
    program: PathBuf,
}

fn resolved<'a>(
    terms: &Terms,
    place: Option<StagePlace>,
    stage: &'a Stage,
    dir: &Path,
    search_path: &OsStr,
) -> Result<Resolved<'a>, NotBegun> {
    let program = resolve(&stage.command, dir, search_path, terms.policy.as_deref())
        .map_err(|unresolved| Reason::from(unresolved).at(place))?;
    Ok(Resolved { place, stage, program })
}

/// The rules that are not enforced in every stage.
fn missing<'a>(launches: impl Iterator<Item = &'a Launch>) -> Arc<[String]> {
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
fn surroundings(
    streams: Streams,
    count: usize,
    env: &Arc<[CString]>,
    dir: &OwnedFd,
) -> io::Result<Vec<Surroundings>> {
    let session = streams.session;
    let each = connect(streams.streams, count)?.into_iter();
    each.map(|streams| {
        Ok(Surroundings { env: env.clone(), dir: dir.try_clone()?, streams, session })
    })
    .collect()
}

/// Starts the stages, the last one first: so whoever reads is there before anybody writes, and what
/// cannot be started keeps those that would feed it from running at all. The pipes stay open here
/// until all stages run or are gone; none sees an end that is none.
fn spawn(
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

/// Asks the validator, where there is one.
fn validate(
    terms: &Terms,
    request: &Request,
    asked: &Resolved<'_>,
    dir: &Path,
    pending: &Pending,
) -> Result<(), NotBegun> {
    let Some(validator) = &terms.validator else { return Ok(()) };
    let facts = terms.audit.facts();
    let proposal = Proposal {
        command: &asked.stage.command,
        args: &asked.stage.args,
        program: &asked.program,
        directory: dir,
        launcher: &facts.launcher,
        profile: facts.profile.as_deref(),
        instance: facts.instance.as_deref(),
        tool: request.tool.as_deref(),
        stage: asked.place,
        pending,
    };
    validator::ask(validator.as_ref(), &proposal)
        .map_err(|reason| NotBegun::Refused(Refusal::Vetoed { reason }.at(asked.place)))
}

/// Opens the working directory, and checks that the policy shows it.
fn directory(terms: &Terms, cwd: Option<&Path>) -> Result<(PathBuf, OwnedFd), NotBegun> {
    let wanted = match cwd.filter(|cwd| !cwd.as_os_str().is_empty()) {
        Some(cwd) => terms.dir.join(cwd),
        None => terms.dir.clone(),
    };
    let refuse =
        |source: io::Error| NotBegun::Refused(Refusal::Directory { dir: wanted.clone(), source });
    let physical = wanted.canonicalize().map_err(refuse)?;
    let flags = TO_ENTER | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::open(&physical, flags, Mode::empty());
    let opened = opened.map_err(|errno| refuse(errno.into()))?;
    rustix::fs::access(&physical, rustix::fs::Access::EXEC_OK)
        .map_err(|errno| refuse(errno.into()))?;
    if let Some(policy) = &terms.policy
        && !policy.filesystem.may_read(&physical)
    {
        return Err(NotBegun::Refused(Refusal::DirectoryOutside {
            dir: physical,
            profile: policy.name.clone(),
            roots: terms.writable_roots(),
        }));
    }
    Ok((physical, opened))
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
