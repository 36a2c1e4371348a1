//! The program `cofferdam`: its command line, and what a person at a terminal needs beyond the
//! library.
//!
//! * `args` is what can be written; `terms` is what that asks of a runner.
//! * `run`, `serve`, `init`, `check`, `explain`, `why`, `profile`, `audit`, `import` and `schema` are
//!   the commands.
//! * Of `run`: `connect` decides where the command's streams lead, and makes a `connection` of what
//!   has to be done for that: a `relay` carries bytes, `terminal` is the person's and `pty` the
//!   command's own. `watch` waits for the end; it reads `events`, `signals` and the wrapper's
//!   `status`.
//! * Of `serve`: `log` writes what the library tells. `audit` shows what a server has recorded.
//! * Of `check`: `facts` about the system; `userns` tries what no file tells. `prove` tries what a
//!   launcher promises, with the probe that is the hidden command `probe`; `proof` is what it found.
//! * Of `why`: `question` is what is asked and `answer` what is told; `launchers` finds who can enforce
//!   it, `command` runs a command and asks about what it missed.
//! * `exit`, `report`, `style` and `table` are what the caller is told, as a number and in words.

mod args;
mod audit;
mod check;
mod connect;
mod connection;
mod events;
mod exit;
mod explain;
mod facts;
mod import;
#[cfg(feature = "mcp")]
mod init;
#[cfg(feature = "mcp")]
mod log;
mod profile;
#[cfg(target_os = "linux")]
mod proof;
#[cfg(target_os = "linux")]
mod prove;
mod pty;
mod reference;
mod relay;
mod report;
mod run;
mod schema;
#[cfg(feature = "mcp")]
mod serve;
mod signals;
mod status;
mod style;
mod table;
mod terminal;
mod terms;
#[cfg(target_os = "linux")]
mod userns;
mod watch;
mod why;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command, ProfileCommand};
use report::Failure;

use crate::cgroup;

/// The whole program. Returns what the process exits with; see `cofferdam run --help` for the table.
pub fn main() -> ExitCode {
    match Arguments::try_parse() {
        Ok(arguments) => dispatch(arguments.command),
        Err(error) => {
            // A closed stdout or stderr is no reason for a second complaint.
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(exit::USAGE).into()
        }
    }
}

fn dispatch(command: Command) -> ExitCode {
    cgroup::move_when_needed();
    let (done, failed) = match command {
        Command::Run(args) => (run::run(args), exit::COFFERDAM_FAILED),
        #[cfg(feature = "mcp")]
        Command::Serve(args) => (serve::serve(*args), exit::FAILURE),
        #[cfg(target_os = "linux")]
        Command::Probe(args) => return cofferdam_battery::probe::main(&args.words),
        #[cfg(target_os = "linux")]
        Command::Check(args) if args.prove => (prove::prove(&args), exit::FAILURE),
        Command::Check(args) => (check::check(args), exit::FAILURE),
        Command::Audit(args) => (audit::audit(args), exit::FAILURE),
        Command::Explain(args) => (explain::explain(args), exit::FAILURE),
        Command::Why(args) => (why::why(args), exit::COFFERDAM_FAILED),
        Command::Profile(ProfileCommand::List(args)) => (profile::list(args), exit::FAILURE),
        Command::Profile(ProfileCommand::Show(args)) => (profile::show(args), exit::FAILURE),
        #[cfg(feature = "mcp")]
        Command::Init(args) => (init::init(args), exit::FAILURE),
        Command::Import(args) => (import::import(args), exit::FAILURE),
        Command::Schema(args) => (schema::schema(args), exit::FAILURE),
        Command::Completions(args) => (reference::completions(args), exit::FAILURE),
        Command::Man(args) => (reference::man(args), exit::FAILURE),
    };
    let code = done.unwrap_or_else(|Failure(reason)| {
        report::complain(reason);
        failed
    });
    code.into()
}
