//! What can be written to have the command line itself described.

use clap::Args;
use clap_complete::Shell;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cofferdam completions bash > ~/.local/share/bash-completion/completions/cofferdam
  cofferdam completions zsh > ~/.zfunc/_cofferdam
  cofferdam completions fish > ~/.config/fish/completions/cofferdam.fish")]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    pub(in crate::cli) shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cofferdam man | man -l -
  cofferdam man run > cofferdam-run.1")]
pub(in crate::cli) struct ManArgs {
    /// The command to describe; without it, the program as a whole
    pub(in crate::cli) command: Option<String>,
}
