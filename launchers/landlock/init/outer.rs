//! The first process: makes the user namespace and the one for processes, starts the second process,
//! makes the network namespace meanwhile, and passes the command's end on.
//!
//! A process cannot enter a new pid namespace itself, only its children do. So this one stays outside:
//! the runner knows it, its parent-death signal follows the host, and it ends as the command ended,
//! by the same signal if it was one.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::ids::Ids;
use crate::network::{self, CLONE_NEWNET};
use crate::plan::Plan;
use crate::protocol::{self, Identity, header, tell};
use crate::report::{self, Failure, Stage, at};
use crate::stack::Stack;
use crate::system::{self, Descriptor, HERE};
use crate::template::{self, Template};
use crate::{confine, entry, inner};

const CLONE_VM: usize = 0x100;
pub(crate) const CLONE_NEWUSER: u32 = 0x1000_0000;
pub(crate) const CLONE_NEWPID: u32 = 0x2000_0000;
const SIGCHLD: usize = 17;

/// The second process's.
static mut STACK: Stack = Stack::EMPTY;

/// What the processes of a run hand down.
pub(crate) struct Run {
    pub(crate) plan: Plan,
    pub(crate) status: i32,
    /// The program's path, the name by which it is called, its arguments, and a null pointer.
    pub(crate) words: *const *const u8,
    pub(crate) environment: *const *const u8,
    pub(crate) ids: Ids,
    /// The template, once this process is in its user namespace.
    pub(crate) template: Option<Template>,
    /// What the working directory was when it was entered.
    pub(crate) folder: Identity,
    /// The blocked signals of the command.
    pub(crate) signals: u64,
    pub(crate) mask: u32,
    /// The first process.
    pub(crate) outer: Option<Descriptor>,
    /// 1 when the network namespace is ready.
    pub(crate) network: AtomicU32,
    /// Where the second process leaves the command's wait status, above [`inner::ENDED`].
    pub(crate) end: AtomicU32,
}

/// Runs the command and ends as it ended.
pub(crate) fn run(mut run: Run) -> ! {
    match prepare(&mut run).and_then(|()| begin(&run)) {
        Ok(process) => {
            forget_streams(&run);
            end(&run, process)
        }
        Err(failure) => {
            report::tell_failure(run.status, failure);
            system::exit(FAILED)
        }
    }
}

/// The exit code of a run whose command did not start. The record tells why.
pub(crate) const FAILED: i32 = 125;

/// Gives up the command's streams, and what only the command's process sends: whoever waits for their
/// end waits for the command alone.
pub(crate) fn forget_streams(run: &Run) {
    let refusals = run.plan.header().refusals;
    if refusals > 2 {
        system::close(refusals as i32);
    }
    if run.status > 2 {
        system::close_range(0, 2);
    }
}

/// Everything that the second process is to find done.
fn prepare(run: &mut Run) -> Result<(), Failure> {
    // A signal to the group is for the command. It is the one who ends of it.
    run.signals = system::block_signals(u64::MAX);
    run.mask = system::mask(0);
    confine::forbid_new_privileges()?;
    run.folder = system::look(HERE, c"").stage(at(protocol::stage::DIRECTORY))?.identity;
    let host = system::open_path(HERE, c"/").stage(at(protocol::stage::ROOT))?;
    run.template = template::enter_user_namespace(run.plan);
    let early = match run.template {
        Some(_) => run.namespaces() & CLONE_NEWPID,
        None => run.namespaces() & (CLONE_NEWUSER | CLONE_NEWPID),
    };
    system::unshare(early).stage(at(protocol::stage::UNSHARE))?;
    if run.template.is_none() {
        run.ids.keep(&host).stage(at(protocol::stage::IDS))?;
    }
    let own = system::open_process(system::own_pid());
    run.outer = Some(own.stage(at(protocol::stage::FORK))?);
    Ok(())
}

/// Starts the second process and makes the network namespace while that builds the view: each takes
/// about as long as the other.
fn begin(run: &Run) -> Result<usize, Failure> {
    let (top, argument) = (Stack::top(&raw mut STACK), &raw const *run as usize);
    // SAFETY: the stack is used once. `run` lives as long as this process, and the second one ends
    // with it, by the signal that it asks for.
    let child = unsafe { entry::clone_onto(CLONE_VM | SIGCHLD, top, inner::enter, argument) };
    let process = child.stage(at(protocol::stage::FORK))?;
    report::tell(run.status, tell::PROCESS, process as u32);
    if let Some(template) = &run.template {
        template.close();
    }
    if run.has_network() {
        system::unshare(CLONE_NEWNET).stage(at(protocol::stage::UNSHARE))?;
        network::bring_loopback_up().stage(at(protocol::stage::LOOPBACK))?;
        system::set_word(&run.network);
    }
    confine::drop_capabilities()?;
    Ok(process)
}

impl Run {
    /// The flags of all namespaces of the run.
    pub(crate) fn namespaces(&self) -> u32 {
        self.plan.header().namespaces
    }

    /// Whether the run gets a network namespace.
    fn has_network(&self) -> bool {
        self.namespaces() & CLONE_NEWNET != 0
    }

    /// How many processes of the init the kernel counts among those of the command: it counts by user
    /// namespace, and on a template the first process is in another one.
    pub(crate) fn own_processes(&self) -> u64 {
        match self.template {
            // The wrapper's processes, which the launcher has counted.
            _ if self.plan.has(header::THRESHOLD) => 0,
            Some(_) => 1,
            None => 2,
        }
    }

    /// Enters the network namespace, once the first process has made it.
    pub(crate) fn join_network(&self) -> Result<(), u32> {
        match &self.outer {
            Some(outer) if self.has_network() => {
                system::wait_for_word(&self.network);
                system::join(outer, CLONE_NEWNET)
            }
            _ => Ok(()),
        }
    }
}

/// Waits for the second process and ends as the command did.
fn end(run: &Run, process: usize) -> ! {
    while system::wait(process as isize).is_err_and(|errno| errno == system::EINTR) {}
    let end = run.end.load(Ordering::Acquire);
    if end & inner::ENDED == 0 {
        // It has told what failed, or was killed.
        system::exit(FAILED)
    }
    let status = end & !inner::ENDED;
    report::tell(run.status, tell::ENDED, status);
    let signal = status & 0x7f;
    if signal == 0 {
        system::exit((status >> 8 & 0xff) as i32)
    }
    // This process is not dumpable, so there is no second core file.
    system::block_signals(0);
    system::signal_self(signal);
    // One that does not end a process ends no command either.
    system::exit(128 + signal as i32)
}
