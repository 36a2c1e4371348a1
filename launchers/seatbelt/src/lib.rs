//! The seatbelt launcher: runs commands under `sandbox-exec`, the sandbox that every macOS has.
//!
//! What it promises: the command reads, executes and writes the policy's paths and nothing else; what
//! a policy denies or protects below a grant stays so, and cannot be moved away; no network while that
//! is off, names included; no Unix socket, Mach service, terminal or process of the host that the
//! policy does not open; nothing is started outside by launchd, Launch Services or Apple events.
//!
//! Where the promise ends: macOS has no namespaces. A daemon outlives its run, there is no loopback of
//! the run's own, and a profile that can do without `ipc` shares POSIX semaphores and shared memory
//! with the user's other programs. [`Launcher::missing`] names all that; the README has the tables.
//! None of it has been run on a Mac yet: the text is generated and tested everywhere, the
//! rest is checked for types only.
//!
//! Paths never stand in the text of a profile. They are parameters (`-D`), so that no file name can
//! change what a profile says.
//!
//! ```no_run
//! use std::sync::Arc;
//! use cofferdam_launcher::{LaunchError, Launcher, Plan};
//! use cofferdam_seatbelt::Seatbelt;
//! # fn example(policy: cofferdam_profiles::Policy) -> Result<(), LaunchError> {
//! let launcher = Seatbelt::new(Arc::new(policy));
//! launcher.check()?;
//! let launch = launcher.wrap(&Plan::new("make", "/usr/bin/make", "/Users/ann/app"))?;
//! assert!(launch.is_sandboxed());
//! # Ok(())
//! # }
//! ```
//!
//! # Map
//!
//! * [`Seatbelt`]: the launcher. It has no options.
//! * `profile`: pure, from the policy to the whole text; its parts are `files` (of the `places` of
//!   a run), `devices`, `network`, `system`, and the tables `services` (Mach) and `facts` (sysctl).
//! * `expression`, `parameters`: the profile language, and the paths that are kept out of it.
//! * `gaps`: what the policy asks for and macOS cannot do.
//! * `inside`, `format`: whether a run's program and directory can be used, before it starts.
//! * `trial`, `blame`: the check, and how a sandbox that failed is told from a command that ran.
//!
//! [`Launcher::missing`]: cofferdam_launcher::Launcher::missing

#![forbid(unsafe_code)]

mod blame;
mod devices;
mod expression;
mod facts;
mod files;
mod format;
mod gaps;
mod inside;
mod network;
mod parameters;
mod places;
mod profile;
mod seatbelt;
mod services;
mod system;
mod trial;

#[cfg(test)]
mod tests;

pub use seatbelt::Seatbelt;

/// The launcher's name in configurations and messages.
pub const NAME: &str = "seatbelt";
