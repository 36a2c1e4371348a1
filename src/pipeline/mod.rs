//! Several programs at once, each one's standard output the standard input of the next.
//!
//! A single command is a pipeline of one stage: every step of a run (gate, launcher, spawn, watch) does
//! for each stage what it does for a command, and there is one path. The bytes between stages go
//! through pipes of the kernel; the host never sees them.
//!
//! * [`stage`]: one program and its arguments, and its place among the others.
//! * [`connect`]: the pipes between stages.

mod connect;
mod stage;

pub(crate) use connect::connect;
pub(crate) use stage::Stage;
pub use stage::StagePlace;

/// The most stages of one pipeline. People write three or four; each costs a process and, under a
/// launcher, a sandbox of its own.
pub(crate) const MOST_STAGES: usize = 16;
