//! The bubblewrap launcher: runs commands in namespaces, with a view of the files built from nothing.
//!
//! What it promises: the command sees the policy's paths and nothing else of the host's files, and
//! writes where a `write` rule says; it has processes, IPC objects, terminals and, while the network
//! is off, a network of its own; it has no capability and gains none; and it reaches only the system
//! calls of [`cofferdam_filter`]. It works for root and for ordinary users.
//!
//! Where the promise ends: resource limits are not set, a socket or named pipe in a readable folder
//! can be used, and a kernel bug is a way out. The README has the table.
//!
//! A command that ran is told from a sandbox that failed by bubblewrap's own exit record
//! (`--json-status-fd`), never by an exit code or by words: see [`Launcher::blame`].
//!
//! ```no_run
//! use std::sync::Arc;
//! use cofferdam_bubblewrap::{Bubblewrap, Options};
//! use cofferdam_launcher::{LaunchError, Launcher, Plan};
//! # fn example(policy: cofferdam_profiles::Policy) -> Result<(), LaunchError> {
//! let path = std::env::var_os("PATH").unwrap_or_default();
//! let launcher = Bubblewrap::new(Options::default(), Arc::new(policy), &path)?;
//! launcher.check()?;
//! let launch = launcher.wrap(&Plan::new("make", "/usr/bin/make", "/srv/app"))?;
//! assert!(launch.is_sandboxed());
//! # Ok(())
//! # }
//! ```
//!
//! # Map
//!
//! * [`Bubblewrap`]: the launcher; [`Options`]: its options.
//! * `program`, `features`: which bubblewrap, and what it can do.
//! * [`cofferdam_view`], `gaps`: pure, from the policy to what a run sees; once.
//! * `scene`, `source`, `inside`: what is really there when a run starts; for every run.
//! * `mount`, `args`: pure, from that to bubblewrap's options.
//! * `status`, `blame`, `cause`: how it ended, and what would help.
//! * `trial`, `probe`: the check.
//!
//! [`Launcher::blame`]: cofferdam_launcher::Launcher::blame

#![forbid(unsafe_code)]

mod args;
mod blame;
mod bubblewrap;
mod cause;
mod explain;
mod features;
mod gaps;
mod inside;
mod memory;
mod mount;
mod options;
mod probe;
mod program;
mod scene;
mod source;
mod status;
mod trial;

pub use bubblewrap::Bubblewrap;
pub use options::Options;

/// The launcher's name in configurations and messages.
pub const NAME: &str = "bubblewrap";
