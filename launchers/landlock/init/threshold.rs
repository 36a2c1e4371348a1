//! What is left to do where a wrapper has built the sandbox: before the wrapper, and inside, after it.
//!
//! Before it, every signal is blocked. The wrapper's processes are in the command's session and group,
//! so that a terminal's keys and jobs work inside, and a signal to the group is for the command: a
//! wrapper that ended of it would take the command with it. Inside, this program unblocks them,
//! restricts itself with Landlock, sets the limits, and becomes the command.

use core::ffi::CStr;

use crate::outer::{FAILED, Run};
use crate::plan::Plan;
use crate::protocol::stage;
use crate::report::{self, Failure, Stage, at};
use crate::{command, confine, system};

/// The word in place of the plan's number, with which the program comes before a wrapper:
/// `init shield STATUS PROGRAM NAME [ARGUMENT…]`.
pub(crate) const SHIELD: &CStr = c"shield";

/// Becomes the wrapper, with every signal blocked.
pub(crate) fn shield(run: &Run) -> ! {
    system::block_signals(u64::MAX);
    fail(run, command::exec(run, command::program(run)))
}

/// Becomes the command.
pub(crate) fn cross(run: &Run) -> ! {
    let failure = match prepare(run) {
        Ok(()) => {
            report::write_begun(run.status);
            command::exec(run, command::program(run))
        }
        Err(failure) => failure,
    };
    fail(run, failure)
}

fn prepare(run: &Run) -> Result<(), Failure> {
    system::close_on_exec(run.status).stage(at(stage::EXEC))?;
    if governs(run.plan) {
        confine::restrict(&confine::make_ruleset(run.plan)?)?;
    }
    system::block_signals(0);
    confine::limit(run)
}

/// Whether there is a Landlock ruleset to make. The kernel may have none.
fn governs(plan: Plan) -> bool {
    plan.header().governed != 0
}

fn fail(run: &Run, failure: Failure) -> ! {
    report::write_failure(run.status, failure);
    system::exit(FAILED)
}
