//! The policy compiled for private namespaces, and the launches made of it.

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use cofferdam_filter::{Filter, Terms};
use cofferdam_launcher::{Launch, LaunchError, Plan, Scratch, WrapperEnd};
use cofferdam_profiles::{NetworkMode, Policy};
use cofferdam_view::{View, shows_sockets};

use super::layout::Particulars;
use super::protocol::{Identity, header};
use super::reach::Reach;
use super::scene::{Closing, Scene};
use super::status::{Failure, Status};
use super::template::Templates;
use super::{blame, init, trial};
use crate::abi::Abi;
use crate::launcher::filter_error;
use crate::limits::{self, Limit};
use crate::rights::Vocabulary;

/// A policy compiled for private namespaces.
#[derive(Debug)]
pub(crate) struct Private {
    pub(super) reach: Reach,
    pub(super) policy: Arc<Policy>,
    pub(super) words: Vocabulary,
    pub(super) view: View,
    pub(super) scene: Scene,
    pub(super) closings: Vec<Closing>,
    pub(super) limits: Vec<Limit>,
    filter: Filter,
    pub(super) filter_bytes: Vec<u8>,
    templates: Templates,
    /// What came of building it once.
    tried: Result<(), Failure>,
}

impl Private {
    /// Compiles a policy for the furthest namespaces that work here. `None`: none do.
    ///
    /// # Errors
    /// As `Landlock::new`.
    pub(crate) fn find(policy: &Arc<Policy>, abi: Abi) -> Result<Option<Private>, LaunchError> {
        for reach in [Reach::All, Reach::AllButProcesses] {
            let mut private = Private::new(reach, policy, abi)?;
            private.tried = private.try_out();
            match &private.tried {
                Err(failure) if failure.is_lack_of_namespaces() => {}
                _ => return Ok(Some(private)),
            }
        }
        Ok(None)
    }

    /// Compiles a policy for all namespaces without a trial: a run that cannot have them fails.
    ///
    /// # Errors
    /// As `Landlock::new`.
    pub(crate) fn untried(policy: &Arc<Policy>, abi: Abi) -> Result<Private, LaunchError> {
        Private::new(Reach::All, policy, abi)
    }

    fn new(reach: Reach, policy: &Arc<Policy>, abi: Abi) -> Result<Private, LaunchError> {
        let sockets = &policy.network.unix_sockets;
        let view = View::compile(&policy.filesystem, sockets);
        let filter = Filter::compile(&Terms {
            private_network: policy.network.mode == NetworkMode::Off,
            private_view: abi.has_socket_files() || !shows_sockets(&policy.filesystem),
            private_processes: reach == Reach::All,
            ..Terms::of(policy)
        })
        .map_err(filter_error)?;
        Ok(Private {
            reach,
            words: Vocabulary::new(abi, sockets),
            scene: Scene::of(&view, reach),
            closings: Closing::of(&view),
            view,
            limits: limits::of(&policy.limits),
            filter_bytes: filter.bytes(),
            filter,
            policy: policy.clone(),
            templates: Templates::new(),
            tried: Ok(()),
        })
    }

    /// What the trial found.
    pub(crate) fn check(&self) -> Result<(), LaunchError> {
        self.tried.as_ref().map_err(Failure::at_start).copied()
    }

    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    pub(crate) fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Builds everything once, without a command.
    ///
    /// # Errors
    /// What failed, by the init's own word, or why the init could not be started.
    fn try_out(&self) -> Result<(), Failure> {
        let situation = self.situation(None).map_err(|error| Failure::of_preparation(&error))?;
        trial::run(&self.layout(header::TRIAL, &self.view_in(&situation)).draft(), None)?;
        Ok(())
    }

    /// Wraps one command.
    pub(crate) fn launch(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        self.admit(plan)?;
        let system = |stage| move |source| LaunchError::System { stage, source };
        let (program, path) = init::program().map_err(system("make the init"))?;
        let (status, status_end) = io::pipe().map_err(system("make the status pipe"))?;
        let situation = self.situation(plan.scratch())?;
        let template = self.templates.take(&situation, || self.make_template(&situation));
        let namespace = template.as_ref().map(|template| template.namespace.try_clone());
        let namespace = namespace.transpose().map_err(system("hand the template on"))?;
        let particulars = Particulars {
            status: status_end.as_raw_fd() as u32,
            template: namespace.as_ref().map_or(0, |fd| fd.as_raw_fd() as u32),
            program: identity(plan.program()),
            dir: plan.dir().as_os_str(),
        };
        let bytes = match &template {
            Some(template) => template.draft.bytes(&particulars),
            None => self.layout(0, &self.view_in(&situation)).draft().bytes(&particulars),
        };
        let memory = init::memory(&bytes).map_err(system("make the plan of the run"))?;
        let launch = Launch::wrapper(path)
            .arg(memory.as_raw_fd().to_string())
            .arg(plan.program())
            .arg(plan.command())
            .args(plan.args())
            .keep(program)
            .keep(memory.into())
            .keep(status_end.into())
            .status(status.into());
        Ok(namespace.into_iter().fold(launch, Launch::keep))
    }

    /// What it means that the init ended as it did: see [`blame::judge`].
    pub(crate) fn judge(&self, end: &WrapperEnd<'_>) -> Option<LaunchError> {
        let status = Status::parse(end.status);
        if status.anew {
            self.templates.outdated();
        }
        blame::judge(end.ended, &status)
    }

    /// The namespaces, the mounts one a line, and the stages.
    pub(crate) fn explain(&self, plan: &Plan) -> Result<String, LaunchError> {
        self.admit(plan)?;
        let mut text = format!("namespaces {}\n", self.reach.describe(self.policy.network.mode));
        if self.view.is_whole() {
            text.push_str("mount      /  the host's own files\n");
        }
        text.push_str(&self.view_in(&self.situation(plan.scratch())?).explain());
        for limit in &self.limits {
            text.push_str(&format!("limit      {limit}\n"));
        }
        text.push_str("drop       all capabilities\nset        no_new_privs\n");
        text.push_str(&format!("restrict   with Landlock, version {}\n", self.words.abi()));
        text.push_str(&format!("filter     {}\n", self.filter.summary()));
        Ok(text)
    }

    /// Sees to it that the working directory is the host's own inside.
    fn admit(&self, plan: &Plan) -> Result<(), LaunchError> {
        let dir = plan.dir();
        match self.shows(dir, plan.scratch()) {
            true => Ok(()),
            false => Err(LaunchError::Other(format!(
                "the working directory `{0}` is not visible inside the sandbox: add a `read` or \
                 `write` rule for `{0}`",
                dir.display()
            ))),
        }
    }

    /// Whether the host's own file is at this physical path inside.
    fn shows(&self, path: &Path, scratch: Option<&Scratch>) -> bool {
        let in_scratch = scratch.is_some_and(|scratch| {
            path.starts_with(&scratch.tmp) || path.starts_with(&scratch.home)
        });
        in_scratch || self.view.shows(path)
    }
}

/// What the program is. Something of the same name may lie at its path inside: `/tmp` is the run's
/// own.
fn identity(program: &Path) -> Identity {
    match program.metadata() {
        Ok(found) => Identity {
            major: libc::major(found.dev()),
            minor: libc::minor(found.dev()),
            inode: found.ino(),
        },
        Err(_) => Identity::default(),
    }
}
