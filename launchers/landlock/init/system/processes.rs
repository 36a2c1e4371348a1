//! Processes, namespaces, signals, and waiting for each other.

use core::sync::atomic::{AtomicU32, Ordering};

use super::{Descriptor, plain};
use crate::entry::call;
use crate::numbers;

pub(crate) fn exit(code: i32) -> ! {
    loop {
        let _ = plain(numbers::EXIT_GROUP, [code as usize, 0, 0, 0, 0, 0]);
    }
}

pub(crate) fn user() -> u32 {
    plain(numbers::GETEUID, [0; 6]).unwrap_or(0) as u32
}

pub(crate) fn group() -> u32 {
    plain(numbers::GETEGID, [0; 6]).unwrap_or(0) as u32
}

pub(crate) fn own_pid() -> usize {
    plain(numbers::GETPID, [0; 6]).unwrap_or(0)
}

pub(crate) fn prctl(option: usize, argument: usize) -> Result<usize, u32> {
    plain(numbers::PRCTL, [option, argument, 0, 0, 0, 0])
}

/// Asks to be killed when the parent ends.
pub(crate) fn die_with_parent() -> Result<(), u32> {
    const PR_SET_PDEATHSIG: usize = 1;
    const SIGKILL: usize = 9;
    prctl(PR_SET_PDEATHSIG, SIGKILL).map(drop)
}

pub(crate) fn unshare(flags: u32) -> Result<(), u32> {
    plain(numbers::UNSHARE, [flags as usize, 0, 0, 0, 0, 0]).map(drop)
}

/// Joins the namespace that a descriptor stands for.
pub(crate) fn enter(namespace: &Descriptor, kind: u32) -> Result<(), u32> {
    plain(numbers::SETNS, [namespace.0 as usize, kind as usize, 0, 0, 0, 0]).map(drop)
}

/// The user namespace that a namespace belongs to (`ioctl_nsfs(2)`).
pub(crate) fn owner(namespace: &Descriptor) -> Result<Descriptor, u32> {
    const NS_GET_USERNS: usize = 0xb701;
    plain(numbers::IOCTL, [namespace.0 as usize, NS_GET_USERNS, 0, 0, 0, 0])
        .map(|fd| Descriptor(fd as i32))
}

/// Joins a namespace of another process.
pub(crate) fn join(process: &Descriptor, namespace: u32) -> Result<(), u32> {
    plain(numbers::SETNS, [process.0 as usize, namespace as usize, 0, 0, 0, 0]).map(drop)
}

/// Waits until a word in memory is not 0.
pub(crate) fn wait_for_word(word: &AtomicU32) {
    const FUTEX_WAIT_PRIVATE: usize = 128;
    while word.load(Ordering::Acquire) == 0 {
        let at = word.as_ptr() as usize;
        let _ = plain(numbers::FUTEX, [at, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0]);
    }
}

/// Sets a word in memory to 1 and wakes who waits for it.
pub(crate) fn set_word(word: &AtomicU32) {
    const FUTEX_WAKE_PRIVATE: usize = 129;
    word.store(1, Ordering::Release);
    let _ = plain(numbers::FUTEX, [word.as_ptr() as usize, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0]);
}

/// Waits for any child and returns its process id and wait status.
pub(crate) fn wait(pid: isize) -> Result<(usize, u32), u32> {
    const ALL_KINDS: usize = 0x4000_0000;
    let mut status = 0_u32;
    let args = [pid as usize, &raw mut status as usize, ALL_KINDS, 0, 0, 0];
    // SAFETY: the kernel writes the status, which lives here.
    let pid = unsafe { call(numbers::WAIT4, args) }?;
    Ok((pid, status))
}

/// A socket of a family and type.
pub(crate) fn socket(family: usize, kind: usize) -> Result<Descriptor, u32> {
    plain(numbers::SOCKET, [family, kind, 0, 0, 0, 0]).map(|fd| Descriptor(fd as i32))
}

/// A descriptor of a process.
pub(crate) fn open_process(pid: usize) -> Result<Descriptor, u32> {
    plain(numbers::PIDFD_OPEN, [pid, 0, 0, 0, 0, 0]).map(|fd| Descriptor(fd as i32))
}

/// Whether a descriptor can be read right now.
pub(crate) fn is_ready(fd: &Descriptor) -> Result<bool, u32> {
    const POLLIN: u16 = 1;
    let now = [0_u64; 2];
    poll(fd.0, POLLIN, &raw const now as usize)
}

/// Waits until nobody has the other end of a pipe any more.
pub(crate) fn wait_for_hangup(fd: i32) {
    while poll(fd, 0, 0) == Err(super::EINTR) {}
}

/// `time` is the address of a `struct timespec`, or 0 for ever.
fn poll(fd: i32, events: u16, time: usize) -> Result<bool, u32> {
    #[repr(C)]
    struct Poll {
        fd: i32,
        events: u16,
        revents: u16,
    }
    let mut poll = Poll { fd, events, revents: 0 };
    let args = [&raw mut poll as usize, 1, time, 0, 0, 0];
    // SAFETY: the kernel writes to `poll`, which lives here, and reads the time, which the callers hold.
    unsafe { call(numbers::PPOLL, args) }.map(|ready| ready > 0)
}

/// Sends a signal to the calling process.
pub(crate) fn signal_self(signal: u32) {
    let _ = plain(numbers::KILL, [own_pid(), signal as usize, 0, 0, 0, 0]);
}

/// Replaces the set of blocked signals and returns the old one.
pub(crate) fn block_signals(set: u64) -> u64 {
    const SIG_SETMASK: usize = 2;
    let mut old = 0_u64;
    let args = [SIG_SETMASK, &raw const set as usize, &raw mut old as usize, 8, 0, 0];
    // SAFETY: the kernel reads `set` and writes `old`, eight bytes each.
    let _ = unsafe { call(numbers::RT_SIGPROCMASK, args) };
    old
}

/// Sleeps for some milliseconds, fewer than a thousand.
pub(crate) fn sleep(milliseconds: u64) {
    let time = [0, milliseconds * 1_000_000];
    let _ = plain(numbers::NANOSLEEP, [&raw const time as usize, 0, 0, 0, 0, 0]);
}
