//! What can be written on the command line, one file for what belongs together. The comments are the
//! help texts.

mod audit;
mod check;
mod import;
#[cfg(feature = "mcp")]
mod init;
mod profile;
mod reference;
mod run;
mod sandbox;
mod seconds;
#[cfg(feature = "mcp")]
mod serve;
mod why;

use clap::{Parser, Subcommand};

pub(super) use audit::AuditArgs;
pub(super) use check::CheckArgs;
#[cfg(target_os = "linux")]
pub(super) use check::ProbeArgs;
pub(super) use import::{ImportCommand, SchemaCommand};
#[cfg(feature = "mcp")]
pub(super) use init::{ClientName, InitArgs};
pub(super) use profile::{ProfileCommand, ProfileListArgs, ProfileShowArgs};
pub(super) use reference::{CompletionsArgs, ManArgs};
pub(super) use run::{ExplainArgs, RunArgs};
pub(super) use sandbox::{GrantArgs, PolicyArgs, SandboxArgs};
#[cfg(feature = "http")]
pub(super) use serve::HttpArgs;
#[cfg(feature = "mcp")]
pub(super) use serve::ServeArgs;
pub(super) use why::{What, WhyArgs};

/// Run any command inside an OS sandbox, and tell exactly what happened.
#[derive(Debug, Parser)]
#[command(
    name = "cofferdam",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = "Examples:
  cofferdam run -- cargo test           confined to this directory, without network
  cofferdam run --net -- npm install    the same, with network
  cofferdam serve --allow git           an MCP server on stdin and stdout
  cofferdam init claude --write         that server for Claude Code, in this project
  cofferdam check                       what works on this machine, and why not"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run one command in a sandbox.
    Run(RunArgs),
    /// Offer commands to a model, as an MCP server on stdin and stdout, or over HTTP.
    #[cfg(feature = "mcp")]
    Serve(Box<ServeArgs>),
    /// Register this program as a server of Claude Code, Codex, Cursor or VS Code, after a trial.
    #[cfg(feature = "mcp")]
    Init(InitArgs),
    /// Tell which launchers work here, why the others do not, and what would help.
    Check(CheckArgs),
    /// What `check --prove` runs inside a sandbox.
    #[cfg(target_os = "linux")]
    #[command(hide = true)]
    Probe(ProbeArgs),
    /// Show what a server has recorded in its audit file.
    Audit(AuditArgs),
    /// Tell what `run` would do, without running anything.
    Explain(ExplainArgs),
    /// Tell why something is refused or allowed, and what would change that.
    Why(WhyArgs),
    /// List the profiles, or show what they open.
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Print the configuration that the settings of another server come to.
    #[command(subcommand)]
    Import(ImportCommand),
    /// Print the JSON Schema of a file, for editors.
    #[command(subcommand)]
    Schema(SchemaCommand),
    /// Print a script with which a shell completes command lines of this program.
    Completions(CompletionsArgs),
    /// Print a manual page, for `man -l -`.
    Man(ManArgs),
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::PathBuf;
    use std::time::Duration;

    use clap::CommandFactory;
    use clap::error::ErrorKind;

    use super::*;

    pub(super) fn parse(words: &[&str]) -> Result<Command, ErrorKind> {
        let words = ["cofferdam"].iter().chain(words);
        Arguments::try_parse_from(words).map(|args| args.command).map_err(|error| error.kind())
    }

    fn run(words: &[&str]) -> RunArgs {
        match parse(words) {
            Ok(Command::Run(args)) => args,
            other => panic!("{other:?}"),
        }
    }

    fn command(words: &[&str]) -> Vec<OsString> {
        run(words).command.command
    }

    #[test]
    fn the_definitions_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn options_after_the_command_are_the_commands() {
        let words = ["git", "--json", "-C", "x", "--", "--help", "--timeout"];
        for line in [vec!["run"], vec!["run", "--"], vec!["run", "--net", "--"]] {
            let line: Vec<_> = line.into_iter().chain(words).collect();
            assert_eq!(command(&line), words);
            assert!(!run(&line).json);
        }
    }

    #[test]
    fn after_two_dashes_anything_is_a_program() {
        assert_eq!(command(&["run", "--", "--version"]), ["--version"]);
        assert_eq!(command(&["run", "--", "--", "x"]), ["--", "x"]);
        assert_eq!(command(&["run", "--", "-"]), ["-"]);
    }

    #[test]
    fn an_unknown_option_is_not_taken_for_a_program() {
        assert_eq!(parse(&["run", "--jsn", "git"]).unwrap_err(), ErrorKind::UnknownArgument);
        assert_eq!(parse(&["run", "-x"]).unwrap_err(), ErrorKind::UnknownArgument);
    }

    #[test]
    fn a_command_is_required() {
        for line in [vec!["run"], vec!["run", "--"], vec!["explain"], vec!["profile", "show"]] {
            assert_eq!(parse(&line).unwrap_err(), ErrorKind::MissingRequiredArgument);
        }
        let kind = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        assert_eq!(parse(&[]).unwrap_err(), kind);
    }

    #[test]
    fn grants_and_profiles_may_be_repeated() {
        let args = run(&["run", "-p", "build", "-p", "net", "--read", "/a", "--read", "b", "x"]);
        assert_eq!(args.sandbox.policy.profile, ["build", "net"]);
        assert_eq!(args.sandbox.policy.grants.read, [PathBuf::from("/a"), PathBuf::from("b")]);
        assert_eq!(args.sandbox.launcher, "auto");
    }

    #[test]
    fn a_time_is_positive() {
        assert_eq!(
            run(&["run", "--timeout", "0.5", "x"]).timeout,
            Some(Duration::from_millis(500))
        );
        for wrong in ["0", "-1", "nan", "soon", ""] {
            let line = ["run", &format!("--timeout={wrong}"), "x"];
            assert_eq!(parse(&line).unwrap_err(), ErrorKind::ValueValidation, "{wrong}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for line in [
            vec!["run", "--tty", "--no-tty", "x"],
            vec!["run", "--json", "--tty", "x"],
            vec!["run", "--json", "--no-tty", "x"],
        ] {
            assert_eq!(parse(&line).unwrap_err(), ErrorKind::ArgumentConflict, "{line:?}");
        }
    }
}
