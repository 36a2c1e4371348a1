//! The second process, the first of the new pid namespace: builds the view, starts the command, and
//! takes the status of whoever ends without a parent. When it ends, the kernel ends all that is left.

use core::sync::atomic::Ordering;

use crate::outer::{self, CLONE_NEWUSER, FAILED, Run};
use crate::protocol::{self, header};
use crate::report::{self, Failure, Stage, at};
use crate::system::{self, HERE};
use crate::{command, confine, template};

/// Marks that the command has ended, beside its wait status.
pub(crate) const ENDED: u32 = 1 << 31;

const PR_SET_DUMPABLE: usize = 4;

/// Runs the command and ends. `argument` is the address of a [`Run`].
pub(crate) extern "C" fn enter(argument: usize) -> ! {
    // SAFETY: the first process passes it, and waits for the end of this one.
    let run = unsafe { &*(argument as *const Run) };
    let code = match begin(run) {
        Ok(Some(process)) => {
            forget(run);
            end(run, process);
            0
        }
        Ok(None) => 0,
        Err(failure) => {
            report::tell_failure(run.status, failure);
            FAILED
        }
    };
    system::exit(code)
}

/// Everything up to the command, whose process id is returned; a template has none.
fn begin(run: &Run) -> Result<Option<usize>, Failure> {
    die_with(run)?;
    let host = system::open_path(HERE, c"/").stage(at(protocol::stage::ROOT))?;
    template::build(run, &host)?;
    if run.plan.has(header::TEMPLATE) {
        template::offer(run, &host);
        return Ok(None);
    }
    let ruleset = confine::make_ruleset(run.plan)?;
    run.join_network().stage(at(protocol::stage::NETWORK))?;
    if let Some(template) = &run.template {
        template.close();
        system::unshare(CLONE_NEWUSER).stage(at(protocol::stage::UNSHARE))?;
        run.ids.keep(&host).stage(at(protocol::stage::IDS))?;
        die_with(run)?;
    }
    drop(host);
    enter_folder(run)?;
    confine::drop_capabilities()?;
    close_memory()?;
    command::start(run, &ruleset).map(Some)
}

/// Nobody inside may look into the memory of these processes, or take their descriptors.
fn close_memory() -> Result<(), Failure> {
    system::prctl(PR_SET_DUMPABLE, 0).map(drop).stage(at(protocol::stage::CAPABILITIES))
}

/// Asks to be killed when the first process ends, and looks whether it has ended already.
fn die_with(run: &Run) -> Result<(), Failure> {
    let Some(outer) = &run.outer else { return Ok(()) };
    let stage = at(protocol::stage::PARENT);
    system::die_with_parent().stage(stage)?;
    match system::is_ready(outer).stage(stage)? {
        true => Err(stage.failed(system::ESRCH)),
        false => Ok(()),
    }
}

/// Enters the working directory by its path inside, and compares it with the one outside.
fn enter_folder(run: &Run) -> Result<(), Failure> {
    if run.plan.has(header::TRIAL) {
        return Ok(());
    }
    let folder = run.plan.text(run.plan.header().dir);
    let stage = at(protocol::stage::DIRECTORY).path(folder);
    system::change_folder(folder).stage(stage)?;
    let is_same = system::look(system::HERE, c"").stage(stage)?.identity == run.folder;
    match is_same || run.plan.has(header::DIR_IN_OVERLAY) {
        true => Ok(()),
        false => Err(stage.failed(system::ESTALE)),
    }
}

/// Gives up the command's streams and environment.
fn forget(run: &Run) {
    outer::forget_streams(run);
    let mut at = run.environment;
    // SAFETY: the kernel has put the environment, a list of strings up to a null pointer, into memory
    // of this process that may be written.
    unsafe {
        while !(*at).is_null() {
            let mut byte = (*at).cast_mut();
            while *byte != 0 {
                *byte = 0;
                byte = byte.add(1);
            }
            at = at.add(1);
        }
    }
}

/// Waits for everyone, until it is the command.
fn end(run: &Run, command: usize) {
    loop {
        match system::wait(-1) {
            Ok((process, status)) if process == command => {
                run.end.store(ENDED | status, Ordering::Release);
                return;
            }
            Ok(_) | Err(system::EINTR) => {}
            Err(_) => return,
        }
    }
}
