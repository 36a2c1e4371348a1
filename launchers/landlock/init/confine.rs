//! What the command is left with: no capabilities, its limits, Landlock, the filter.

use crate::entry::call;
use crate::numbers;
use crate::outer::Run;
use crate::plan::{Instruction, Plan};
use crate::protocol::stage;
use crate::report::{Failure, Stage, at};
use crate::system::{self, Descriptor, EINVAL, EPERM, HERE};

const PR_CAPBSET_DROP: usize = 24;
const PR_SET_NO_NEW_PRIVS: usize = 38;
const PR_CAP_AMBIENT: usize = 47;
const PR_CAP_AMBIENT_CLEAR_ALL: usize = 4;

/// From here on no exec gains a privilege.
pub(crate) fn forbid_new_privileges() -> Result<(), Failure> {
    let done = system::prctl(PR_SET_NO_NEW_PRIVS, 1);
    done.map(drop).stage(at(stage::CAPABILITIES))
}

/// Gives up every capability of the new user namespace.
pub(crate) fn drop_capabilities() -> Result<(), Failure> {
    for capability in 0..64 {
        match system::prctl(PR_CAPBSET_DROP, capability) {
            Ok(_) => {}
            // One more than the last that this kernel knows.
            Err(EINVAL) => break,
            // Only where there is no user namespace of its own.
            Err(EPERM) => break,
            Err(errno) => return Err(at(stage::CAPABILITIES).failed(errno)),
        }
    }
    let cleared = system::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
    cleared.stage(at(stage::CAPABILITIES))?;
    let mut version = [0x2008_0522_u32, 0];
    let none = [0_u32; 6];
    let args = [&raw mut version as usize, &raw const none as usize, 0, 0, 0, 0];
    // SAFETY: the kernel reads the header of two words and, for this version, six words of sets.
    let set = unsafe { call(numbers::CAPSET, args) };
    set.map(drop).stage(at(stage::CAPABILITIES))
}

/// Sets the resource limits (`prlimit(2)`).
pub(crate) fn limit(run: &Run) -> Result<(), Failure> {
    const PROCESSES: u64 = 6;
    for limit in run.plan.limits() {
        let own = if limit.resource == PROCESSES { run.own_processes() } else { 0 };
        let both = [limit.soft, limit.hard].map(|value| value.saturating_add(own));
        let args = [0, limit.resource as usize, &raw const both as usize, 0, 0, 0];
        // SAFETY: the kernel reads the two values and writes nothing.
        let set = unsafe { call(numbers::PRLIMIT64, args) };
        set.stage(at(stage::LIMITS))?;
    }
    Ok(())
}

/// Makes the Landlock ruleset of the files inside.
pub(crate) fn make_ruleset(plan: Plan) -> Result<Descriptor, Failure> {
    const PATH_BENEATH: usize = 1;
    let header = plan.header();
    // Rights on files, on ports, scopes. An older kernel takes the longer form with zeros at its end.
    let governed = [header.governed, 0, header.scopes];
    let args = [&raw const governed as usize, size_of_val(&governed), 0, 0, 0, 0];
    // SAFETY: the kernel reads the structure.
    let made = unsafe { call(numbers::LANDLOCK_CREATE_RULESET, args) };
    let ruleset = Descriptor::of(made.stage(at(stage::RULESET))? as u32);
    for rule in plan.rules() {
        let path = plan.text(rule.at);
        let here = at(stage::RULE).path(path);
        let place = match system::open_path(HERE, path) {
            Ok(place) => place,
            Err(system::ENOENT) => continue,
            Err(errno) => return Err(here.failed(errno)),
        };
        let is_folder = system::look(place.number(), c"").stage(here)?.is_folder();
        let rights = if is_folder { rule.rights } else { rule.on_file };
        // `struct landlock_path_beneath_attr` is packed: eight bytes of rights, four of descriptor.
        let beneath = [rights, place.number() as u64];
        let args = [ruleset.number() as usize, PATH_BENEATH, &raw const beneath as usize, 0, 0, 0];
        // SAFETY: the kernel reads twelve bytes, and there are sixteen.
        unsafe { call(numbers::LANDLOCK_ADD_RULE, args) }.stage(here)?;
    }
    Ok(ruleset)
}

/// Enforces a ruleset.
pub(crate) fn restrict(ruleset: &Descriptor) -> Result<(), Failure> {
    let args = [ruleset.number() as usize, 0, 0, 0, 0, 0];
    // SAFETY: a descriptor and flags.
    let restricted = unsafe { call(numbers::LANDLOCK_RESTRICT_SELF, args) };
    restricted.map(drop).stage(at(stage::RESTRICT))
}

/// Installs the system call filter (`seccomp(2)`). The last of all: what it refuses need not be
/// refused to the stages before.
///
/// Where somebody takes what it refuses, and the kernel gives a listener, it is the one that tells. The
/// listener stays open here.
pub(crate) fn filter(plan: Plan) -> Result<(), Failure> {
    // With a call that no signal interrupts once the host has seen it (Linux 5.19), or without.
    const NEW_LISTENER: [usize; 2] = [8 | 32, 8];
    let socket = plan.header().refusals;
    if socket != 0 {
        let listener = NEW_LISTENER.iter().find_map(|flags| install(plan.telling(), *flags).ok());
        if let Some(listener) = listener {
            // If nobody can have it, the kernel refuses what the filter passes on.
            let _ = system::send_descriptor(socket, listener);
            return Ok(());
        }
    }
    install(plan.filter(), 0).map(drop).stage(at(stage::FILTER))
}

fn install(filter: &[Instruction], flags: usize) -> Result<usize, u32> {
    const SET_MODE_FILTER: usize = 1;
    #[repr(C)]
    struct Program {
        length: u16,
        instructions: *const Instruction,
    }
    let program = Program { length: filter.len() as u16, instructions: filter.as_ptr() };
    let args = [SET_MODE_FILTER, flags, &raw const program as usize, 0, 0, 0];
    // SAFETY: the kernel copies `length` instructions, which the mapped plan holds.
    unsafe { call(numbers::SECCOMP, args) }
}
