//! The blocking half of a run: [`directory`], programs, [`validate`], [`files`], launchers, spawn
//! ([`stages`]). It runs on a spawning thread, in one go, because each of these may wait for a slow disk.

mod directory;
mod files;
mod stages;
mod validate;

use std::sync::Arc;

use crate::audit::Entry;
use crate::evidence::Scene;
use crate::gate::{Admitted, Refusal};
use crate::outcome::{Reason, chain};
use crate::protected::Watched;
use crate::runner::Terms;
use crate::scratch::ScratchDir;
use crate::spawn::{Child, Pending, Session, SpawnError, Spawner, Stream};

pub(crate) use files::OpenFiles;

use directory::directory;
use validate::validate;

/// A run that has begun.
#[derive(Debug)]
pub(crate) struct Begun {
    /// The child of the first stage.
    pub(crate) first: Child,
    /// Those of the further stages of a pipeline, in their order.
    pub(crate) further: Vec<Child>,
    pub(crate) known: Known,
    /// The files in place of its streams.
    pub(crate) files: OpenFiles,
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
    let dir = directory(terms, request.cwd.as_deref())?;
    let scratch = terms
        .scratch
        .for_run()
        .map_err(|source| Reason::Setup { stage: "make the scratch folder of the run", source })?;
    let env = match &scratch {
        Some(own) => Arc::new(terms.environment.child(Some(own.scratch()))),
        None => terms.shared_environment.clone(),
    };
    let resolved =
        |(place, stage)| stages::resolved(terms, place, stage, &dir.path, &env.search_path);
    let resolved = request.stages().map(resolved).collect::<Result<Vec<_>, _>>()?;
    for stage in &resolved {
        validate(terms, &request, stage, &dir.path, pending)?;
    }
    let files = files::open(terms, &request.files, &dir)?;
    entry
        .starts(&dir.path)
        .map_err(|error| NotBegun::Refused(Refusal::NotRecorded { why: chain(&error) }))?;
    let folders = scratch.as_ref().or(terms.scratch.instance()).map(ScratchDir::scratch);
    let launches = stages::launches(terms, resolved, &dir.path, folders)?;
    let missing = stages::missing(launches.iter().map(|(_, launch)| launch));
    let known = Known {
        is_pipeline: request.is_pipeline,
        claim: launches.iter().all(|(_, launch)| launch.is_sandboxed()).then(|| missing.clone()),
        watched: Watched::of(terms.policy.as_deref()),
        scene: Scene::new(terms.policy.clone(), dir.path.clone(), folders, missing),
    };
    let surroundings = stages::surroundings(streams, launches.len(), &env.block, &dir.open)
        .map_err(|source| Reason::Setup { stage: "connect the stages of the pipeline", source })?;
    let spawner = spawner.map_err(Reason::Spawn)?;
    let (first, further) = stages::spawn(launches, &surroundings, spawner, pending)?;
    Ok(Begun { first, further, known, files, scratch })
}
