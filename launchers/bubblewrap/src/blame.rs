//! The wrapper ended: did the command run?
//!
//! Bubblewrap writes an exit record when the command has ended, and only if it was really exec'd.
//! That record is the whole evidence. Its words on stderr only make the message.

use cofferdam_launcher::{Ended, LaunchError, WrapperEnd};

use crate::cause::{self, Machine};
use crate::status::Status;

/// What went wrong, or `None` where the command ran and the exit is its own. `machine` is asked only
/// for a failure.
pub(crate) fn judge(end: &WrapperEnd<'_>, machine: fn() -> Machine) -> Option<LaunchError> {
    let status = Status::parse(end.status);
    if status.exit.is_some() {
        return None;
    }
    let said = cause::own_words(end.stderr);
    Some(match end.ended {
        Ended::Signaled(signal) if said.is_empty() && status.child.is_some() => cut_off(signal),
        Ended::Signaled(signal) if said.is_empty() => {
            LaunchError::Failed(format!("bubblewrap was ended by signal {signal}"))
        }
        Ended::Exited(code) if said.is_empty() => {
            LaunchError::Failed(format!("bubblewrap exited with {code} and gave no reason"))
        }
        _ => LaunchError::Failed(explained(&said, machine())),
    })
}

/// Killed by somebody else after the sandbox stood and before it could tell. The command may be in
/// any state, so neither its exit nor "it did not run" would be true.
fn cut_off(signal: i32) -> LaunchError {
    LaunchError::Other(format!(
        "bubblewrap was ended by signal {signal} before it could tell how the command ended: it may have run in part"
    ))
}

/// Bubblewrap's message as it stands, with what it means where that is known.
fn explained(said: &str, machine: Machine) -> String {
    let meaning = if let Some(program) = between(said, "execvp ", ": No such file or directory") {
        format!(
            "`{program}`, or the interpreter that it names, is not visible inside: add a `read` rule for the folder \
             that it really lies in"
        )
    } else if let Some(program) = between(said, "execvp ", ": Permission denied") {
        format!("`{program}` may not be executed, or a folder on the way to it may not be passed")
    } else if let Some(dir) = between(said, "Can't chdir to ", ": ") {
        format!("the working directory `{dir}` is gone, or is not visible inside")
    } else if said.contains("Race condition binding") {
        "a path of the policy was replaced while the sandbox was being built".to_owned()
    } else {
        match cause::remedy(said, machine) {
            Some(remedy) => remedy,
            None => return format!("bwrap: {said}"),
        }
    };
    format!("bwrap: {said} ({meaning})")
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.rsplit_once(after)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHILD: &str = "{ \"child-pid\": 12 }\n";
    const EXIT: &str = "{ \"child-pid\": 12 }\n{ \"exit-code\": 1 }\n";

    fn blame(ended: Ended, status: &str, stderr: &str) -> Option<String> {
        let end = WrapperEnd { ended, status: status.as_bytes(), stderr: stderr.as_bytes() };
        judge(&end, Machine::default).map(|error| error.to_string())
    }

    #[test]
    fn a_command_that_ran_is_never_blamed_whatever_it_writes() {
        assert_eq!(
            blame(Ended::Exited(1), EXIT, "bwrap: execvp x: No such file or directory"),
            None
        );
        assert_eq!(blame(Ended::Signaled(9), EXIT, ""), None);
    }

    #[test]
    fn without_an_exit_record_the_command_did_not_run() {
        let line = "bwrap: setting up uid map: Permission denied\n";
        for status in ["", CHILD, "rubbish"] {
            let text = blame(Ended::Exited(1), status, line).unwrap();
            assert!(text.starts_with("the sandbox could not be set up"), "{text}");
            assert!(text.contains(line.trim()), "{text}");
        }
        assert!(blame(Ended::Exited(0), "", "").unwrap().contains("exited with 0"));
        assert!(blame(Ended::Signaled(9), "", "").unwrap().contains("signal 9"));
    }

    #[test]
    fn a_missing_program_and_directory_are_named_with_what_to_do() {
        let text =
            blame(Ended::Exited(1), CHILD, "bwrap: execvp /opt/x: No such file or directory\n");
        let text = text.unwrap();
        assert!(text.contains("`/opt/x`") && text.contains("`read` rule"), "{text}");
        let text =
            blame(Ended::Exited(1), CHILD, "bwrap: Can't chdir to /a: b: No such file\n").unwrap();
        assert!(text.contains("`/a: b`"), "{text}");
    }

    #[test]
    fn a_wrapper_that_was_killed_is_no_proof_that_nothing_ran() {
        let text = blame(Ended::Signaled(9), CHILD, "").unwrap();
        assert!(text.contains("may have run in part"), "{text}");
        assert!(!text.contains("did not run"), "{text}");
    }
}
