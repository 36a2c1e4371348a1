//! `cofferdam run`: one command, on the main thread, with its streams as they are.

use std::time::{Duration, Instant};

use super::args::RunArgs;
use super::args::SandboxArgs;
use super::connect::{Manner, connect, takes_input};
use super::exit;
use super::report::{Failure, complain, print_json};
use super::signals::Signals;
use super::watch::{Watch, Watched};
use crate::audit::Entry;
use crate::cgroup::RunGroup;
use crate::outcome::NotStarted;
use crate::registry::Purpose;
use crate::runner::Runner;
use crate::spawn::{self, Pending};
use crate::start::{Begun, NotBegun, Streams, prepare};
use crate::verdict::Verdict;
use crate::{Outcome, Request};

/// Runs the command, and returns what to exit with.
pub(super) fn run(args: RunArgs) -> Result<u8, Failure> {
    let manner = manner(&args);
    let (program, arguments) = args.command.split();
    let request = Request::new(program).args(arguments);
    let ran = run_once_or_tried(&args.sandbox, request, manner, args.timeout)?;
    match args.json {
        true => print_json(&ran.outcome.payload())?,
        false if ran.ended_by.is_some() => {}
        false => tell(&ran.outcome),
    }
    Ok(ran.ended_by.map_or_else(|| exit::code(&ran.outcome), exit::by_signal))
}

/// A run that is over.
pub(super) struct Ran {
    pub(super) outcome: Outcome,
    /// The signal that ended cofferdam itself.
    pub(super) ended_by: Option<i32>,
}

/// Runs a command whose output is captured.
pub(super) fn captured(sandbox: &SandboxArgs, request: Request) -> Result<Ran, Failure> {
    run_once_or_tried(sandbox, request, Manner::Captured, None)
}

/// Runs on a launcher that nobody has tried, since the run itself shows whether it works. Where the
/// sandbox could not be built the command has not begun: then the launcher is tried, which chooses
/// another one or tells the reason.
fn run_once_or_tried(
    sandbox: &SandboxArgs,
    request: Request,
    manner: Manner,
    timeout: Option<Duration>,
) -> Result<Ran, Failure> {
    if !takes_input(manner) {
        let runner = sandbox.runner(Purpose::OneRun)?;
        let ran = execute(&runner, request.clone(), manner, timeout)?;
        let failed = ran.outcome.not_started.as_ref().is_some_and(NotStarted::is_of_sandbox);
        if !failed || ran.ended_by.is_some() || runner.terms().policy.is_none() {
            return Ok(ran);
        }
    }
    execute(&sandbox.runner(Purpose::Runs)?, request, manner, timeout)
}

/// From the request to the outcome. Afterwards the person's terminal is as it was.
fn execute(
    runner: &Runner,
    request: Request,
    manner: Manner,
    timeout: Option<Duration>,
) -> Result<Ran, Failure> {
    // Before the terminal is touched: from here on nothing ends this process on the way.
    let signals = Signals::block()?;
    let (streams, connection) = connect(manner)?;
    let deadline = timeout.and_then(|time| Instant::now().checked_add(time));
    let begun = match start(runner, request, streams) {
        Ok(begun) => begun,
        Err(NotBegun::Refused(refusal)) => return Err(refusal.into()),
        Err(NotBegun::NotStarted(reason)) => {
            return Ok(Ran { outcome: Outcome::not_started(reason), ended_by: None });
        }
    };
    let launcher = runner.terms().launcher.as_ref();
    let watch = Watch::new(begun.first, launcher, signals, connection, deadline)?;
    let Watched { mut end, captured, ended_by, passed_on } = watch.finish();
    end.exceeded = begun.group.map(RunGroup::end).unwrap_or_default();
    let verdict = Verdict::of(launcher, &end, &captured);
    let outcome = verdict.outcome(launcher, begun.known, end, captured);
    drop(begun.scratch);
    // A signal that ended the launcher before it had begun the command has ended the run: that is
    // what it was sent for.
    let ended_by = ended_by.or(passed_on.filter(|_| outcome.not_started.is_some()));
    Ok(Ran { outcome, ended_by })
}

fn manner(args: &RunArgs) -> Manner {
    match args {
        RunArgs { json: true, .. } => Manner::Captured,
        RunArgs { tty: true, .. } => Manner::Tty,
        RunArgs { no_tty: true, .. } => Manner::Pipes,
        _ => Manner::AsItIs,
    }
}

/// Starts the command. The main thread lives as long as it, so no other one is needed.
fn start(runner: &Runner, request: Request, streams: Streams) -> Result<Begun, NotBegun> {
    let terms = runner.terms();
    let admitted = terms.gate.admit(request).map_err(NotBegun::Refused)?;
    spawn::here(|spawner| {
        let prepared = prepare(terms, admitted)?;
        prepared.begin(terms, streams, spawner, &Pending::new(), &Entry::unrecorded())
    })
}

/// What a person has to know beside the exit code. Mostly nothing.
pub(super) fn tell(outcome: &Outcome) {
    if let Some(reason) = &outcome.not_started {
        complain(reason.describe());
    } else if outcome.timed_out {
        complain("the time was up, and the command was killed; `--timeout` gives it more");
    }
    let created = outcome.sandbox.iter().flat_map(|sandbox| &sandbox.created);
    let created: Vec<_> = created.map(|path| format!("`{}`", path.display())).collect();
    if let Some((last, others)) = created.split_last() {
        let all = match others {
            [] => last.clone(),
            _ => format!("{} and {last}", others.join(", ")),
        };
        complain(format!(
            "the command has created {all}, which the profile protects; look before you use it"
        ));
    }
}
