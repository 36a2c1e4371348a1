//! The policy compiled for private namespaces, and the launches made of it.

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use cofferdam_filter::{Filter, Terms};
use cofferdam_launcher::{Launch, LaunchError, Plan, Scratch};
use cofferdam_profiles::{Access, NetworkMode, Policy, UnixSockets};
use cofferdam_view::{View, shows_sockets};

use super::layout::Layout;
use super::protocol::{Header, Identity, header};
use super::reach::Reach;
use super::rules::Rules;
use super::scene::{Closing, Scene};
use super::status::Failure;
use super::{init, trial};
use crate::abi::Abi;
use crate::launcher::filter_error;
use crate::limits::{self, Limit};
use crate::rights::Vocabulary;

/// What the init itself needs of the limit on processes: the first two of a run's processes.
const OWN_PROCESSES: u64 = 2;

/// A policy compiled for private namespaces.
#[derive(Debug)]
pub(crate) struct Private {
    reach: Reach,
    policy: Arc<Policy>,
    words: Vocabulary,
    view: View,
    scene: Scene,
    closings: Vec<Closing>,
    limits: Vec<Limit>,
    filter: Filter,
    filter_bytes: Vec<u8>,
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
        let header = Header { flags: self.flags() | header::TRIAL, ..self.header() };
        let scene = self.scene(None).map_err(|error| Failure::of_preparation(&error))?;
        trial::run(|status| self.layout(Header { status, ..header }, &scene).bytes())
    }

    /// Wraps one command.
    pub(crate) fn launch(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        self.admit(plan)?;
        let system = |stage| move |source| LaunchError::System { stage, source };
        let (program, path) = init::program().map_err(system("make the init"))?;
        let (status, status_end) = io::pipe().map_err(system("make the status pipe"))?;
        let header = Header { status: status_end.as_raw_fd() as u32, ..self.header() };
        let mut layout = self.layout(header, &self.scene(plan.scratch())?);
        layout.dir(plan.dir().as_os_str());
        layout.program(identity(plan.program()));
        let memory = init::memory(&layout.bytes()).map_err(system("make the plan of the run"))?;
        Ok(Launch::wrapper(path)
            .arg(memory.as_raw_fd().to_string())
            .arg(plan.program())
            .arg(plan.command())
            .args(plan.args())
            .keep(program)
            .keep(memory.into())
            .keep(status_end.into())
            .status(status.into()))
    }

    /// The namespaces, the mounts one a line, and the stages.
    pub(crate) fn explain(&self, plan: &Plan) -> Result<String, LaunchError> {
        self.admit(plan)?;
        let mut text = format!("namespaces {}\n", self.reach.describe(self.policy.network.mode));
        if self.view.is_whole() {
            text.push_str("mount      /  the host's own files\n");
        }
        text.push_str(&self.scene(plan.scratch())?.explain());
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

    /// The view of one run.
    fn scene(&self, scratch: Option<&Scratch>) -> Result<Scene, LaunchError> {
        self.scene.of_run(&self.view, &self.closings, scratch)
    }

    /// Whether the host's own file is at this physical path inside.
    fn shows(&self, path: &Path, scratch: Option<&Scratch>) -> bool {
        let in_scratch = scratch.is_some_and(|scratch| {
            path.starts_with(&scratch.tmp) || path.starts_with(&scratch.home)
        });
        in_scratch || self.view.shows(path)
    }

    fn header(&self) -> Header {
        Header {
            governed: self.words.all().bits(),
            scopes: self.words.scopes(),
            namespaces: self.reach.flags(self.policy.network.mode),
            flags: self.flags(),
            ..Header::default()
        }
    }

    fn flags(&self) -> u32 {
        let when = |condition: bool, flag: u32| if condition { flag } else { 0 };
        when(self.view.is_whole(), header::WHOLE) | when(self.has_writable_root(), header::WRITABLE)
    }

    fn has_writable_root(&self) -> bool {
        let root = Path::new("/");
        self.policy.filesystem.decide(root).is_some_and(|rule| rule.access == Access::Write)
    }

    fn layout(&self, header: Header, scene: &Scene) -> Layout {
        let mut layout = Layout::new(header);
        scene.write(&mut layout);
        let sockets: &UnixSockets = &self.policy.network.unix_sockets;
        Rules::of(scene, self.words, sockets, self.has_writable_root())
            .write(self.words, &mut layout);
        for limit in &self.limits {
            let own = if limit.resource == libc::RLIMIT_NPROC { OWN_PROCESSES } else { 0 };
            layout.limit(limit.resource, limit.value.saturating_add(own));
        }
        layout.filter(&self.filter_bytes);
        layout
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
