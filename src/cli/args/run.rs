//! What can be written after `cofferdam run` and `cofferdam explain`.

use std::time::Duration;

use clap::Args;

use super::sandbox::{CommandArgs, SandboxArgs};
use super::seconds::time;

#[derive(Debug, Args)]
#[command(after_help = "Everything after CMD belongs to the command, with or without `--`.

Where a standard stream is a terminal, the command gets a terminal of its own, never yours.
All other streams are passed on as they are. INT, TERM, HUP, QUIT, USR1 and USR2 are passed on
as well. When the command ends, what it left running in its process group is killed.

Exit code: the command's own; 128 + the signal that ended it; 124 when its time was up;
125 when Cofferdam failed; 126 when the command cannot be run; 127 when there is none;
2 when this command line makes no sense.

Examples:
  cofferdam run -- cargo test
  cofferdam run --profile read-only git log
  cofferdam run --net --write ~/data -- ./fetch.sh
  cofferdam run --timeout 60 --json -- make check
  cofferdam run -- --version            runs a program of that name")]
pub(in crate::cli) struct RunArgs {
    #[command(flatten)]
    pub(in crate::cli) sandbox: SandboxArgs,
    /// Kill the command after this many seconds (0.5 is half a second); never without it
    #[arg(long, value_name = "SECONDS", value_parser = time)]
    pub(in crate::cli) timeout: Option<Duration>,
    /// Capture the output, and print it with the exit code as one line of JSON. Stdin is passed on
    /// unless it is a terminal; then there is none
    #[arg(long, conflicts_with_all = ["tty", "no_tty"])]
    pub(in crate::cli) json: bool,
    /// Give the command a terminal of its own, even where no stream is one
    #[arg(long, conflicts_with = "no_tty")]
    pub(in crate::cli) tty: bool,
    /// Give the command pipes, even where a stream is a terminal
    #[arg(long)]
    pub(in crate::cli) no_tty: bool,
    #[command(flatten)]
    pub(in crate::cli) command: CommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Values of the environment are not shown, since they may be secrets.

Examples:
  cofferdam explain -- cargo test
  cofferdam explain --launcher bubblewrap --profile read-only -- git log")]
pub(in crate::cli) struct ExplainArgs {
    #[command(flatten)]
    pub(in crate::cli) sandbox: SandboxArgs,
    /// Print JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
    #[command(flatten)]
    pub(in crate::cli) command: CommandArgs,
}
