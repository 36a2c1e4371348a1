//! The wrapper ended: did the command run?
//!
//! Bubblewrap starts a program of ours, which becomes the command. It tells that it is about to, or
//! what failed; bubblewrap writes an exit record when that has ended, and only if it was really
//! exec'd. These records are the whole evidence. Words on stderr only make the message.

use cofferdam_landlock::Threshold;
use cofferdam_launcher::{Ended, LaunchError, WrapperEnd};

use crate::cause::{self, Machine};
use crate::status::{Failure, Status};

/// What went wrong, or `None` where the command ran and the exit is its own. `machine` is asked only
/// for a failure.
pub(crate) fn judge(end: &WrapperEnd<'_>, machine: fn() -> Machine) -> Option<LaunchError> {
    let status = Status::parse(end.status);
    if let Some(Failure { stage, errno, path }) = status.failure {
        return Some(LaunchError::Failed(Threshold::describe(stage, errno, path)));
    }
    match (status.exit, status.begun) {
        (Some(_), true) => return None,
        (Some(code), false) => {
            return Some(LaunchError::Failed(format!(
                "the program that restricts the command inside ended with {code} before it had begun"
            )));
        }
        (None, _) => {}
    }
    let said = cause::own_words(end.stderr);
    Some(match end.ended {
        Ended::Signaled(signal) if said.is_empty() && status.begun => cut_off(signal),
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
    let meaning = if let Some(dir) = between(said, "Can't chdir to ", ": ") {
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
    const BEGUN: &str = "{ \"child-pid\": 12 }\n{\"begun\":true}\n";
    const EXIT: &str = "{ \"child-pid\": 12 }\n{\"begun\":true}\n{ \"exit-code\": 1 }\n";

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
    fn an_exit_is_the_commands_only_if_it_was_about_to_run_and_nothing_failed() {
        let before = "{ \"child-pid\": 12 }\n{ \"exit-code\": 139 }\n";
        assert!(blame(Ended::Exited(139), before, "").unwrap().contains("139 before"));
        let failed =
            format!("{BEGUN}{{\"failed\":[18,13],\"path\":\"2f78\"}}\n{{\"exit-code\":125}}");
        assert!(blame(Ended::Exited(125), &failed, "").unwrap().contains("`/x`"));
    }

    #[test]
    fn a_missing_program_and_directory_are_named_with_what_to_do() {
        let failed = "{\"failed\":[18,2],\"path\":\"2f6f70742f78\"}\n";
        let text = blame(Ended::Exited(125), failed, "").unwrap();
        assert!(text.contains("`/opt/x`") && text.contains("`read` rule"), "{text}");
        let text =
            blame(Ended::Exited(1), CHILD, "bwrap: Can't chdir to /a: b: No such file\n").unwrap();
        assert!(text.contains("`/a: b`"), "{text}");
    }

    #[test]
    fn a_wrapper_that_was_killed_is_no_proof_that_nothing_ran() {
        let text = blame(Ended::Signaled(9), BEGUN, "").unwrap();
        assert!(text.contains("may have run in part"), "{text}");
        assert!(!text.contains("did not run"), "{text}");
        assert!(!blame(Ended::Signaled(9), CHILD, "").unwrap().contains("in part"));
    }
}
