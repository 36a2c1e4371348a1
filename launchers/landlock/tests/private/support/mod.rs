//! Landlock in the machine of the tests: who starts a run, and how it is spawned.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;

use cofferdam_landlock::{Landlock, Options};
use cofferdam_launcher::{Launch, Launcher, Plan};
use nix::unistd::geteuid;

pub(crate) use crate::both::run::{Live, Ran};
pub(crate) use crate::both::world::{World, has, say};

/// Who starts the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// Whoever runs the tests.
    Own,
    /// The same, with a tool that has run before, so that its runs share a template.
    Again,
    /// An ordinary user, when root runs the tests.
    Nobody,
}

/// The users that a test can be run as. Empty, with a word on why, where there are no namespaces.
pub(crate) fn users() -> Vec<User> {
    let policy = World::new(User::Own).policy();
    let launcher = Landlock::new(Options::default(), Arc::new(policy)).unwrap();
    if !launcher.missing().is_empty() {
        say("ignored, because this system does not permit private namespaces");
        return Vec::new();
    }
    match geteuid().is_root() {
        true => vec![User::Own, User::Again, User::Nobody],
        false => vec![User::Own, User::Again],
    }
}

impl World {
    pub(crate) fn launcher(&self) -> Landlock {
        let launcher = Landlock::new(Options::default(), Arc::new(self.policy())).unwrap();
        if self.user == User::Again {
            self.run_before(&launcher);
        }
        launcher
    }

    /// Has the launcher see as many runs as it takes to share a template between them.
    pub(crate) fn run_before(&self, launcher: &Landlock) {
        for _ in 0..2 {
            let _ = launcher.wrap(&self.plan("true", &[""; 0]));
        }
    }

    /// Runs a command.
    pub(crate) fn run(&self, plan: &Plan) -> Ran {
        self.changed_late(plan, || {})
    }

    /// Runs a command, with a change after the launch was made and before it is spawned.
    pub(crate) fn changed_late(&self, plan: &Plan, change: impl FnOnce()) -> Ran {
        let launcher = self.launcher();
        let dir = open(plan.dir());
        let launch = launcher.wrap(plan).unwrap();
        change();
        self.start_in(&dir, launch, null()).finish(&launcher)
    }

    /// Why a run does not start, be it refused or fail while its sandbox is built.
    pub(crate) fn refusal(&self, launcher: &dyn Launcher, plan: &Plan) -> String {
        match launcher.wrap(plan) {
            Ok(launch) => {
                let live = self.start_in(&open(plan.dir()), launch, null());
                live.finish(launcher).not_started().to_owned()
            }
            Err(error) => error.to_string(),
        }
    }

    /// Starts a command and lets it run.
    pub(crate) fn start(&self, launcher: &dyn Launcher, plan: &Plan) -> Live {
        self.start_with(launcher, plan, null())
    }

    /// Starts a command with this standard input.
    pub(crate) fn start_with(&self, launcher: &dyn Launcher, plan: &Plan, stdin: File) -> Live {
        self.start_in(&open(plan.dir()), launcher.wrap(plan).unwrap(), stdin)
    }

    /// Spawns what the launcher returned, as a runner does: clean environment, in the directory that
    /// was opened before, to be killed when this process ends.
    fn start_in(&self, dir: &File, launch: Launch, stdin: File) -> Live {
        assert!(launch.is_sandboxed());
        let inherited = dir.as_raw_fd();
        let dir = format!("/proc/self/fd/{inherited}");
        let front = self.user.argv(["env", "-C", &*dir, "setpriv", "--pdeathsig=KILL", "--"]);
        let argv: Vec<_> = front.into_iter().chain(launch.argv().to_owned()).collect();
        let program = Path::new("/usr/bin").join(&argv[0]);
        Live::start(&program, &argv, &self.environment(), launch, stdin, &[inherited])
    }
}

fn null() -> File {
    File::open("/dev/null").unwrap()
}

/// Opens a directory in a way that a child inherits.
fn open(dir: &Path) -> File {
    let file = File::open(dir).unwrap();
    nix::fcntl::fcntl(&file, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty())).unwrap();
    file
}
