//! A run that has its place and its programs, and could begin.

use std::path::PathBuf;
use std::sync::Arc;

use super::directory::{Directory, directory};
use super::stages::{self, Found};
use super::{Begun, Known, NotBegun, Streams, files};
use crate::Request;
use crate::audit::Entry;
use crate::cgroup::{self, RunGroup};
use crate::environment::ChildEnvironment;
use crate::evidence::Scene;
use crate::gate::{Admitted, Refusal};
use crate::outcome::{Reason, chain};
use crate::protected::Watched;
use crate::runner::Terms;
use crate::scratch::ScratchDir;
use crate::spawn::{Pending, SpawnError, Spawner};

/// An admitted run of which nothing has begun.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(super) request: Request,
    pub(super) dir: Directory,
    /// That of each stage.
    programs: Vec<PathBuf>,
    scratch: Option<ScratchDir>,
    env: Arc<ChildEnvironment>,
}

/// Finds where an admitted run starts, and its programs.
pub(crate) fn prepare(terms: &Terms, admitted: Admitted) -> Result<Prepared, NotBegun> {
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
    let program =
        |(place, stage)| stages::program(terms, place, stage, &dir.path, &env.search_path);
    let programs = request.stages().map(program).collect::<Result<Vec<_>, _>>()?;
    Ok(Prepared { request, dir, programs, scratch, env })
}

impl Prepared {
    /// Its stages with their programs.
    pub(super) fn stages(&self) -> impl Iterator<Item = Found<'_>> {
        let stages = self.request.stages().zip(&self.programs);
        stages.map(|((place, stage), program)| Found { place, stage, program })
    }

    /// Begins it. Nothing is started before every stage could be.
    pub(crate) fn begin(
        self,
        terms: &Terms,
        streams: Streams,
        spawner: Result<&mut Spawner, SpawnError>,
        pending: &Pending,
        entry: &Entry,
    ) -> Result<Begun, NotBegun> {
        let dir = &self.dir;
        let files = files::open(terms, &self.request.files, dir)?;
        entry
            .starts(&dir.path)
            .map_err(|error| NotBegun::Refused(Refusal::NotRecorded { why: chain(&error) }))?;
        let scratch = self.scratch.as_ref().or(terms.scratch.instance());
        let folders = scratch.map(ScratchDir::scratch);
        let takes_refusals = streams.takes_refusals;
        let launches = stages::launches(terms, self.stages(), &dir.path, folders, takes_refusals)?;
        let missing = stages::missing(launches.iter().map(|(_, launch)| launch));
        let is_claimed = launches.iter().all(|(_, launch)| launch.is_sandboxed());
        let limits = terms.policy.as_ref().map(|policy| policy.limits).unwrap_or_default();
        let group = cgroup::place_for(&limits)
            .map(|place| RunGroup::make(place, &limits, launches.len()))
            .transpose()
            .map_err(|source| Reason::Setup { stage: "make the cgroup of the run", source })?;
        let known = Known {
            is_pipeline: self.request.is_pipeline,
            claim: is_claimed.then(|| missing.clone()),
            limits,
            watched: Watched::of(terms.policy.as_deref()),
            scene: Scene::new(terms.policy.clone(), dir.path.clone(), folders, missing),
        };
        let around = stages::surroundings(
            streams,
            launches.len(),
            &self.env.block,
            &dir.open,
            group.as_ref(),
        )
        .map_err(|source| Reason::Setup { stage: "connect the stages of the pipeline", source })?;
        let spawner = spawner.map_err(Reason::Spawn)?;
        let (first, further) = stages::spawn(launches, &around, spawner, pending)?;
        Ok(Begun { first, further, known, files, scratch: self.scratch, group })
    }
}
