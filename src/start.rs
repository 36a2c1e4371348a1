//! The blocking half of a run: directory, program, launcher, spawn. It runs on a spawning thread, in
//! one go, because each of these may wait for a slow disk.

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
use crate::protected::Watched;
use crate::resolve::resolve;
use crate::runner::Terms;
use crate::scratch::ScratchDir;
use crate::spawn::{Child, Pending, Session, SpawnError, Spawner, Stream, Surroundings, TO_ENTER};
use crate::validator::{self, Proposal};

/// A run that has begun.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) child: Child,
    /// What the launcher claimed: the rules that it does not enforce, or no claim.
    pub(crate) claim: Option<Arc<[String]>>,
    /// What the run could make, or replace, although it is protected.
    pub(crate) watched: Watched,
    /// Whom to ask what was refused.
    pub(crate) scene: Scene,
    /// The run's own folders, where it has some.
    pub(crate) scratch: Option<ScratchDir>,
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

/// Begins an admitted run.
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
    let program = resolve(&request.command, &dir, &env.search_path, terms.policy.as_deref())?;
    validate(terms, &request, &program, &dir, pending)?;
    entry
        .starts(&dir)
        .map_err(|error| NotBegun::Refused(Refusal::NotRecorded { why: chain(&error) }))?;
    let mut plan = Plan::new(request.command, program, dir).with_args(request.args);
    if let Some(folders) = scratch.as_ref().or(terms.scratch.instance()) {
        plan = plan.with_scratch(folders.scratch().clone());
    }
    let launch = wrap(terms.launcher.as_ref(), &plan)?;
    let missing = launch.missing_rules().clone();
    let scene = Scene::new(terms.policy.clone(), plan.dir().to_owned(), plan.scratch(), missing);
    let claim = launch.is_sandboxed().then(|| launch.missing_rules().clone());
    let watched = Watched::of(terms.policy.as_deref());
    let surroundings = Surroundings {
        env: env.block.clone(),
        dir: dir_fd,
        streams: streams.streams,
        session: streams.session,
    };
    let child = spawner
        .and_then(|spawner| spawner.spawn(launch, surroundings, pending))
        .map_err(Reason::Spawn)?;
    Ok(Begun { child, claim, watched, scene, scratch })
}

/// Asks the validator, where there is one.
fn validate(
    terms: &Terms,
    request: &Request,
    program: &Path,
    dir: &Path,
    pending: &Pending,
) -> Result<(), NotBegun> {
    let Some(validator) = &terms.validator else { return Ok(()) };
    let facts = terms.audit.facts();
    let proposal = Proposal {
        command: &request.command,
        args: &request.args,
        program,
        directory: dir,
        launcher: &facts.launcher,
        profile: facts.profile.as_deref(),
        instance: facts.instance.as_deref(),
        tool: request.tool.as_deref(),
        pending,
    };
    validator::ask(validator.as_ref(), &proposal)
        .map_err(|reason| NotBegun::Refused(Refusal::Vetoed { reason }))
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
