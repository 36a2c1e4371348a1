//! What a child does between the clone and the exec.

use std::ffi::c_char;
use std::os::fd::RawFd;

use cofferdam_launcher::ChildStep;

use super::syscall::syscall;
use super::{EXEC, Failure, Session};

/// What the child reads. Made on the spawning thread's stack.
pub(super) struct ChildView<'a> {
    pub(super) program: *const c_char,
    pub(super) argv: *const *const c_char,
    pub(super) env: *const *const c_char,
    pub(super) dir: RawFd,
    /// The cgroup that it moves into by itself.
    pub(super) enters: Option<RawFd>,
    pub(super) stdio: [RawFd; 3],
    pub(super) keep: &'a [RawFd],
    pub(super) session: Session,
    pub(super) step: Option<&'a dyn ChildStep>,
    pub(super) host: RawFd,
    pub(super) failure: *mut Option<Failure>,
}

/// The child's whole life between the clone and the exec.
pub(super) extern "C" fn run(view: *const ChildView<'static>) -> ! {
    // SAFETY: `view` points to the suspended parent's value.
    let view = unsafe { &*view };
    let failure = match prepare(view) {
        Err(failure) => failure,
        Ok(()) => Failure { stage: EXEC, errno: exec(view) },
    };
    // SAFETY: the slot is the suspended parent's, and nobody else looks at it now.
    unsafe { view.failure.write(Some(failure)) };
    loop {
        // SAFETY: ends this process, and only this one: it is a thread group of its own.
        unsafe { syscall(libc::SYS_exit_group, [127, 0, 0, 0, 0]) };
    }
}

/// Everything before the exec, in an order that matters: cgroup and session first, since they fail where
/// nothing is lost yet; descriptors before the step, since a filter may refuse to touch them; the
/// parent-death signal after the step, since a change of credentials clears it; the signal mask last,
/// so that no signal arrives half-way.
fn prepare(view: &ChildView<'_>) -> Result<(), Failure> {
    if let Some(group) = view.enters {
        enter(group)?;
    }
    if view.session != Session::Inherited {
        stage("start a session", libc::SYS_setsid, [0; 5])?;
    }
    for (target, source) in view.stdio.iter().enumerate() {
        standard_stream(*source, target as RawFd)?;
    }
    if view.session == Session::WithTerminal {
        stage("take the terminal", libc::SYS_ioctl, [0, libc::TIOCSCTTY as usize, 0, 0, 0])?;
    }
    close_others(view.keep)?;
    stage("enter the working directory", libc::SYS_fchdir, [view.dir as usize, 0, 0, 0, 0])?;
    if let Some(step) = view.step {
        step.apply().map_err(|error| Failure { stage: error.stage, errno: error.errno })?;
    }
    die_with_host(view.host)?;
    default_signals()
}

/// Moves itself into a cgroup, as `cgroups(7)` says: by its file of processes, where 0 is the writer.
fn enter(group: RawFd) -> Result<(), Failure> {
    const NAME: &str = "enter the cgroup of the run";
    let flags = (libc::O_WRONLY | libc::O_CLOEXEC) as usize;
    let path = c"cgroup.procs".as_ptr() as usize;
    // SAFETY: numbers, and a C string that lives for ever.
    let file = unsafe { syscall(libc::SYS_openat, [group as usize, path, flags, 0, 0]) };
    if file < 0 {
        return Err(Failure { stage: NAME, errno: -file as i32 });
    }
    // The descriptor is closed by the exec.
    stage(NAME, libc::SYS_write, [file as usize, c"0".as_ptr() as usize, 1, 0, 0])
}

fn standard_stream(source: RawFd, target: RawFd) -> Result<(), Failure> {
    let (source_arg, target_arg) = (source as usize, target as usize);
    if source == target {
        let keep_open = [source_arg, libc::F_SETFD as usize, 0, 0, 0];
        stage("keep a standard stream", libc::SYS_fcntl, keep_open)
    } else {
        stage("set up a standard stream", libc::SYS_dup3, [source_arg, target_arg, 0, 0, 0])
    }
}

/// Marks every descriptor above 2 to be closed by the exec, but for those that the launcher keeps.
/// Marking rather than closing leaves the step its own descriptors.
fn close_others(keep: &[RawFd]) -> Result<(), Failure> {
    const CLOSE_RANGE_CLOEXEC: usize = 4;
    let all = [3, u32::MAX as usize, CLOSE_RANGE_CLOEXEC, 0, 0];
    stage("close inherited descriptors", libc::SYS_close_range, all)?;
    for fd in keep {
        let keep_open = [*fd as usize, libc::F_SETFD as usize, 0, 0, 0];
        stage("keep a launcher's descriptor", libc::SYS_fcntl, keep_open)?;
    }
    Ok(())
}

/// Asks to be killed when the spawning thread ends, and then looks whether the host is gone already.
/// Its pidfd is asked, because `getppid` is 0 in a pid namespace.
fn die_with_host(host: RawFd) -> Result<(), Failure> {
    const PR_SET_PDEATHSIG: usize = 1;
    let kill = [PR_SET_PDEATHSIG, libc::SIGKILL as usize, 0, 0, 0];
    stage("die with the host", libc::SYS_prctl, kill)?;
    let mut poll = libc::pollfd { fd: host, events: libc::POLLIN, revents: 0 };
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let args = [&raw mut poll as usize, 1, &raw const now as usize, 0, 0];
    // SAFETY: `poll` and `now` live on this stack, and no signal mask is given.
    match unsafe { syscall(libc::SYS_ppoll, args) } {
        0 => Ok(()),
        result if result < 0 => Err(Failure { stage: "look for the host", errno: -result as i32 }),
        _ => Err(Failure { stage: "find the host alive", errno: libc::ESRCH }),
    }
}

/// Default dispositions and an empty mask. `clone3` has cleared the handlers, but what the host
/// ignores (SIGPIPE in every Rust program) stays ignored over an exec.
fn default_signals() -> Result<(), Failure> {
    /// The kernel's own `struct sigaction`, zeroed: SIG_DFL, no flags, an empty mask.
    static DEFAULT: [usize; 4] = [0; 4];
    const SET_SIZE: usize = 8;
    for signal in 1..=64_usize {
        let reserved = matches!(signal as i32, libc::SIGKILL | libc::SIGSTOP);
        if !reserved {
            let args = [signal, DEFAULT.as_ptr() as usize, 0, SET_SIZE, 0];
            stage("reset a signal", libc::SYS_rt_sigaction, args)?;
        }
    }
    let none = 0_u64;
    let args = [libc::SIG_SETMASK as usize, &raw const none as usize, 0, SET_SIZE, 0];
    stage("unblock signals", libc::SYS_rt_sigprocmask, args)
}

/// Execs the program. Returns only when that failed, with the errno.
fn exec(view: &ChildView<'_>) -> i32 {
    let args = [view.program as usize, view.argv as usize, view.env as usize, 0, 0];
    // SAFETY: a C string and two null-terminated lists of C strings, all held by the parent.
    -unsafe { syscall(libc::SYS_execve, args) } as i32
}

fn stage(name: &'static str, number: libc::c_long, args: [usize; 5]) -> Result<(), Failure> {
    // SAFETY: the callers pass numbers, or pointers to values that outlive the call.
    match unsafe { syscall(number, args) } {
        result if result < 0 => Err(Failure { stage: name, errno: -result as i32 }),
        _ => Ok(()),
    }
}
