//! What can be written after `cofferdam check`, and after the hidden `cofferdam probe`.

#[cfg(target_os = "linux")]
use std::ffi::OsString;

use clap::Args;

use super::sandbox::PolicyArgs;

#[derive(Debug, Args)]
#[command(
    after_help = "Exit code: 0 when `--launcher auto` finds a launcher for this profile, else 1.
With --prove: 0 when no promise was broken, else 1.

`--prove` tries to break what a sandbox promises, one promise at a time: first without a sandbox, to
see that the attack works here, then in one. It makes folders, sockets and processes of its own, and
touches nothing else.

Examples:
  cofferdam check
  cofferdam check --profile strict
  cofferdam check --json
  cofferdam check --prove
  cofferdam check --prove --launcher bubblewrap --profile build"
)]
pub(in crate::cli) struct CheckArgs {
    #[command(flatten)]
    pub(in crate::cli) policy: PolicyArgs,
    /// Try on this machine whether a launcher keeps what it promises
    #[cfg(target_os = "linux")]
    #[arg(long, conflicts_with = "cwd")]
    pub(in crate::cli) prove: bool,
    /// Which launcher to prove; `auto` without it
    #[cfg(target_os = "linux")]
    #[arg(long, short, value_name = "NAME", requires = "prove")]
    pub(in crate::cli) launcher: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// A word for the probe, and what it needs.
#[cfg(target_os = "linux")]
#[derive(Debug, Args)]
pub(in crate::cli) struct ProbeArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(in crate::cli) words: Vec<OsString>,
}
