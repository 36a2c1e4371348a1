//! The launcher: the policy compiled once, a confinement made for every run.

use std::path::PathBuf;
use std::sync::Arc;

use cofferdam_filter::{Filter, FilterError, Terms};
use cofferdam_launcher::{ChildStep, Launch, LaunchError, Launcher, Plan};
use cofferdam_profiles::{NetworkMode, Policy};

use crate::abi::Abi;
use crate::gaps::{self, Circumstances, Gap};
use crate::grants::{self, Grant};
use crate::limits::{self, Limit};
use crate::rights::Vocabulary;
use crate::step::Confinement;
use crate::{NAME, Options, explain, probe, ruleset};

/// Confines commands with Landlock, a seccomp filter and resource limits, in the child itself: no
/// other program is needed and nothing is left running.
#[derive(Debug)]
pub struct Landlock {
    policy: Arc<Policy>,
    words: Vocabulary,
    grants: Vec<Grant>,
    limits: Arc<[Limit]>,
    filter: Arc<Filter>,
    gaps: Vec<Gap>,
    missing: Arc<[String]>,
}

impl Landlock {
    /// Compiles `policy` for the running kernel.
    ///
    /// # Errors
    /// [`LaunchError::Unsupported`] where the kernel has no Landlock or the processor no filter
    /// table, and [`LaunchError::Other`] for a wrong name in `[syscalls] allow`. What this launcher
    /// cannot enforce is an error of [`Launcher::check`] only.
    pub fn new(options: Options, policy: Arc<Policy>) -> Result<Landlock, LaunchError> {
        // Both values mean the same in a version that makes no namespaces.
        let Options { namespaces: _ } = options;
        let abi = Abi::of_kernel()?;
        let words = Vocabulary::new(abi, &policy.network.unix_sockets);
        let gaps = gaps::of(&Circumstances {
            filesystem: &policy.filesystem,
            network: &policy.network,
            limits: &policy.limits,
            abi,
            root: nix::unistd::getuid().is_root(),
            implied: &grants::implied_paths(),
        });
        let terms = Terms { private_view: abi.has_socket_files(), ..Terms::of(&policy) };
        Ok(Landlock {
            words,
            grants: grants::of(&policy.filesystem, &policy.network.unix_sockets, words),
            limits: limits::of(&policy.limits).into(),
            filter: Arc::new(Filter::compile(&terms).map_err(filter_error)?),
            missing: gaps::missing(&gaps).into(),
            gaps,
            policy,
        })
    }

    fn confinement(
        &self,
        limits: Arc<[Limit]>,
        scratch: &[Grant],
    ) -> Result<Confinement, LaunchError> {
        let mut builder = ruleset::create(self.words, self.network_is_closed())?;
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

    fn network_is_closed(&self) -> bool {
        self.policy.network.mode == NetworkMode::Off
    }
}

impl Launcher for Landlock {
    fn name(&self) -> &str {
        NAME
    }

    fn check(&self) -> Result<(), LaunchError> {
        gaps::accept(&self.gaps, &self.policy.best_effort)?;
        // Limits belong to the whole process, so the trial sets none.
        probe::try_on_a_thread(&self.confinement(Arc::new([]), &[])?)
    }

    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        gaps::accept(&self.gaps, &self.policy.best_effort)?;
        let step = self.confinement(self.limits.clone(), &self.scratch(plan)?)?;
        Ok(Launch::direct(plan).step(step).sandboxed().missing(self.missing.clone()))
    }

    fn missing(&self) -> &[String] {
        &self.missing
    }

    fn explain(&self, plan: &Plan) -> Result<String, LaunchError> {
        let launch = self.wrap(plan)?;
        let mut text = String::new();
        for arg in launch.argv() {
            text.push_str(&format!("argument   {arg:?}\n"));
        }
        let grants: Vec<_> = self.grants.iter().cloned().chain(self.scratch(plan)?).collect();
        text.push_str(&explain::ruleset(self.words.abi(), &grants, self.network_is_closed()));
        text.push_str(&launch.child_step().map(ChildStep::explain).unwrap_or_default());
        text.push_str(&explain::gaps(&self.gaps));
        text.push('\n');
        text.push_str(&self.filter.explain());
        Ok(text)
    }
}

fn filter_error(error: FilterError) -> LaunchError {
    match error {
        FilterError::Machine(_) => LaunchError::unsupported(
            error.to_string(),
            "Cofferdam's own confinement is for x86_64 and aarch64; use another launcher",
        ),
        error => LaunchError::Other(error.to_string()),
    }
}
