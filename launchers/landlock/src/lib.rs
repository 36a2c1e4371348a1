#![cfg(target_os = "linux")]
//! The Landlock launcher: confines a command with what the kernel offers every user.
//!
//! What it promises: the command reads and writes the policy's paths and nothing else; it reaches
//! no network while that is off, no socket file that the policy does not open, and only the system
//! calls of [`cofferdam_filter`]; it has no capability and gains none; it signals no process
//! outside. Where the system permits private namespaces, it sees no more of the host than the policy
//! shows, and nothing outlives its run. Where the promise ends: without namespaces names and metadata
//! can be looked at, nothing can be taken back below a grant, and the host's processes, terminals and
//! shared memory stay in sight. [`Launcher::missing`] names all that a policy asks for and does not
//! get here; the README has the tables.
//!
//! ```no_run
//! use std::sync::Arc;
//! use cofferdam_landlock::{Landlock, Options};
//! use cofferdam_launcher::{LaunchError, Launcher, Plan};
//! # fn example(policy: cofferdam_profiles::Policy) -> Result<(), LaunchError> {
//! let launcher = Landlock::new(Options::default(), Arc::new(policy))?;
//! launcher.check()?;
//! let launch = launcher.wrap(&Plan::new("make", "/usr/bin/make", "/srv/app"))?;
//! assert!(launch.is_sandboxed());
//! # Ok(())
//! # }
//! ```
//!
//! * [`Landlock`]: the launcher; [`Options`]: its options.
//! * [`ScopeStep`]: a domain for signals and abstract sockets alone, for other launchers.
//! * [`Threshold`]: what a command goes through last in the sandbox of another launcher's wrapper.
//! * `private`: the way with namespaces, by a small init that this crate carries (`init/`).
//! * `in_place`: the way without them; `ruleset` makes a run's ruleset in the host from the `places`
//!   that the policy names, `step`, `confine` and `raw` are what the child does.
//! * `refusals`: the filter's word to the runner about what it has refused.
//! * `grants`, `rights`, `limits`, `gaps`: pure, from the policy to what the kernel takes.
//!
//! [`Launcher::missing`]: cofferdam_launcher::Launcher::missing

#![deny(unsafe_code)]

mod abi;
mod confine;
mod explain;
mod gaps;
mod grants;
mod in_place;
mod launcher;
mod limits;
mod options;
mod place;
mod places;
mod private;
mod probe;
mod raw;
mod refusals;
mod rights;
mod ruleset;
mod scope;
mod step;
mod threshold;

pub use launcher::Landlock;
pub use options::{Namespaces, Options, UnknownNamespaces};
pub use scope::ScopeStep;
pub use threshold::{Crossing, Threshold};

/// The launcher's name in configurations and messages.
pub const NAME: &str = "landlock";

/// The version of the running kernel's Landlock interface, 1 or more. For people: what a version
/// means for a policy is [`Launcher::missing`](cofferdam_launcher::Launcher::missing).
///
/// # Errors
/// [`LaunchError::Unsupported`](cofferdam_launcher::LaunchError::Unsupported) with the reason and
/// what would help.
pub fn kernel_version() -> Result<i32, cofferdam_launcher::LaunchError> {
    abi::kernel_version()
}
