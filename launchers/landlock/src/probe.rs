//! Tries the confinement for real, before the first run depends on it.

use std::io;
use std::thread;

use cofferdam_launcher::{ChildStep, LaunchError, StepError};

/// Applies a step to a thread of its own and lets that thread end.
///
/// Capabilities, no_new_privs, a Landlock domain and a filter belong to a thread, so the host keeps
/// everything. It shows what no version number tells: a container whose seccomp profile refuses a
/// call, or a host that is itself inside sixteen Landlock domains.
pub(crate) fn try_on_a_thread(step: &(impl ChildStep + ?Sized)) -> Result<(), LaunchError> {
    let applied = thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, || step.apply())?;
        Ok(thread.join())
    });
    let applied = applied.map_err(|source: io::Error| LaunchError::System {
        stage: "start a thread to try the sandbox on",
        source,
    })?;
    match applied {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(refused(error)),
        Err(_) => Err(LaunchError::Failed("the trial of the sandbox panicked".to_owned())),
    }
}

fn refused(error: StepError) -> LaunchError {
    let reason = io::Error::from_raw_os_error(error.errno);
    let remedy = match error.errno {
        libc::E2BIG => "the host is inside as many Landlock domains as the kernel stacks (16)",
        _ => {
            "in a container, let its seccomp profile pass the landlock_ system calls and `seccomp`; \
             use another launcher"
        }
    };
    LaunchError::unsupported(format!("the system refuses to {}: {reason}", error.stage), remedy)
}
