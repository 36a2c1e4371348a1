//! The third process: confined for good, it becomes the command.

use core::ffi::CStr;

use crate::entry::{call, clone_onto};
use crate::outer::{FAILED, Run};
use crate::protocol::{Identity, header, stage};
use crate::report::{Failure, Stage, at};
use crate::stack::Stack;
use crate::system::{self, Descriptor, ENOENT, ETXTBSY, HERE};
use crate::{confine, numbers};

const CLONE_VM_VFORK_SIGCHLD: usize = 0x100 | 0x4000 | 17;

static mut STACK: Stack = Stack::EMPTY;

/// What the second and the third process have in common until the exec.
struct Attempt<'a> {
    run: &'a Run,
    ruleset: &'a Descriptor,
    failure: Option<Failure>,
}

/// Starts the command and returns its process id.
///
/// The second process waits until the third has exec'd or ended, so its failure is known here.
pub(crate) fn start(run: &Run, ruleset: &Descriptor) -> Result<usize, Failure> {
    let mut attempt = Attempt { run, ruleset, failure: None };
    let top = Stack::top(&raw mut STACK);
    let argument = &raw mut attempt as usize;
    // SAFETY: the stack is used once, by this child, and `attempt` outlives it, or its exec.
    let process = unsafe { clone_onto(CLONE_VM_VFORK_SIGCHLD, top, become_command, argument) };
    let process = process.stage(at(stage::FORK))?;
    // SAFETY: the child has written there, if at all, and no longer can.
    match unsafe { (&raw const attempt.failure).read_volatile() } {
        Some(failure) => Err(failure),
        None => Ok(process),
    }
}

extern "C" fn become_command(argument: usize) -> ! {
    let attempt = argument as *mut Attempt<'_>;
    // SAFETY: `start` made the value and waits.
    let failure = unsafe { prepare((*attempt).run, (*attempt).ruleset) };
    if let Err(failure) = failure {
        // SAFETY: as above.
        unsafe { (&raw mut (*attempt).failure).write_volatile(Some(failure)) };
        system::exit(FAILED)
    }
    system::exit(0)
}

/// Everything up to the exec. Returns where that failed, or was not asked for.
fn prepare(run: &Run, ruleset: &Descriptor) -> Result<(), Failure> {
    let trial = run.plan.has(header::TRIAL);
    let program = program(run);
    if !trial {
        compare(program, run.plan.header().program)?;
    }
    system::mask(run.mask);
    // Where there is no pid namespace, nothing else ends the command when the second process is killed.
    system::die_with_parent().stage(at(stage::PARENT))?;
    confine::restrict(ruleset)?;
    crate::close_all_but([run.plan.header().refusals]);
    system::block_signals(run.signals);
    if !trial {
        confine::limit(run)?;
    }
    confine::filter(run.plan)?;
    // No filter refuses this. The command must not hold its listener, nor a way to the host.
    system::close_range(3, u32::MAX);
    match trial {
        true => Ok(()),
        false => Err(exec(run, program)),
    }
}

/// The path of the program.
pub(crate) fn program(run: &Run) -> &'static CStr {
    // SAFETY: two strings at least, as `begin` in `main.rs` has seen.
    unsafe { CStr::from_ptr((*run.words).cast()) }
}

/// A program of the same name may lie at the path inside, left by an earlier run.
fn compare(program: &'static CStr, expected: Identity) -> Result<(), Failure> {
    if expected == Identity::default() {
        return Ok(());
    }
    match system::look(HERE, program) {
        Ok(found) if found.identity == expected => Ok(()),
        Ok(_) => Err(at(stage::PROGRAM).path(program).failed(ENOENT)),
        Err(errno) => Err(at(stage::EXEC).path(program).failed(errno)),
    }
}

/// Execs. A program that was just written is busy as long as any process has it open for writing, be
/// it only a child on its way to an exec of its own, so that is worth a few tries.
pub(crate) fn exec(run: &Run, program: &'static CStr) -> Failure {
    const LONGEST_WAIT: u64 = 256;
    let mut wait = 1;
    // SAFETY: `words` has a program, a name, arguments and a null pointer.
    let words = unsafe { run.words.add(1) };
    let args = [program.as_ptr() as usize, words as usize, run.environment as usize, 0, 0, 0];
    loop {
        // SAFETY: a string and two lists of strings that end with null pointers.
        match unsafe { call(numbers::EXECVE, args) } {
            Err(ETXTBSY) if wait <= LONGEST_WAIT => system::sleep(wait),
            Err(errno) => return at(stage::EXEC).path(program).failed(errno),
            Ok(_) => {}
        }
        wait *= 2;
    }
}
