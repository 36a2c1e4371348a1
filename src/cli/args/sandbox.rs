//! What can be written of a sandbox and of the command in it: most commands take this.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// The command to run.
#[derive(Debug, Args)]
pub(in crate::cli) struct CommandArgs {
    /// The program and its arguments, as they are: no shell reads them
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true)]
    pub(in crate::cli::args) command: Vec<OsString>,
}

impl CommandArgs {
    /// The program, and its arguments.
    pub(in crate::cli) fn split(self) -> (OsString, Vec<OsString>) {
        let mut words = self.command.into_iter();
        let program = words.next().unwrap_or_default();
        (program, words.collect())
    }
}

/// What confines the command.
#[derive(Debug, Args)]
pub(in crate::cli) struct SandboxArgs {
    /// What builds the sandbox: auto, landlock, bubblewrap, none, or the JSON of a configuration's
    /// `launcher`
    #[arg(long, short, value_name = "NAME", default_value = "auto")]
    pub(in crate::cli) launcher: String,
    #[command(flatten)]
    pub(in crate::cli) policy: PolicyArgs,
}

/// What the sandbox opens.
#[derive(Debug, Args)]
pub(in crate::cli) struct PolicyArgs {
    /// What the sandbox opens: a profile's name, or the path of a file (with a `/`). Several are
    /// merged. `workspace` without it
    #[arg(long, short, value_name = "PROFILE")]
    pub(in crate::cli) profile: Vec<String>,
    /// The workspace, in which the command starts; the current directory without it
    #[arg(long, short = 'C', value_name = "DIR")]
    pub(in crate::cli) cwd: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) grants: GrantArgs,
}

/// The heading of [`GrantArgs`] in the help.
const BEYOND: &str = "Beyond the profile";

/// Grants beyond the profile.
#[derive(Debug, Args)]
pub(in crate::cli) struct GrantArgs {
    /// Open a file or a directory tree for reading
    #[arg(long, help_heading = BEYOND, value_name = "PATH")]
    pub(in crate::cli) read: Vec<PathBuf>,
    /// Open a file or a directory tree for reading and writing
    #[arg(long, help_heading = BEYOND, value_name = "PATH")]
    pub(in crate::cli) write: Vec<PathBuf>,
    /// Hide a file or a directory tree
    #[arg(long, help_heading = BEYOND, value_name = "PATH")]
    pub(in crate::cli) deny: Vec<PathBuf>,
    /// Open the network
    #[arg(long, help_heading = BEYOND)]
    pub(in crate::cli) net: bool,
    /// Pass a variable on, or set it
    #[arg(long, help_heading = BEYOND, value_name = "NAME[=VALUE]")]
    pub(in crate::cli) env: Vec<String>,
    /// Open a Unix socket
    #[arg(long, help_heading = BEYOND, value_name = "PATH")]
    pub(in crate::cli) socket: Vec<PathBuf>,
}
