//! One launcher, one user, one place: a test runs once for each of these.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::{Launcher, PATH, Place, User, users};

/// Under which circumstances a test runs.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) launcher: Launcher,
    pub(crate) user: User,
    pub(crate) place: Place,
}

impl Setup {
    pub(crate) fn new(launcher: Launcher, user: User) -> Self {
        Setup { launcher, user, place: Place::new(user) }
    }

    /// No launcher, whoever runs the tests: for what has nothing to do with either.
    pub(crate) fn plain() -> Self {
        Setup::new(Launcher::None, User::Own)
    }
}

/// Says that a part of a test cannot run here.
pub(crate) fn ignored(because: impl AsRef<str>) {
    println!("ignored, because {}", because.as_ref());
}

/// Runs a test under every confining launcher, as every user.
pub(crate) fn confined(test: impl Fn(&Setup)) {
    under(&Launcher::CONFINING, &users(), test);
}

/// Runs a test under every confining launcher and under none, as every user.
pub(crate) fn everywhere(test: impl Fn(&Setup)) {
    under(&Launcher::EVERY, &users(), test);
}

/// Runs a test under every launcher that has namespaces, as every user that can make them.
pub(crate) fn with_namespaces(test: impl Fn(&Setup)) {
    under(&Launcher::WITH_NAMESPACES, &users(), |setup| {
        match Launcher::Bubblewrap.hindrance(setup.user) {
            Some(hindrance) => ignored(hindrance),
            None => test(setup),
        }
    });
}

/// Runs a test under every confining launcher, as every user, where these programs are installed.
pub(crate) fn with_programs(programs: &[&str], test: impl Fn(&Setup)) {
    let installed =
        |name: &str| PATH.split(':').any(|folder| Path::new(folder).join(name).exists());
    match programs.iter().find(|name| !installed(name)) {
        Some(missing) => ignored(format!("{missing} is not installed")),
        None => confined(test),
    }
}

/// Runs a test under these launchers, as these users. All of them get their turn before the test
/// fails, and the message names those that failed.
pub(crate) fn under(launchers: &[Launcher], users: &[User], test: impl Fn(&Setup)) {
    let mut failed = Vec::new();
    for user in users.iter().copied() {
        for launcher in launchers {
            let name = format!("{launcher} as {user}");
            if let Some(hindrance) = launcher.hindrance(user) {
                ignored(format!("{hindrance}: {name}"));
                continue;
            }
            println!("--- {name}");
            let setup = Setup::new(*launcher, user);
            if catch_unwind(AssertUnwindSafe(|| test(&setup))).is_err() {
                failed.push(name);
            }
        }
    }
    assert!(failed.is_empty(), "failed under: {}", failed.join(", "));
}
