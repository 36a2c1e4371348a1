//! The first process: makes the namespaces, starts the second, and passes its end on.
//!
//! A process cannot enter a new pid namespace itself, only its children do. So this one stays outside:
//! the runner knows it, its parent-death signal follows the host, and it ends as the command ended,
//! by the same signal if it was one.

use core::ffi::CStr;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::plan::Plan;
use crate::protocol::{self, Identity, tell};
use crate::report::{self, Failure, Stage, at};
use crate::stack::Stack;
use crate::system::{self, Descriptor, HERE};
use crate::{confine, entry, inner, numbers};

const CLONE_VM: usize = 0x100;
const CLONE_NEWNET: u32 = 0x4000_0000;
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

/// Gives up the command's streams: whoever waits for their end waits for the command alone.
pub(crate) fn forget_streams(run: &Run) {
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
    let (user, group) = (system::user(), system::group());
    let early = run.plan.header().namespaces & !CLONE_NEWNET;
    system::unshare(early).stage(at(protocol::stage::UNSHARE))?;
    keep_ids(user, group).stage(at(protocol::stage::IDS))?;
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
    if run.has_network() {
        system::unshare(CLONE_NEWNET).stage(at(protocol::stage::UNSHARE))?;
        bring_loopback_up().stage(at(protocol::stage::LOOPBACK))?;
        system::set_word(&run.network);
    }
    confine::drop_capabilities()?;
    Ok(process)
}

impl Run {
    /// Whether the run gets a network namespace.
    fn has_network(&self) -> bool {
        self.plan.header().namespaces & CLONE_NEWNET != 0
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

/// Maps the caller's ids to themselves: git and others compare owners.
fn keep_ids(user: u32, group: u32) -> Result<(), u32> {
    write_file(c"/proc/self/setgroups", b"deny")?;
    let mut line = [0; Line::LONGEST];
    write_file(c"/proc/self/uid_map", Line::of(user, &mut line))?;
    write_file(c"/proc/self/gid_map", Line::of(group, &mut line))
}

fn write_file(path: &CStr, text: &[u8]) -> Result<(), u32> {
    let file = system::open_to_write(path)?;
    system::write_all(file.number(), text)
}

/// A line of an id map.
struct Line;

impl Line {
    /// Two numbers of ten digits, blanks, and a 1.
    const LONGEST: usize = 24;

    /// `ID ID 1`, written from its end.
    fn of(id: u32, buffer: &mut [u8; Line::LONGEST]) -> &[u8] {
        let mut start = Line::LONGEST;
        let mut put = |byte: u8| {
            start = start.saturating_sub(1);
            if let Some(place) = buffer.get_mut(start) {
                *place = byte;
            }
        };
        put(b'1');
        for _ in 0..2 {
            put(b' ');
            let mut rest = id;
            loop {
                put(b'0' + (rest % 10) as u8);
                rest /= 10;
                if rest == 0 {
                    break;
                }
            }
        }
        buffer.get(start..).unwrap_or_default()
    }
}

/// A new network namespace has a loopback that is down (`netdevice(7)`).
fn bring_loopback_up() -> Result<(), u32> {
    const AF_INET: usize = 2;
    const SOCK_DGRAM_CLOEXEC: usize = 0o2000002;
    const SIOCSIFFLAGS: usize = 0x8914;
    const IFF_UP: u16 = 1;
    #[repr(C)]
    struct Request {
        name: [u8; 16],
        flags: u16,
        rest: [u8; 22],
    }
    let mut request = Request { name: [0; 16], flags: IFF_UP, rest: [0; 22] };
    request.name[0] = b'l';
    request.name[1] = b'o';
    let socket = system::socket(AF_INET, SOCK_DGRAM_CLOEXEC)?;
    let args = [socket.number() as usize, SIOCSIFFLAGS, &raw const request as usize, 0, 0, 0];
    // SAFETY: the kernel reads `struct ifreq`, which has 40 bytes like `request`.
    unsafe { entry::call(numbers::IOCTL, args) }.map(drop)
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
