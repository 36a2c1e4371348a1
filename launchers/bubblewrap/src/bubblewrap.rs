//! The launcher itself.

use std::ffi::OsStr;
use std::io::{self, PipeReader};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cofferdam_filter::{Filter, Terms};
use cofferdam_landlock::{Crossing, ScopeStep, Threshold};
use cofferdam_launcher::{Launch, LaunchError, Launcher, Plan, WrapperEnd};
use cofferdam_profiles::{NetworkMode, Policy, UnixSockets};
use cofferdam_view::gaps::{Gap, accept, missing};
use cofferdam_view::{View, doors};
use nix::unistd::geteuid;

use crate::args::{self, Frame, Words};
use crate::cause::Machine;
use crate::features::Features;
use crate::gaps::{self, Circumstances};
use crate::inside::Inside;
use crate::mount::Mount;
use crate::scene::Scene;
use crate::status::Status;
use crate::{NAME, Options, blame, explain, memory, program, trial};

/// Exceptions of the filter with which a run can make user namespaces.
const MAKES_NAMESPACES: [&str; 4] = ["clone", "clone3", "unshare", "userns"];
/// Bubblewrap's own process inside, which the limit on processes counts.
const OWN_PROCESSES: u64 = 1;

/// Runs commands under bubblewrap.
#[derive(Debug)]
pub struct Bubblewrap {
    program: PathBuf,
    features: Features,
    policy: Arc<Policy>,
    view: View,
    filter: Filter,
    /// The filter as bubblewrap reads it.
    filter_bytes: Vec<u8>,
    /// What the command goes through last.
    threshold: Threshold,
    /// The folder for which the filter refuses Unix sockets.
    refuses_sockets: Option<PathBuf>,
    gaps: Vec<Gap>,
    missing: Arc<[String]>,
}

/// Everything that one run hands to bubblewrap.
pub(crate) struct Prepared {
    pub(crate) options: Vec<Words>,
    pub(crate) mounts: Vec<Mount>,
    pub(crate) filter: OwnedFd,
    /// The end on which bubblewrap writes.
    pub(crate) status_end: OwnedFd,
    /// What bubblewrap is given as its command.
    pub(crate) crossing: Crossing,
    pub(crate) status: PipeReader,
}

impl Bubblewrap {
    /// Finds bubblewrap, asks for its version, and works out the view of `policy`. `path` is the
    /// value of PATH; only its absolute entries count.
    ///
    /// # Errors
    /// [`LaunchError::WrapperMissing`] and [`LaunchError::Unsupported`] for a bubblewrap that is not
    /// there, not to be trusted or too old; [`LaunchError::Other`] for a wrong entry in
    /// `[syscalls] allow`.
    pub fn new(options: Options, policy: Arc<Policy>, path: &OsStr) -> Result<Self, LaunchError> {
        let program = program::find(options.program.as_deref(), path, &policy.filesystem)?;
        let features = Features::ask(&program)?;
        let nested = allows_nesting(&policy);
        let threshold = Threshold::new(&policy, OWN_PROCESSES, nested)?;
        let doors = doors(&policy.filesystem);
        let refuses_sockets = match policy.network.unix_sockets {
            // There the filter refuses all, or nothing is to be refused.
            UnixSockets::None | UnixSockets::All => None,
            _ if threshold.guards_sockets() => None,
            UnixSockets::Inside | UnixSockets::Paths(_) => doors.first().cloned(),
        };
        let filter = Filter::compile(&Terms {
            private_network: policy.network.mode == NetworkMode::Off,
            private_view: refuses_sockets.is_none(),
            private_processes: true,
            ..Terms::of(&policy)
        })
        .map_err(|error| LaunchError::Other(error.to_string()))?;
        let gaps = gaps::of(&Circumstances {
            filesystem: &policy.filesystem,
            network: &policy.network,
            limits: policy.limits,
            root: geteuid().is_root(),
            open_pipes: doors.first().filter(|_| !threshold.guards_pipes()).map(PathBuf::as_path),
            refuses_sockets: refuses_sockets.is_some(),
            has_scopes: ScopeStep::new()?.is_some(),
        });
        Ok(Bubblewrap {
            program,
            features,
            view: View::compile(&policy.filesystem, &policy.network.unix_sockets),
            filter_bytes: filter.bytes(),
            filter,
            threshold,
            refuses_sockets,
            missing: missing(&gaps).into(),
            gaps,
            policy,
        })
    }

    /// The policy that it enforces.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// The physical path of bubblewrap.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Whether the host's own file is at this physical path inside, scratch folders aside.
    pub(crate) fn shows(&self, path: &Path) -> bool {
        self.view.shows(path)
    }

    pub(crate) fn filter(&self) -> &Filter {
        &self.filter
    }

    pub(crate) fn threshold(&self) -> &Threshold {
        &self.threshold
    }

    /// The folder for which the filter refuses Unix sockets, if it does.
    pub(crate) fn refuses_sockets_for(&self) -> Option<&Path> {
        self.refuses_sockets.as_deref()
    }

    /// Looks at the host as it is now and writes the options for one run.
    pub(crate) fn prepare(&self, plan: &Plan, dir: Option<&Path>) -> Result<Prepared, LaunchError> {
        let mounts = Scene::set(&self.view, plan.scratch(), self.features.bind_fd)?;
        let filter = memory::file("seccomp filter", &self.filter_bytes)?;
        let no_pipe = |source| LaunchError::System { stage: "make the status pipe", source };
        let (status, status_end) = io::pipe().map_err(no_pipe)?;
        // Bubblewrap closes its own when it starts its command.
        let told_inside = status_end.try_clone().map_err(no_pipe)?;
        let writable = mounts.iter().filter_map(Mount::writable);
        let crossing = self.threshold.cross(plan, writable, told_inside.into())?;
        let options = args::options(
            &Frame {
                private_network: self.policy.network.mode == NetworkMode::Off,
                nested: allows_nesting(&self.policy),
                whole: self.view.is_whole(),
                dir,
                filter: filter.as_raw_fd(),
                status: status_end.as_raw_fd(),
            },
            &mounts,
        );
        let status_end = status_end.into();
        Ok(Prepared { options, mounts, filter, status_end, crossing, status })
    }

    /// Abstract sockets follow the network namespace: where that is the host's, bubblewrap and all
    /// that it starts get a Landlock domain that keeps them apart.
    fn scope(&self) -> Result<Option<ScopeStep>, LaunchError> {
        match self.policy.network.mode {
            NetworkMode::On => ScopeStep::new(),
            NetworkMode::Off => Ok(None),
        }
    }
}

impl Prepared {
    /// What to exec. All of the policy stands in a file in memory, because a command line can be
    /// read by every user of the machine.
    pub(crate) fn launch(self, launcher: &Bubblewrap) -> Result<Launch, LaunchError> {
        let args = memory::file("bubblewrap options", &args::encode(&self.options))?;
        let mut launch = launcher
            .threshold
            .shield(&launcher.program, &self.status_end)?
            .arg("--args")
            .arg(args.as_raw_fd().to_string())
            .arg("--")
            .args(self.crossing.words)
            .keep(args)
            .keep(self.filter)
            .keep(self.status_end)
            .status(self.status.into());
        let sources = self.mounts.into_iter().filter_map(Mount::into_descriptor);
        for fd in self.crossing.kept.into_iter().chain(sources) {
            launch = launch.keep(fd);
        }
        Ok(launch)
    }
}

/// Whether the command may make user namespaces.
fn allows_nesting(policy: &Policy) -> bool {
    policy.syscalls.iter().any(|entry| MAKES_NAMESPACES.contains(&entry.value.as_str()))
}

impl Launcher for Bubblewrap {
    fn name(&self) -> &str {
        NAME
    }

    /// Runs `true` with the options of a real run, and sees to it that the policy asks for nothing
    /// that cannot be done here.
    fn check(&self) -> Result<(), LaunchError> {
        accept(NAME, &self.gaps, &self.policy.best_effort)?;
        trial::run(self)
    }

    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        accept(NAME, &self.gaps, &self.policy.best_effort)?;
        Inside::of(&self.view, plan).admit(plan)?;
        let prepared = self.prepare(plan, Some(plan.dir()))?;
        let mut launch = prepared.launch(self)?;
        if let Some(scope) = self.scope()? {
            launch = launch.step(scope);
        }
        Ok(launch.missing(Arc::clone(&self.missing)).sandboxed())
    }

    fn blame(&self, end: &WrapperEnd<'_>) -> Option<LaunchError> {
        blame::judge(end, Machine::look)
    }

    fn command_pid(&self, status: &[u8]) -> Option<u32> {
        Status::parse(status).child
    }

    fn missing(&self) -> &[String] {
        &self.missing
    }

    fn explain(&self, plan: &Plan) -> Result<String, LaunchError> {
        Inside::of(&self.view, plan).admit(plan)?;
        let prepared = self.prepare(plan, Some(plan.dir()))?;
        Ok(explain::text(self, &prepared, plan, self.scope()?.as_ref()))
    }
}
