//! The blocking half of a run: [`directory`] and programs ([`prepared`]), [`files`], launchers, spawn
//! ([`stages`]). It runs on a spawning thread, because each of these may wait for a slow disk; in one go,
//! unless a validator is asked in between ([`proposals`]).

mod directory;
mod files;
mod prepared;
mod proposals;
mod stages;

use std::sync::Arc;

use cofferdam_profiles::Limits;

use crate::cgroup::RunGroup;
use crate::evidence::Scene;
use crate::gate::Refusal;
use crate::outcome::Reason;
use crate::protected::Watched;
use crate::scratch::ScratchDir;
use crate::spawn::{Child, Session, Stream};

#[cfg(feature = "mcp")]
pub(crate) use directory::physical_directory;
pub(crate) use files::OpenFiles;
pub(crate) use prepared::prepare;

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
    /// Its cgroup, where one keeps its limits. Dropped before the folders in which its processes are.
    pub(crate) group: Option<RunGroup>,
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
    /// What the policy limits.
    pub(crate) limits: Limits,
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
    /// Whether somebody listens to what the run is refused.
    pub(crate) takes_refusals: bool,
}
