//! What can be written after `cofferdam audit`.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;

use crate::cli::audit::since;

#[derive(Debug, Args)]
#[command(after_help = "A server records with the setting `audit`, or with `serve --audit FILE`.

Examples:
  cofferdam audit ~/audit.jsonl
  cofferdam audit ~/audit.jsonl --refused --since 2h
  cofferdam audit ~/audit.jsonl --json --since 2026-11-30T12:00:00Z | jq .args")]
pub(in crate::cli) struct AuditArgs {
    /// The audit file
    #[arg(value_name = "FILE")]
    pub(in crate::cli) file: PathBuf,
    /// Only what was refused
    #[arg(long)]
    pub(in crate::cli) refused: bool,
    /// Only what was recorded since this time, or within this time: 2026-11-30T12:00:00Z, 2h, 1day
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(in crate::cli) since: Option<SystemTime>,
    /// Print the records as they are, a line of JSON for each
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
