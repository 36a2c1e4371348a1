//! What can be written after `cofferdam profile`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::sandbox::GrantArgs;

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ProfileCommand {
    /// List the shipped profiles and your own
    List(ProfileListArgs),
    /// Show what a profile opens here, and which line of which file says so
    Show(ProfileShowArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cofferdam profile list
  cofferdam profile list --json")]
pub(in crate::cli) struct ProfileListArgs {
    /// Print JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cofferdam profile show workspace
  cofferdam profile show build net
  cofferdam profile show ./site.toml --cwd ~/src/app --deny ~/src/app/.env")]
pub(in crate::cli) struct ProfileShowArgs {
    /// Profiles, by name or by path (with a `/`); several are merged
    #[arg(value_name = "PROFILE", required = true)]
    pub(in crate::cli) names: Vec<String>,
    /// The workspace; the current directory without it
    #[arg(long, short = 'C', value_name = "DIR")]
    pub(in crate::cli) cwd: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) grants: GrantArgs,
    /// Print JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
