//! What a child does between the fork and the exec.

use std::ffi::c_char;
use std::os::fd::RawFd;

use cofferdam_launcher::ChildStep;

use super::descriptors::Descriptors;
use super::{EXEC, Failure, Session, report, signals};

/// What the child reads: prepared by the host, and copied with its memory.
pub(super) struct ChildView<'a> {
    pub(super) program: *const c_char,
    pub(super) argv: *const *const c_char,
    pub(super) env: *const *const c_char,
    pub(super) dir: RawFd,
    pub(super) stdio: [RawFd; 3],
    pub(super) keep: &'a [RawFd],
    pub(super) session: Session,
    pub(super) step: Option<&'a dyn ChildStep>,
    pub(super) report: RawFd,
}

/// The child's whole life between the fork and the exec.
pub(super) fn run(view: &ChildView<'_>, open: &mut Descriptors) -> ! {
    let failure = match prepare(view, open) {
        Err(failure) => failure,
        Ok(()) => {
            // SAFETY: a C string and two null-terminated lists of C strings, all held by the host.
            unsafe { libc::execve(view.program, view.argv, view.env) };
            failed(EXEC)
        }
    };
    report::send(view.report, failure);
    // SAFETY: ends this process without the host's handlers of exits.
    unsafe { libc::_exit(127) }
}

/// Everything before the exec, in the order of the child on Linux: the session first, since it fails
/// where nothing is lost yet; descriptors before the step; the signal mask last.
fn prepare(view: &ChildView<'_>, open: &mut Descriptors) -> Result<(), Failure> {
    if view.session != Session::Inherited {
        // SAFETY: takes nothing.
        stage("start a session", unsafe { libc::setsid() })?;
    }
    for (target, source) in view.stdio.iter().enumerate() {
        standard_stream(*source, target as RawFd)?;
    }
    if view.session == Session::WithTerminal {
        // SAFETY: this request takes a number.
        stage("take the terminal", unsafe { libc::ioctl(0, libc::TIOCSCTTY.into(), 0) })?;
    }
    close_others(view.keep, open)?;
    // SAFETY: takes a descriptor.
    stage("enter the working directory", unsafe { libc::fchdir(view.dir) })?;
    if let Some(step) = view.step {
        step.apply().map_err(|error| Failure { stage: error.stage, errno: error.errno })?;
    }
    signals::restore_defaults().map_err(|()| failed("reset the signals"))
}

fn standard_stream(source: RawFd, target: RawFd) -> Result<(), Failure> {
    if source == target {
        stage("keep a standard stream", set_flags(source, 0))
    } else {
        // SAFETY: takes two descriptors.
        stage("set up a standard stream", unsafe { libc::dup2(source, target) })
    }
}

/// Marks every descriptor above 2 to be closed by the exec, but for those that the launcher keeps.
fn close_others(keep: &[RawFd], open: &mut Descriptors) -> Result<(), Failure> {
    open.each(|fd| {
        // One that has been closed meanwhile needs no mark.
        let _ = set_flags(fd, libc::FD_CLOEXEC);
    });
    for fd in keep {
        stage("keep a launcher's descriptor", set_flags(*fd, 0))?;
    }
    Ok(())
}

fn set_flags(fd: RawFd, flags: i32) -> i32 {
    // SAFETY: this command takes a number.
    unsafe { libc::fcntl(fd, libc::F_SETFD, flags) }
}

fn stage(name: &'static str, result: i32) -> Result<(), Failure> {
    if result < 0 { Err(failed(name)) } else { Ok(()) }
}

fn failed(stage: &'static str) -> Failure {
    // SAFETY: gives the address of this thread's errno.
    Failure { stage, errno: unsafe { *libc::__error() } }
}
