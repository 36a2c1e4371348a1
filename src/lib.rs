//! Run any command that a model asks for, inside an OS sandbox, and tell exactly what happened.
//!
//! A host gives a command as an argument vector; there is no shell anywhere. A **launcher** wraps it
//! in an OS sandbox, the runner spawns it, captures its output within bounds, ends it with its tree
//! when its time is over, and reports.
//!
//! # What is promised, and where the promise ends
//!
//! * A sandbox that cannot be built is a run that failed (exit −1, with the reason). There is no
//!   way from a launcher's failure to an unwrapped run.
//! * [`Outcome::sandbox`] comes from what a launcher did, never from a setting. What the policy asks
//!   for and this system cannot enforce is named in it.
//! * Nothing in a [`Request`] widens the policy: not its directory, not its arguments, not a file in
//!   the workspace.
//! * Without a launcher the gate is all there is, and a gate is no boundary: a program that is
//!   allowed can do whatever the host's user can.
//! * Without a pid namespace a daemon that a command leaves behind in a session of its own outlives
//!   the run; `processes` is then among the rules that are named as missing.
//! * The library is a guest in its host: it runs on the caller's tokio, builds no runtime (but for
//!   the length of a [`Runner::run_blocking`]), installs no signal handler and sets no process-wide
//!   state. It keeps a few threads that spawn, for as long as the process lives.
//!
//! # A confined run
//!
//! ```
//! use cofferdam::config::LauncherChoice;
//! use cofferdam::{Request, Runner, SettingsError};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let dir = dir.path();
//! let runner = Runner::builder()
//!     .allow_any()
//!     .workspace(dir)
//!     .sandbox(LauncherChoice::Auto) // under the profile `workspace`
//!     .build();
//! let runner = match runner {
//!     Ok(runner) => runner,
//!     // No launcher works here, and nothing was run.
//!     Err(SettingsError::NoLauncher { .. }) => return Ok(()),
//!     Err(other) => return Err(other.into()),
//! };
//!
//! let outcome = runner.run_blocking(Request::new("sh").args(["-c", "echo hi > in.txt"]))?;
//! assert_eq!(outcome.exit.number(), Some(0));
//! assert!(outcome.sandbox.is_some());
//!
//! // The system can be read, and not be written to.
//! let outcome = runner.run_blocking(Request::new("touch").args(["/etc/owned"]))?;
//! assert_ne!(outcome.exit.number(), Some(0));
//! # Ok(())
//! # }
//! ```
//!
//! # Map
//!
//! * [`Runner`], [`RunnerBuilder`]: the terms that all runs of a host share.
//! * [`Request`], [`Gate`], [`Guard`], [`Refusal`]: what a caller asks for, and whether it may;
//!   [`AllowList`] and [`Pattern`] say which names may run.
//! * [`Outcome`], [`Exit`], [`NotStarted`], [`Payload`]: what became of it.
//! * [`Evidence`], [`Denial`]: what the sandbox refused, told with a run that failed.
//! * [`Validator`], [`Proposal`]: the host's own word about single commands.
//! * [`Live`], [`Event`]: a run in progress. [`Jobs`]: runs that outlive the call that starts them.
//! * [`capture`]: the bounded buffers, usable alone.
//! * [`compress`]: output made shorter for models.
//! * [`config`]: settings as people write them, checked.
//! * [`launcher`]: the contract for launchers of one's own. [`profiles`]: the policy model.
#![cfg_attr(feature = "mcp", doc = "* [`serve_stdio`]: the MCP server.")]
#![cfg_attr(feature = "mcp", doc = "* [`ShellPack`]: its tools in a server of one's own.")]
#![cfg_attr(
    feature = "http",
    doc = "* [`HttpServer`]: the same over HTTP; [`HttpListener`]: for a server of one's own."
)]
#![deny(unsafe_code)]

mod allow_list;
mod audit;
mod begin;
mod builder;
pub mod capture;
mod captured;
mod cgroup;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod compress;
pub mod config;
#[cfg(feature = "mcp")]
mod consent;
mod environment;
mod evidence;
mod files;
mod from_settings;
mod gate;
mod git_identity;
mod guard;
mod jobs;
mod limit;
mod live;
mod outcome;
mod pattern;
mod payload;
mod pipeline;
mod protected;
mod quoted;
mod registry;
mod request;
mod resolve;
mod runner;
mod scratch;
#[cfg(feature = "mcp")]
mod server;
mod spawn;
mod start;
mod streams;
mod time_limit;
mod validator;
mod verdict;
mod watch;
mod wrapped;

/// The contract for launchers of one's own: the crate `cofferdam-launcher`.
pub use cofferdam_launcher as launcher;
/// The policy model and the shipped profiles: the crate `cofferdam-profiles`.
pub use cofferdam_profiles as profiles;
/// The protocol, for hosts that plug a [`ShellPack`] into a server of theirs: the crate `rmcp`.
#[cfg(feature = "mcp")]
pub use server::rmcp;

pub use allow_list::AllowList;
pub use audit::AuditError;
pub use builder::RunnerBuilder;
pub use config::SettingsError;
pub use evidence::{Denial, Evidence, Involved, Sure};
pub use files::FileProblem;
pub use gate::{Gate, Refusal};
pub use guard::{Guard, GuardRefusal, UnknownException};
pub use jobs::{
    Happening, JobEvent, JobLimits, JobRefusal, JobState, Jobs, Killed, Output, Poll, Started,
};
pub use limit::Limit;
pub use live::{Event, Live};
pub use outcome::{Exit, NotStarted, Outcome, Sandbox};
pub use pattern::{LONGEST_PATTERN, Pattern, PatternError};
pub use payload::{CompressedPayload, DroppedPayload, Payload, SandboxPayload};
pub use pipeline::StagePlace;
pub use request::Request;
pub use runner::Runner;
#[cfg(feature = "http")]
pub use server::{HttpAccess, HttpListener, HttpOptions, HttpServer, TokenFileError};
#[cfg(feature = "mcp")]
pub use server::{PackOptions, RunAnswer, ServeError, ShellPack, serve_stdio};
pub use validator::{Proposal, Validator};
