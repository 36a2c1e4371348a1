//! The stages of a child step. Each is one or a few system calls on values that were made before.
#![expect(unsafe_code, reason = "the child step may make raw system calls only")]

use std::os::fd::{AsRawFd, BorrowedFd};

use cofferdam_filter::Instruction;
use cofferdam_launcher::StepError;

use crate::limits::Limit;
use crate::raw::call;

/// Limits one resource of the calling process (`setrlimit(2)`).
pub(crate) fn limit(to: &Limit) -> Result<(), StepError> {
    let limit = libc::rlimit64 { rlim_cur: to.soft, rlim_max: to.hard };
    let args = [0, to.resource as usize, &raw const limit as usize, 0, 0];
    // SAFETY: prlimit64 of the calling process (pid 0) reads `limit`, which lives through the call,
    // and writes nothing, since the pointer for the old limit is null.
    stage("limit resources", unsafe { call(libc::SYS_prlimit64, args) })
}

/// Gives up every capability, root's too: with some of them the kernel shows what Landlock hides.
pub(crate) fn drop_capabilities() -> Result<(), StepError> {
    const STAGE: &str = "drop capabilities";
    for capability in 0..64 {
        match prctl(libc::PR_CAPBSET_DROP, capability) {
            Ok(_) => {}
            // Not allowed to without CAP_SETPCAP. Then no_new_privs alone keeps an exec from
            // bringing capabilities back.
            Err(libc::EPERM) => break,
            // One more than the last that this kernel knows.
            Err(libc::EINVAL) => break,
            Err(errno) => return Err(StepError { stage: STAGE, errno }),
        }
    }
    stage(STAGE, prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL as usize))?;

    /// `struct __user_cap_header_struct` and `struct __user_cap_data_struct` (`capset(2)`).
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    const VERSION_3: u32 = 0x2008_0522;
    let mut header = Header { version: VERSION_3, pid: 0 };
    // Two halves of 32 bits, each: effective, permitted, inheritable.
    let none = [0_u32; 6];
    let args = [&raw mut header as usize, &raw const none as usize, 0, 0, 0];
    // SAFETY: capset reads the header and, for version 3, two data structures of three words each,
    // which is what `none` holds; it would write to the header only for a version that it does not
    // know. Credentials belong to the task, so the host keeps its own.
    stage(STAGE, unsafe { call(libc::SYS_capset, args) })
}

/// From here on no exec gains a privilege (`PR_SET_NO_NEW_PRIVS(2const)`).
pub(crate) fn forbid_new_privileges() -> Result<(), StepError> {
    stage("set no_new_privs", prctl(libc::PR_SET_NO_NEW_PRIVS, 1))
}

/// Enforces a ruleset (`landlock_restrict_self(2)`).
pub(crate) fn restrict(ruleset: BorrowedFd<'_>) -> Result<(), StepError> {
    let args = [ruleset.as_raw_fd() as usize, 0, 0, 0, 0];
    // SAFETY: the call takes a descriptor and flags, and touches no memory.
    stage("restrict with Landlock", unsafe { call(libc::SYS_landlock_restrict_self, args) })
}

/// Installs a filter (`seccomp(2)`).
pub(crate) fn install(program: &[Instruction]) -> Result<(), StepError> {
    stage("install the system call filter", filter(program, 0))
}

/// Installs a filter with a listener, and returns that. `None`: the kernel gives none, and the filter is
/// not installed. That is so where a filter around the host has one already, on kernels before 5.0, and
/// where no descriptor is left.
pub(crate) fn install_with_listener(program: &[Instruction]) -> Option<Listener> {
    // A call that the host has seen is not interrupted by a signal any more, as it would not be without
    // a listener (Linux 5.19).
    const UNINTERRUPTED: libc::c_ulong = libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    [UNINTERRUPTED, 0].into_iter().find_map(|more| {
        let listener = filter(program, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | more);
        listener.ok().map(Listener)
    })
}

fn filter(program: &[Instruction], flags: libc::c_ulong) -> Result<usize, i32> {
    let program = libc::sock_fprog {
        // A compiled filter has 4096 instructions at most.
        len: program.len() as u16,
        filter: program.as_ptr().cast_mut(),
    };
    let mode = libc::SECCOMP_SET_MODE_FILTER as usize;
    let args = [mode, flags as usize, &raw const program as usize, 0, 0];
    // SAFETY: the kernel copies `len` instructions from `filter`, which the borrowed slice keeps
    // alive, and writes nothing. The flags used here leave the other threads of the host alone.
    unsafe { call(libc::SYS_seccomp, args) }
}

/// The listener of a filter: a descriptor of the child, which is closed by its exec. Not an `OwnedFd`,
/// whose drop calls libc.
pub(crate) struct Listener(usize);

impl Listener {
    /// Sends it over a socket (`unix(7)`, SCM_RIGHTS) and closes it here. If nobody can have it, the
    /// kernel refuses what the filter passes on.
    pub(crate) fn send(self, socket: BorrowedFd<'_>) {
        /// `struct cmsghdr` and what follows it, padded as the kernel reads it.
        #[repr(C)]
        struct Rights {
            length: usize,
            level: libc::c_int,
            kind: libc::c_int,
            descriptor: libc::c_int,
            padding: libc::c_int,
        }
        let length = std::mem::offset_of!(Rights, padding);
        let descriptor = self.0 as libc::c_int;
        let (level, kind) = (libc::SOL_SOCKET, libc::SCM_RIGHTS);
        let mut rights = Rights { length, level, kind, descriptor, padding: 0 };
        // A stream carries descriptors beside a byte.
        let mut byte = 0_u8;
        let mut vector = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        // `struct user_msghdr`: name, its length, vectors, their count, control, its length, flags.
        let message: [usize; 7] =
            [0, 0, &raw mut vector as usize, 1, &raw mut rights as usize, size_of::<Rights>(), 0];
        let flags = libc::MSG_NOSIGNAL as usize;
        let args = [socket.as_raw_fd() as usize, &raw const message as usize, flags, 0, 0];
        // SAFETY: the kernel reads the message and what it points to, all of it on this stack.
        let _ = unsafe { call(libc::SYS_sendmsg, args) };
        // SAFETY: a descriptor of the child's own, which nothing else uses.
        let _ = unsafe { call(libc::SYS_close, [self.0, 0, 0, 0, 0]) };
    }
}

fn prctl(option: libc::c_int, argument: usize) -> Result<usize, i32> {
    // SAFETY: the options used in this file take numbers, never pointers; the rest must be zero.
    unsafe { call(libc::SYS_prctl, [option as usize, argument, 0, 0, 0]) }
}

fn stage(stage: &'static str, result: Result<usize, i32>) -> Result<(), StepError> {
    match result {
        Ok(_) => Ok(()),
        Err(errno) => Err(StepError { stage, errno }),
    }
}
