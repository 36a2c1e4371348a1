//! The way without namespaces: the child confines itself before its exec, and nothing is left running
//! beside the command.

use std::path::PathBuf;
use std::sync::Arc;

use cofferdam_filter::{Filter, Terms};
use cofferdam_launcher::{ChildStep, LaunchError, Plan};
use cofferdam_profiles::{NetworkMode, Policy};

use crate::abi::Abi;
use crate::grants::{self, Grant};
use crate::launcher::filter_error;
use crate::limits::{self, Limit};
use crate::rights::Vocabulary;
use crate::step::Confinement;
use crate::{explain, probe, ruleset};

/// A policy compiled for this way.
#[derive(Debug)]
pub(crate) struct InPlace {
    words: Vocabulary,
    grants: Vec<Grant>,
    limits: Arc<[Limit]>,
    filter: Arc<Filter>,
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
            grants: grants::of(&policy.filesystem, sockets, words),
            limits: limits::of(&policy.limits).into(),
            filter: Arc::new(Filter::compile(&terms).map_err(filter_error)?),
            network_is_closed: policy.network.mode == NetworkMode::Off,
        })
    }

    pub(crate) fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Tries it on a thread. Limits belong to the whole process, so the trial sets none.
    pub(crate) fn check(&self) -> Result<(), LaunchError> {
        probe::try_on_a_thread(&self.prepare(Arc::new([]), &[])?)
    }

    /// The child step of one run.
    pub(crate) fn confinement(&self, plan: &Plan) -> Result<Confinement, LaunchError> {
        self.prepare(self.limits.clone(), &self.scratch(plan)?)
    }

    /// The ruleset and the stages.
    pub(crate) fn explain(&self, plan: &Plan) -> Result<String, LaunchError> {
        let grants: Vec<_> = self.grants.iter().cloned().chain(self.scratch(plan)?).collect();
        let text = explain::ruleset(self.words.abi(), &grants, self.network_is_closed);
        Ok(text + &self.confinement(plan)?.explain())
    }

    fn prepare(&self, limits: Arc<[Limit]>, scratch: &[Grant]) -> Result<Confinement, LaunchError> {
        let mut builder = ruleset::create(self.words, self.network_is_closed)?;
        for grant in self.grants.iter().chain(scratch) {
            builder = builder.grant(grant)?;
        }
        Ok(Confinement::new(limits, builder.finish()?, self.filter.clone()))
    }

    /// The run's own folders, known only now. A link above them is the host's own (`/tmp`, say).
    fn scratch(&self, plan: &Plan) -> Result<Vec<Grant>, LaunchError> {
        let folders = plan.scratch().map(|scratch| [&scratch.tmp, &scratch.home]);
        let grant = |path: &PathBuf| match path.canonicalize() {
            Ok(path) => Ok(Grant { path, rights: self.words.write(), implied: false }),
            Err(source) => Err(LaunchError::Path { path: path.clone(), source }),
        };
        folders.into_iter().flatten().map(grant).collect()
    }
}
