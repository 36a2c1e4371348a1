//! What can be written after `cofferdam why`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::sandbox::SandboxArgs;

#[derive(Debug, Args)]
#[command(
    override_usage = "cofferdam why [OPTIONS] WHAT TARGET\n       cofferdam why [OPTIONS] -- CMD...",
    after_help = "The answer names the rule that decides, where it stands, the smallest change that would
allow it, what that opens, and which launchers can enforce it here. With a command, that is run in the
sandbox, and what was refused is explained.

Exit code: 0 when it is allowed, 1 when it is refused; of a command its own, as with `run`.
125 when Cofferdam failed; 2 when this command line makes no sense.

Examples:
  cofferdam why write /etc/hosts
  cofferdam why read ~/.ssh/id_rsa
  cofferdam why connect example.org:443
  cofferdam why --profile strict connect /run/docker.sock
  cofferdam why env AWS_SECRET_ACCESS_KEY
  cofferdam why syscall mount
  cofferdam why -- git push"
)]
pub(in crate::cli) struct WhyArgs {
    #[command(flatten)]
    pub(in crate::cli) sandbox: SandboxArgs,
    /// Print JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// What is asked about
    #[arg(value_name = "WHAT", required_unless_present = "command")]
    pub(in crate::cli) what: Option<What>,
    /// A path; HOST:PORT or the path of a socket; a port; the name of a variable or of a system call
    #[arg(value_name = "TARGET", requires = "what", required_unless_present_any = ["command"])]
    pub(in crate::cli) target: Option<OsString>,
    /// A program and its arguments, to run it and explain what was refused
    #[arg(value_name = "CMD", last = true, conflicts_with_all = ["what", "target"])]
    pub(in crate::cli) command: Vec<OsString>,
}

/// What can be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum What {
    /// Read a file, or list a directory
    Read,
    /// Make, change or remove something
    Write,
    /// Execute a program
    Exec,
    /// Reach a host, or a Unix socket
    Connect,
    /// Listen on a port
    Bind,
    /// Know a variable
    Env,
    /// Make a system call
    Syscall,
}
