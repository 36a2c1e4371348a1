//! Bubblewrap in the machine of the tests: who runs it, and how what it returns is spawned.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use cofferdam_bubblewrap::{Bubblewrap, Options};
use cofferdam_launcher::{Launch, Launcher, Plan};
use nix::unistd::geteuid;

pub(crate) use crate::both::run::{Live, Ran};
pub(crate) use crate::both::world::{World, has, say};

/// Who runs bubblewrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// Whoever runs the tests.
    Own,
    /// An ordinary user, when root runs the tests.
    Nobody,
}

/// The users that a test can be run as. Empty, with a word on why, where bubblewrap cannot work.
pub(crate) fn users() -> Vec<User> {
    let works = |user: User| {
        let argv = user.argv(["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"]);
        let output = std::process::Command::new(&argv[0]).args(&argv[1..]).output();
        output.is_ok_and(|output| output.status.success())
    };
    let all = match geteuid().is_root() {
        true => vec![User::Own, User::Nobody],
        false => vec![User::Own],
    };
    let (able, unable): (Vec<_>, Vec<_>) = all.into_iter().partition(|user| works(*user));
    for user in unable {
        say(&format!(
            "ignored, because bwrap is not installed or may not make namespaces ({user:?})"
        ));
    }
    able
}

impl World {
    pub(crate) fn launcher(&self) -> Bubblewrap {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Bubblewrap::new(Options::default(), Arc::new(self.policy()), &path).unwrap()
    }

    /// Runs a command.
    pub(crate) fn run(&self, plan: &Plan) -> Ran {
        let launcher = self.launcher();
        let launch = launcher.wrap(plan).unwrap();
        self.spawn(&launcher, launch)
    }

    /// Why a run does not start, be it refused or fail while its sandbox is built.
    pub(crate) fn refusal(&self, launcher: &dyn Launcher, plan: &Plan) -> String {
        match launcher.wrap(plan) {
            Ok(launch) => self.spawn(launcher, launch).not_started().to_owned(),
            Err(error) => error.to_string(),
        }
    }

    /// Spawns what the launcher returned and waits for its end.
    pub(crate) fn spawn(&self, launcher: &dyn Launcher, launch: Launch) -> Ran {
        self.start_launch(launch).finish(launcher)
    }

    /// Starts a command and lets it run.
    pub(crate) fn start(&self, launcher: &dyn Launcher, plan: &Plan) -> Live {
        self.start_launch(launcher.wrap(plan).unwrap())
    }

    /// Spawns what the launcher returned, as a runner does: clean environment, no input.
    fn start_launch(&self, launch: Launch) -> Live {
        assert!(launch.is_sandboxed());
        let argv = self.user.argv(launch.argv());
        let program = match self.user {
            User::Own => launch.program().to_owned(),
            User::Nobody => PathBuf::from("/usr/bin/setpriv"),
        };
        let null = File::open("/dev/null").unwrap();
        Live::start(&program, &argv, &self.environment(), launch, null, &[])
    }
}
