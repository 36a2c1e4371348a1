//! The way without namespaces: the child confines itself before its exec, and nothing is left running
//! beside the command.

use std::io;
use std::path::Path;
use std::sync::Arc;

use cofferdam_filter::{Filter, Terms};
use cofferdam_launcher::{ChildStep, Launch, LaunchError, Plan, Scratch};
use cofferdam_profiles::{NetworkMode, Policy};

use crate::abi::Abi;
use crate::grants::{self, Grant};
use crate::limits::{self, Limit};
use crate::place::Place;
use crate::places::Places;
use crate::refusals::{self, Filters};
use crate::rights::Vocabulary;
use crate::ruleset::Ruleset;
use crate::step::{Confinement, Telling};
use crate::{explain, probe};

/// A policy compiled for this way.
#[derive(Debug)]
pub(crate) struct InPlace {
    words: Vocabulary,
    places: Places,
    limits: Arc<[Limit]>,
    filters: Filters,
    network_is_closed: bool,
}

impl InPlace {
    /// Compiles a policy.
    ///
    /// # Errors
    /// As `Landlock::new`.
    pub(crate) fn new(policy: &Policy, abi: Abi) -> Result<InPlace, LaunchError> {
        let sockets = &policy.network.unix_sockets;
        let words = Vocabulary::new(abi, sockets);
        let terms = Terms { private_view: abi.has_socket_files(), ..Terms::of(policy) };
        Ok(InPlace {
            words,
            places: Places::new(grants::of(&policy.filesystem, sockets, words)),
            limits: limits::of(&policy.limits).into(),
            filters: Filters::compile(&terms)?,
            network_is_closed: policy.network.mode == NetworkMode::Off,
        })
    }

    pub(crate) fn filter(&self) -> &Filter {
        self.filters.plain()
    }

    /// Tries it on a thread. Limits belong to the whole process, so the trial sets none.
    pub(crate) fn check(&self) -> Result<(), LaunchError> {
        probe::try_on_a_thread(&self.prepare(Arc::new([]), None, None)?)
    }

    /// Wraps one command.
    pub(crate) fn launch(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        let launch = Launch::direct(plan);
        if !plan.takes_refusals() {
            return Ok(launch.step(self.confinement(plan, None)?));
        }
        let filter = self.filters.telling()?;
        let (refusals, socket) = refusals::pair(filter)?;
        let telling = Telling { filter: filter.clone(), socket };
        Ok(launch.step(self.confinement(plan, Some(telling))?).refusals(refusals))
    }

    /// The child step of one run.
    fn confinement(
        &self,
        plan: &Plan,
        telling: Option<Telling>,
    ) -> Result<Confinement, LaunchError> {
        self.prepare(self.limits.clone(), plan.scratch(), telling)
    }

    /// The ruleset and the stages.
    pub(crate) fn explain(&self, plan: &Plan) -> Result<String, LaunchError> {
        let own = folders(plan.scratch()).map(|path| match path.canonicalize() {
            Ok(path) => Ok(Grant { path, rights: self.words.write(), implied: false }),
            Err(source) => Err(LaunchError::Path { path: path.to_owned(), source }),
        });
        let own = own.collect::<Result<Vec<_>, _>>()?;
        let grants: Vec<_> = self.places.grants().iter().cloned().chain(own).collect();
        let text = explain::ruleset(self.words.abi(), &grants, self.network_is_closed);
        Ok(text + &self.confinement(plan, None)?.explain())
    }

    fn prepare(
        &self,
        limits: Arc<[Limit]>,
        scratch: Option<&Scratch>,
        telling: Option<Telling>,
    ) -> Result<Confinement, LaunchError> {
        let ruleset = Ruleset::new(self.words, self.network_is_closed)?;
        self.places.visit(|place, grant| ruleset.grant(place, grant.rights))?;
        for path in folders(scratch) {
            let place = open_own(path)
                .map_err(|source| LaunchError::Path { path: path.to_owned(), source })?;
            ruleset.grant(&place, self.words.write())?;
        }
        Ok(Confinement::new(limits, ruleset.finish(), self.filters.plain().clone(), telling))
    }
}

/// The run's own folders, known only now.
fn folders(scratch: Option<&Scratch>) -> impl Iterator<Item = &Path> {
    let folders = scratch.map(|scratch| [scratch.tmp.as_path(), scratch.home.as_path()]);
    folders.into_iter().flatten()
}

/// Opens one of the run's own folders. A link above it is the host's own (`/tmp`, say).
fn open_own(path: &Path) -> io::Result<Place> {
    match Place::open(path) {
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => {
            Place::open(&path.canonicalize()?)
        }
        opened => opened,
    }
}
