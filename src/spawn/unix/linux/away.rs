//! Looks from inside a child whether it is away from the host's terminal.

use std::os::fd::RawFd;

use cofferdam_launcher::{ChildStep, StepError};

use super::syscall::syscall;

/// What the step "fails" with when everything is as it should be: it looks and never execs.
pub(in crate::spawn) const AWAY: &str = "find everything as it should be";

/// A step that looks at what the stages before it have done.
pub(in crate::spawn) struct IsAway;

// SAFETY: raw system calls on values of its own stack; no heap, no lock, no panic.
unsafe impl ChildStep for IsAway {
    fn apply(&self) -> Result<(), StepError> {
        look().and(Err(StepError { stage: AWAY, errno: 0 }))
    }

    fn explain(&self) -> String {
        "look for the terminal".to_owned()
    }
}

fn look() -> Result<(), StepError> {
    let own = call("find its own number", libc::SYS_getpid, [0; 5])?;
    if call("find its session", libc::SYS_getsid, [0; 5])? != own {
        return Err(StepError { stage: "lead a session of its own", errno: libc::EPERM });
    }
    if input_device()? != libc::makedev(1, 3) {
        return Err(StepError { stage: "read its input from /dev/null", errno: libc::ENOTTY });
    }
    let flags = (libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC) as usize;
    let path = c"/dev/tty".as_ptr() as usize;
    match call("open /dev/tty", libc::SYS_openat, [libc::AT_FDCWD as usize, path, flags, 0, 0]) {
        // The descriptor goes with the child, which ends now.
        Ok(_) => Err(StepError { stage: "lose the terminal", errno: libc::EEXIST }),
        Err(_) => Ok(()),
    }
}

/// The device that standard input is; 0 for none.
fn input_device() -> Result<libc::dev_t, StepError> {
    const STDIN: RawFd = 0;
    // SAFETY: a struct of numbers, for which zeros are values.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    let args = [STDIN as usize, &raw mut stat as usize, 0, 0, 0];
    call("look at its input", libc::SYS_fstat, args)?;
    Ok(stat.st_rdev)
}

fn call(stage: &'static str, number: libc::c_long, args: [usize; 5]) -> Result<usize, StepError> {
    // SAFETY: numbers, a C string that lives for ever, or a pointer to this stack.
    match unsafe { syscall(number, args) } {
        result if result < 0 => Err(StepError { stage, errno: -result as i32 }),
        result => Ok(result as usize),
    }
}
