//! The launcher that wraps commands in a program of the operator's choice.
//!
//! A wrapper is a list of words in the configuration: `firejail --quiet -- {command} {args}`. The
//! list is checked once, when the launcher is built; a run only fills in the command. Nothing passes
//! through a shell: one element of the list is one argument.
//!
//! ```
//! use cofferdam_command::{Command, Spec};
//! use cofferdam_launcher::{Launcher, Plan};
//!
//! let spec = Spec {
//!     command: ["env", "TZ=UTC", "{command}", "{args}"].map(String::from).to_vec(),
//!     sandboxed: false,
//! };
//! let launcher = Command::new(spec, "/usr/bin:/bin".as_ref())?;
//! let launch = launcher.wrap(&Plan::new("date", "/usr/bin/date", "/").with_args(["+%H:%M"]))?;
//! assert_eq!(launch.argv()[1..], ["TZ=UTC", "/usr/bin/date", "+%H:%M"]);
//! # Ok::<(), cofferdam_launcher::LaunchError>(())
//! ```
//!
//! # Where the promise ends
//!
//! * The wrapper's own failure cannot be told from the command's: `blame` never guesses from an exit
//!   code or from words on stderr, so a wrapper that fails is reported as a command that failed.
//! * [`Spec::sandboxed`] is the operator's word. Nothing here checks what the wrapper does.
//!
//! # Map
//!
//! * [`Spec`]: what the operator wrote. [`SpecError`]: what is wrong with it.
//! * [`Command`]: the launcher. [`Stacked`]: the same, outside of another launcher.

#![forbid(unsafe_code)]

mod command;
mod program;
mod spec;
mod stacked;
mod template;

pub use command::Command;
pub use spec::{Spec, SpecError};
pub use stacked::Stacked;
