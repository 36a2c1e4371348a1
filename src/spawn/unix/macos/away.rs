//! Looks from inside a child whether it is away from the host's terminal.

use std::io;
use std::os::fd::RawFd;

use cofferdam_launcher::{ChildStep, StepError};

/// What the step "fails" with when everything is as it should be: it looks and never execs.
pub(in crate::spawn) const AWAY: &str = "find everything as it should be";

/// The device of `/dev/null`.
const NULL: (i32, i32) = (3, 2);

/// A step that looks at what the stages before it have done.
pub(in crate::spawn) struct IsAway;

// SAFETY: only calls that may be made after a fork (`sigaction(2)`), on values of its own stack; no
// heap, no lock, no panic.
unsafe impl ChildStep for IsAway {
    fn apply(&self) -> Result<(), StepError> {
        look().and(Err(StepError { stage: AWAY, errno: 0 }))
    }

    fn explain(&self) -> String {
        "look for the terminal".to_owned()
    }
}

fn look() -> Result<(), StepError> {
    // SAFETY: the calls take numbers.
    let leads = unsafe { libc::getsid(0) == libc::getpid() };
    if !leads {
        return Err(StepError { stage: "lead a session of its own", errno: libc::EPERM });
    }
    if input_device()? != libc::makedev(NULL.0, NULL.1) {
        return Err(StepError { stage: "read its input from /dev/null", errno: libc::ENOTTY });
    }
    let flags = libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC;
    // SAFETY: a C string that lives for ever. The descriptor goes with the child, which ends now.
    match unsafe { libc::open(c"/dev/tty".as_ptr(), flags) } {
        -1 => Ok(()),
        _ => Err(StepError { stage: "lose the terminal", errno: libc::EEXIST }),
    }
}

/// The device that standard input is; 0 for none.
fn input_device() -> Result<libc::dev_t, StepError> {
    const STDIN: RawFd = 0;
    // SAFETY: a struct of numbers, for which zeros are values.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: `stat` is large enough, and of this stack.
    match unsafe { libc::fstat(STDIN, &raw mut stat) } {
        0 => Ok(stat.st_rdev),
        _ => {
            let errno = io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
            Err(StepError { stage: "look at its input", errno })
        }
    }
}
