//! What can be written on the command line. The comments are the help texts.

mod import;
mod reference;

use std::ffi::OsString;
#[cfg(feature = "http")]
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Args, Parser, Subcommand};

use super::audit::since;
use crate::config::seconds;
pub(super) use import::{ImportCommand, SchemaCommand};
pub(super) use reference::{CompletionsArgs, ManArgs};

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
    Serve(ServeArgs),
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
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) sandbox: SandboxArgs,
    /// Kill the command after this many seconds (0.5 is half a second); never without it
    #[arg(long, value_name = "SECONDS", value_parser = time)]
    pub(super) timeout: Option<Duration>,
    /// Capture the output, and print it with the exit code as one line of JSON. Stdin is passed on
    /// unless it is a terminal; then there is none
    #[arg(long, conflicts_with_all = ["tty", "no_tty"])]
    pub(super) json: bool,
    /// Give the command a terminal of its own, even where no stream is one
    #[arg(long, conflicts_with = "no_tty")]
    pub(super) tty: bool,
    /// Give the command pipes, even where a stream is a terminal
    #[arg(long)]
    pub(super) no_tty: bool,
    #[command(flatten)]
    pub(super) command: CommandArgs,
}

/// The command to run.
#[derive(Debug, Args)]
pub(super) struct CommandArgs {
    /// The program and its arguments, as they are: no shell reads them
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true)]
    command: Vec<OsString>,
}

impl CommandArgs {
    /// The program, and its arguments.
    pub(super) fn split(self) -> (OsString, Vec<OsString>) {
        let mut words = self.command.into_iter();
        let program = words.next().unwrap_or_default();
        (program, words.collect())
    }
}

/// What confines the command.
#[derive(Debug, Args)]
pub(super) struct SandboxArgs {
    /// What builds the sandbox: auto, landlock, bubblewrap, none, or the JSON of a configuration's
    /// `launcher`
    #[arg(long, short, value_name = "NAME", default_value = "auto")]
    pub(super) launcher: String,
    #[command(flatten)]
    pub(super) policy: PolicyArgs,
}

/// What the sandbox opens.
#[derive(Debug, Args)]
pub(super) struct PolicyArgs {
    /// What the sandbox opens: a profile's name, or the path of a file (with a `/`). Several are
    /// merged. `workspace` without it
    #[arg(long, short, value_name = "PROFILE")]
    pub(super) profile: Vec<String>,
    /// The workspace, in which the command starts; the current directory without it
    #[arg(long, short = 'C', value_name = "DIR")]
    pub(super) cwd: Option<PathBuf>,
    #[command(flatten)]
    pub(super) grants: GrantArgs,
}

/// The heading of [`GrantArgs`] in the help.
const BEYOND: &str = "Beyond the profile";

/// Grants beyond the profile.
#[derive(Debug, Args)]
pub(super) struct GrantArgs {
    /// Open a file or a directory tree for reading
    #[arg(long, help_heading = BEYOND, value_name = "PATH")]
    pub(super) read: Vec<PathBuf>,
    /// Open a file or a directory tree for reading and writing
    #[arg(long, help_heading = BEYOND, value_name = "PATH")]
    pub(super) write: Vec<PathBuf>,
    /// Hide a file or a directory tree
    #[arg(long, help_heading = BEYOND, value_name = "PATH")]
    pub(super) deny: Vec<PathBuf>,
    /// Open the network
    #[arg(long, help_heading = BEYOND)]
    pub(super) net: bool,
    /// Pass a variable on, or set it
    #[arg(long, help_heading = BEYOND, value_name = "NAME[=VALUE]")]
    pub(super) env: Vec<String>,
    /// Open a Unix socket
    #[arg(long, help_heading = BEYOND, value_name = "PATH")]
    pub(super) socket: Vec<PathBuf>,
}

#[cfg(feature = "mcp")]
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cofferdam serve --config tools.json
  cofferdam serve --allow git --allow rg --launcher auto
  cofferdam serve --allow-any --launcher auto --profile build
  cofferdam serve --config tools.json --http 127.0.0.1:8000
  cofferdam serve --tool 'Shell#git={\"allow\": [\"git\"], \"launcher\": \"auto\", \"prefix\": \"git\"}'")]
pub(super) struct ServeArgs {
    /// Read the whole configuration from a file: JSON, or TOML when its name ends in .toml
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "tool", "allow", "allow_pattern", "allow_any", "launcher", "timeout", "audit",
        "audit_required", "profile", "cwd", "read", "write", "deny", "net", "env", "socket",
    ])]
    pub(super) config: Option<PathBuf>,
    /// One tool instance: its key and the JSON of its settings. May be repeated
    #[arg(long, value_name = "KEY={...}")]
    pub(super) tool: Vec<String>,
    /// Allow this program, by exactly this name. May be repeated
    #[arg(long, value_name = "PROGRAM")]
    pub(super) allow: Vec<String>,
    /// Allow every program whose whole name fits this regular expression. May be repeated
    #[arg(long, value_name = "REGEX")]
    pub(super) allow_pattern: Vec<String>,
    /// Allow every program
    #[arg(long, conflicts_with_all = ["allow", "allow_pattern"])]
    pub(super) allow_any: bool,
    /// What builds the sandbox: auto, landlock, bubblewrap, none, or JSON. None without it
    #[arg(long, short, value_name = "NAME")]
    pub(super) launcher: Option<String>,
    /// How long a call may take where it says nothing, in seconds; 30 without it
    #[arg(long, value_name = "SECONDS", value_parser = number_of_seconds)]
    pub(super) timeout: Option<f64>,
    /// Record what becomes of each call: in a file (a path with a `/`), or on stderr. Twice for both
    #[arg(long, value_name = "FILE|stderr")]
    pub(super) audit: Vec<String>,
    /// Run nothing that cannot be recorded in that file
    #[arg(long, requires = "audit")]
    pub(super) audit_required: bool,
    #[cfg(feature = "http")]
    #[command(flatten)]
    pub(super) http: HttpArgs,
    #[command(flatten)]
    pub(super) policy: PolicyArgs,
}

/// The server over HTTP.
#[cfg(feature = "http")]
#[derive(Debug, Args)]
pub(super) struct HttpArgs {
    /// Serve over HTTP instead, at this address and the path /mcp. Port 0 takes a free port; which
    /// one it is, and the file with the token that clients must show, is told on stderr
    #[arg(long, value_name = "ADDR:PORT", value_parser = address)]
    pub(super) http: Option<SocketAddr>,
    /// The file that holds the token, for you alone to read; without it a new one is made
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(super) token_file: Option<PathBuf>,
    /// Let every user and every program of this machine in. Only on a loopback address
    #[arg(long, requires = "http", conflicts_with = "token_file")]
    pub(super) no_auth: bool,
}

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
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) policy: PolicyArgs,
    /// Try on this machine whether a launcher keeps what it promises
    #[cfg(target_os = "linux")]
    #[arg(long, conflicts_with = "cwd")]
    pub(super) prove: bool,
    /// Which launcher to prove; `auto` without it
    #[cfg(target_os = "linux")]
    #[arg(long, short, value_name = "NAME", requires = "prove")]
    pub(super) launcher: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// A word for the probe, and what it needs.
#[cfg(target_os = "linux")]
#[derive(Debug, Args)]
pub(super) struct ProbeArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) words: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(after_help = "Values of the environment are not shown, since they may be secrets.

Examples:
  cofferdam explain -- cargo test
  cofferdam explain --launcher bubblewrap --profile read-only -- git log")]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    pub(super) sandbox: SandboxArgs,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) command: CommandArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "A server records with the setting `audit`, or with `serve --audit FILE`.

Examples:
  cofferdam audit ~/audit.jsonl
  cofferdam audit ~/audit.jsonl --refused --since 2h
  cofferdam audit ~/audit.jsonl --json --since 2026-11-30T12:00:00Z | jq .args")]
pub(super) struct AuditArgs {
    /// The audit file
    #[arg(value_name = "FILE")]
    pub(super) file: PathBuf,
    /// Only what was refused
    #[arg(long)]
    pub(super) refused: bool,
    /// Only what was recorded since this time, or within this time: 2026-11-30T12:00:00Z, 2h, 1day
    #[arg(long, value_name = "TIME", value_parser = since)]
    pub(super) since: Option<SystemTime>,
    /// Print the records as they are, a line of JSON for each
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum ProfileCommand {
    /// List the shipped profiles and your own
    List(ProfileListArgs),
    /// Show what a profile opens here, and which line of which file says so
    Show(ProfileShowArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cofferdam profile list
  cofferdam profile list --json")]
pub(super) struct ProfileListArgs {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  cofferdam profile show workspace
  cofferdam profile show build net
  cofferdam profile show ./site.toml --cwd ~/src/app --deny ~/src/app/.env")]
pub(super) struct ProfileShowArgs {
    /// Profiles, by name or by path (with a `/`); several are merged
    #[arg(value_name = "PROFILE", required = true)]
    pub(super) names: Vec<String>,
    /// The workspace; the current directory without it
    #[arg(long, short = 'C', value_name = "DIR")]
    pub(super) cwd: Option<PathBuf>,
    #[command(flatten)]
    pub(super) grants: GrantArgs,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// An address and a port. `localhost` is the address that it stands for on every machine.
#[cfg(feature = "http")]
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let text = text
        .strip_prefix("localhost:")
        .map_or(text.to_owned(), |port| format!("{}:{port}", Ipv4Addr::LOCALHOST));
    text.parse().map_err(|_| "give an address and a port, such as 127.0.0.1:8000")
}

const SECONDS: &str = "give a number of seconds greater than 0, such as 30 or 0.5";

fn number_of_seconds(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|number| seconds(*number).is_some()).ok_or(SECONDS)
}

fn time(text: &str) -> Result<Duration, &'static str> {
    number_of_seconds(text).and_then(|number| seconds(number).ok_or(SECONDS))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use clap::error::ErrorKind;

    use super::*;

    fn parse(words: &[&str]) -> Result<Command, ErrorKind> {
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

    #[cfg(feature = "mcp")]
    #[test]
    fn a_configuration_file_has_all_settings_of_the_tools() {
        for line in [
            vec!["serve", "--config", "f", "--tool", "Shell={}"],
            vec!["serve", "--config", "f", "--allow", "git"],
            vec!["serve", "--config", "f", "--allow-pattern", "g.*"],
            vec!["serve", "--config", "f", "--allow-any"],
            vec!["serve", "--config", "f", "--launcher", "auto"],
            vec!["serve", "--config", "f", "--timeout", "1"],
            vec!["serve", "--config", "f", "--profile", "build"],
            vec!["serve", "--config", "f", "--cwd", "d"],
            vec!["serve", "--config", "f", "--read", "p"],
            vec!["serve", "--config", "f", "--write", "p"],
            vec!["serve", "--config", "f", "--deny", "p"],
            vec!["serve", "--config", "f", "--net"],
            vec!["serve", "--config", "f", "--env", "X"],
            vec!["serve", "--config", "f", "--socket", "s"],
            vec!["serve", "--allow", "git", "--allow-any"],
        ] {
            assert_eq!(parse(&line).unwrap_err(), ErrorKind::ArgumentConflict, "{line:?}");
        }
    }

    #[cfg(feature = "http")]
    fn http(words: &[&str]) -> Result<HttpArgs, ErrorKind> {
        match parse(&[&["serve", "--config", "f"], words].concat())? {
            Command::Serve(args) => Ok(args.http),
            other => panic!("{other:?}"),
        }
    }

    #[cfg(feature = "http")]
    #[test]
    fn an_address_has_a_port() {
        for (text, address) in [
            ("127.0.0.1:8000", "127.0.0.1:8000"),
            ("localhost:0", "127.0.0.1:0"),
            ("[::1]:80", "[::1]:80"),
            ("0.0.0.0:1", "0.0.0.0:1"),
        ] {
            assert_eq!(http(&["--http", text]).unwrap().http, Some(address.parse().unwrap()));
        }
        for wrong in ["8000", "127.0.0.1", "localhost", "example.org:80", "::1:80", ""] {
            assert_eq!(
                http(&["--http", wrong]).unwrap_err(),
                ErrorKind::ValueValidation,
                "{wrong}"
            );
        }
    }

    #[cfg(feature = "http")]
    #[test]
    fn only_a_server_over_http_has_a_token() {
        let missing = ErrorKind::MissingRequiredArgument;
        assert_eq!(http(&["--token-file", "t"]).unwrap_err(), missing);
        assert_eq!(http(&["--no-auth"]).unwrap_err(), missing);
        let both = http(&["--http", "localhost:0", "--token-file", "t", "--no-auth"]);
        assert_eq!(both.unwrap_err(), ErrorKind::ArgumentConflict);
    }
}
