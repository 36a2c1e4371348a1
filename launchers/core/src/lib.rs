//! The contract between the runner and a launcher.
//!
//! A **launcher** takes the [`Plan`] of one command and returns a [`Launch`]: what to `exec` so that
//! the command runs inside an OS sandbox. The runner does the rest.
//!
//! # What a launcher promises
//!
//! * [`Launcher::wrap`] either returns a `Launch` that confines the command, or an error. There is
//!   no third way: an error, a panic, or a shape that cannot be spawned is a run that failed (exit
//!   −1 with the reason), never a run without the wrapping.
//! * [`Launch::sandboxed`] is called only for what was really done. The runner reports
//!   `sandbox.active` from that claim and from nothing else.
//! * What the policy asks for and this launcher cannot enforce is an error of [`Launcher::check`],
//!   or, where the policy allows it, is named by [`Launch::missing`].
//! * A wrapper that fails before the command began is told apart by [`Launcher::blame`], from a
//!   channel that the wrapper offers ([`Launch::status`]), never from words alone.
//!
//! # What a launcher does not have to do
//!
//! Whatever is exec'd gets a clean environment, a session of its own, the standard streams of the
//! run, no other descriptors than those in [`Launch::keep`], default signal dispositions, an empty
//! signal mask, and dies with its host. A launcher neither sees nor changes the timeout, the output
//! caps or the standard input.
//!
//! # A complete launcher
//!
//! ```
//! use cofferdam_launcher::{Launch, LaunchError, Launcher, Plan};
//!
//! /// Runs every command at the lowest priority.
//! struct Polite;
//!
//! impl Launcher for Polite {
//!     fn name(&self) -> &str {
//!         "polite"
//!     }
//!
//!     fn check(&self) -> Result<(), LaunchError> {
//!         match std::path::Path::new("/usr/bin/nice").exists() {
//!             true => Ok(()),
//!             false => Err(LaunchError::wrapper_missing("nice", "install coreutils")),
//!         }
//!     }
//!
//!     fn wrap(&self, plan: &Plan) -> Result<Launch, LaunchError> {
//!         // `nice` is no sandbox, so there is no `.sandboxed()` here.
//!         Ok(Launch::wrapper("/usr/bin/nice")
//!             .args(["-n", "19", "--"])
//!             .arg(plan.program())
//!             .args(plan.args()))
//!     }
//! }
//!
//! let plan = Plan::new("make", "/usr/bin/make", "/srv/app").with_args(["-j8", "test"]);
//! let launch = Polite.wrap(&plan)?;
//! assert_eq!(launch.argv().last().unwrap(), "test");
//! assert!(!launch.is_sandboxed());
//! # Ok::<(), LaunchError>(())
//! ```
//!
//! A closure will do where there is nothing to check:
//!
//! ```
//! use cofferdam_launcher::{Launch, LaunchError, Launcher, Plan};
//!
//! let launcher = |plan: &Plan| -> Result<Launch, LaunchError> {
//!     Ok(Launch::wrapper("/usr/bin/setpriv").arg("--no-new-privs").arg(plan.program()).args(plan.args()))
//! };
//! assert_eq!(launcher.name(), "custom");
//! ```
//!
//! # Map
//!
//! * [`Plan`]: the admitted and resolved command.
//! * [`Launch`]: what to spawn, made by a launcher.
//! * [`ChildStep`]: confinement applied between fork and exec.
//! * [`Refusals`]: which system calls a filter has refused, told to the runner.
//! * [`WrapperEnd`]: how a wrapper ended, for [`Launcher::blame`].
//! * [`LaunchError`]: why a launcher could not do it.
//! * [`Plain`]: the launcher that wraps nothing.

#![deny(unsafe_code)]

mod error;
mod launch;
mod launcher;
mod plain;
mod plan;
mod refusals;
mod step;
mod wrapper_end;

pub use error::LaunchError;
pub use launch::Launch;
pub use launcher::Launcher;
pub use plain::Plain;
pub use plan::{Plan, Scratch};
pub use refusals::{FilteredCall, RefusalTable, Refusals, RefusedCall};
pub use step::{ChildStep, StepError};
pub use wrapper_end::{Ended, WrapperEnd};
