//! The launcher: the policy compiled once, a confinement made for every run.

use std::sync::Arc;

use cofferdam_filter::FilterError;
use cofferdam_launcher::{Launch, LaunchError, Launcher, Plan, WrapperEnd};
use cofferdam_profiles::Policy;
use cofferdam_view::gaps::{Gap, accept, missing};

use crate::abi::Abi;
use crate::gaps::{self, Circumstances};
use crate::in_place::InPlace;
use crate::private::{self, Private};
use crate::{NAME, Namespaces, Options, explain, grants};

/// Confines commands with Landlock, a seccomp filter and resource limits; where the system permits
/// it, in private namespaces as well. No other program is needed.
#[derive(Debug)]
pub struct Landlock {
    policy: Arc<Policy>,
    way: Way,
    gaps: Vec<Gap>,
    missing: Arc<[String]>,
    /// For a single run: nothing is tried.
    once: bool,
}

/// How a command is confined.
#[derive(Debug)]
enum Way {
    /// In the child itself, among the host's files.
    InPlace(InPlace),
    /// In private namespaces, by the init.
    Private(Box<Private>),
}

impl Landlock {
    /// Compiles `policy` for the running kernel, and finds out by a trial whether it makes private
    /// namespaces, unless it is built for a [single run](Options::once).
    ///
    /// # Errors
    /// [`LaunchError::Unsupported`] where the kernel has no Landlock or the processor no filter
    /// table, and [`LaunchError::Other`] for a wrong name in `[syscalls] allow`. What this launcher
    /// cannot enforce is an error of [`Launcher::check`] only.
    pub fn new(options: Options, policy: Arc<Policy>) -> Result<Landlock, LaunchError> {
        let abi = Abi::of_kernel()?;
        let way = match options.namespaces {
            Namespaces::Auto if options.once => Private::untried(&policy, abi).map(Some)?,
            Namespaces::Auto => Private::find(&policy, abi)?,
            Namespaces::Off => None,
        };
        let way = match way {
            Some(private) => Way::Private(Box::new(private)),
            None => Way::InPlace(InPlace::new(&policy, abi)?),
        };
        let gaps = gaps::of(&Circumstances {
            filesystem: &policy.filesystem,
            network: &policy.network,
            limits: &policy.limits,
            abi,
            root: nix::unistd::getuid().is_root(),
            implied: &grants::implied_paths(),
            reach: match &way {
                Way::InPlace(_) => None,
                Way::Private(private) => Some(private.reach()),
            },
            refuses_sockets: matches!(&way, Way::Private(private) if private.refuses_sockets()),
        });
        let (missing, once) = (missing(&gaps).into(), options.once);
        Ok(Landlock { way, missing, gaps, policy, once })
    }
}

impl Launcher for Landlock {
    fn name(&self) -> &str {
        NAME
    }

    fn check(&self) -> Result<(), LaunchError> {
        accept(NAME, &self.gaps, &self.policy.best_effort)?;
        match &self.way {
            _ if self.once => Ok(()),
            Way::InPlace(way) => way.check(),
            Way::Private(private) => private.check(),
        }
    }

    fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
        accept(NAME, &self.gaps, &self.policy.best_effort)?;
        let launch = match &self.way {
            Way::InPlace(way) => way.launch(plan)?,
            Way::Private(private) => private.launch(plan)?,
        };
        Ok(launch.sandboxed().missing(self.missing.clone()))
    }

    fn blame(&self, end: &WrapperEnd<'_>) -> Option<LaunchError> {
        match &self.way {
            Way::InPlace(_) => None,
            Way::Private(private) => private.judge(end),
        }
    }

    fn command_pid(&self, status: &[u8]) -> Option<u32> {
        match self.way {
            Way::InPlace(_) => None,
            Way::Private(_) => private::first_process(status),
        }
    }

    fn missing(&self) -> &[String] {
        &self.missing
    }

    fn explain(&self, plan: &Plan) -> Result<String, LaunchError> {
        accept(NAME, &self.gaps, &self.policy.best_effort)?;
        let mut text = explain::command(plan);
        let filter = match &self.way {
            Way::InPlace(way) => {
                text.push_str(&way.explain(plan)?);
                way.filter()
            }
            Way::Private(private) => {
                text.push_str(&private.explain(plan)?);
                private.filter()
            }
        };
        text.push_str(&explain::gaps(&self.gaps));
        text.push('\n');
        text.push_str(&filter.explain());
        Ok(text)
    }
}

pub(crate) fn filter_error(error: FilterError) -> LaunchError {
    match error {
        FilterError::Machine(_) => LaunchError::unsupported(
            error.to_string(),
            "Cofferdam's own confinement is for x86_64 and aarch64; use another launcher",
        ),
        error => LaunchError::Other(error.to_string()),
    }
}
