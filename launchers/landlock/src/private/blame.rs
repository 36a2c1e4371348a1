//! What it means that the init ended as it did.

use std::io;

use cofferdam_launcher::{Ended, LaunchError};

use super::protocol::stage;
use super::status::{Failure, Status};

/// What went wrong, or `None` where the command ran and the exit is its own.
pub(crate) fn judge(ended: Ended, status: &Status) -> Option<LaunchError> {
    if status.ended {
        return None;
    }
    if let Some(failure) = &status.failure {
        return Some(LaunchError::Failed(describe(failure)));
    }
    let how = match ended {
        Ended::Signaled(signal) => format!("was ended by signal {signal}"),
        Ended::Exited(code) => format!("exited with {code}"),
    };
    Some(match status.process {
        // The command may be in any state, so neither its exit nor "it did not run" would be true.
        Some(_) => LaunchError::Other(format!(
            "the init {how} before it could tell how the command ended: it may have run in part"
        )),
        None => LaunchError::Failed(format!("the init {how} and told nothing")),
    })
}

/// A failure in words, with what would help where that is known.
pub(crate) fn describe(failure: &Failure) -> String {
    let Failure { stage, errno, path } = failure;
    let path = path.display();
    let reason = io::Error::from_raw_os_error(*errno);
    match (*stage, *errno) {
        (stage::EXEC | stage::PROGRAM, libc::ENOENT) => format!(
            "`{path}`, or the interpreter that it names, is not visible inside: add a `read` rule for \
             the folder that it really lies in"
        ),
        (stage::EXEC, libc::EACCES) => format!(
            "`{path}` may not be executed, or a folder on the way to it may not be passed: {reason}"
        ),
        (stage::EXEC | stage::PROGRAM, _) => format!("could not start `{path}`: {reason}"),
        (stage::DIRECTORY, libc::ENOENT | libc::ENOTDIR) => {
            format!(
                "the working directory `{path}` is gone, or is not visible inside: add a `read` or \
                 `write` rule for it"
            )
        }
        (stage::DIRECTORY, libc::ESTALE) => {
            format!("the working directory `{path}` is another one inside")
        }
        (stage::STEP, libc::ELOOP) => format!(
            "`{path}`: a symbolic link stands in it now, which was not there when the policy was \
             resolved"
        ),
        (stage::STEP, libc::ESTALE) => {
            format!("`{path}` was replaced while the sandbox was being built")
        }
        (stage::STEP, libc::EACCES) => format!(
            "`{path}`: {reason}; inside a user namespace even root has no rights over the files of \
             other users"
        ),
        (stage::STEP | stage::RULE, _) => format!("`{path}`: {reason}"),
        (stage, _) => format!("could not {}: {reason}", doing(stage)),
    }
}

/// What is being done in a stage.
fn doing(stage: u32) -> &'static str {
    match stage {
        stage::PLAN => "start the init",
        stage::UNSHARE => "make private namespaces",
        stage::IDS => "map the user's ids",
        stage::LOOPBACK => "bring the loopback up",
        stage::FORK => "make a process",
        stage::NETWORK => "enter the private network",
        stage::TEMPLATE => "take the template of the view",
        stage::PARENT => "find the host alive",
        stage::ROOT => "make the root of the view",
        stage::LEAVE => "leave the host's files",
        stage::DIRECTORY => "enter the working directory",
        stage::CAPABILITIES => "drop capabilities",
        stage::LIMITS => "limit resources",
        stage::RULESET => "create the Landlock ruleset",
        stage::RESTRICT => "restrict with Landlock",
        stage::FILTER => "install the system call filter",
        _ => "build the sandbox",
    }
}
