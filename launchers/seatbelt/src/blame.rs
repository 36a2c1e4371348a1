//! The wrapper ended: did the command run?
//!
//! `sandbox-exec` becomes the command by an exec, and has no channel by which it tells that it did. Its
//! exit codes and its words can come from any command. So these are no more than a reason to ask again:
//! only when the same profile fails now on a program that does nothing is the sandbox to blame.

use cofferdam_launcher::{Ended, LaunchError, WrapperEnd};

/// The codes of `sandbox-exec` itself: for its command line, for a profile, for a call of the system
/// (`sysexits(3)`).
const OWN_CODES: [i32; 3] = [64, 65, 71];

/// What went wrong, or `None` where the exit is to be taken as the command's. `again` tries the profile
/// on a harmless program.
pub(crate) fn judge(
    end: &WrapperEnd<'_>,
    again: impl FnOnce() -> Result<(), LaunchError>,
) -> Option<LaunchError> {
    let is_suspect = matches!(end.ended, Ended::Exited(code) if OWN_CODES.contains(&code))
        && end.stderr.starts_with(b"sandbox-exec: ");
    if !is_suspect {
        return None;
    }
    let error = again().err()?;
    let said = String::from_utf8_lossy(end.stderr);
    let said = said.lines().next().unwrap_or_default();
    Some(LaunchError::Failed(format!("{said} (tried again: {error})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &[u8] = b"sandbox-exec: sandbox_apply: Operation not permitted\nmore";

    fn blame(ended: Ended, stderr: &[u8], again: Result<(), LaunchError>) -> Option<String> {
        let end = WrapperEnd { ended, status: b"", stderr };
        judge(&end, || again).map(|error| error.to_string())
    }

    fn broken() -> Result<(), LaunchError> {
        Err(LaunchError::unsupported("no sandbox here", "none"))
    }

    #[test]
    fn words_and_an_exit_code_alone_blame_nobody() {
        assert_eq!(blame(Ended::Exited(71), OWN, Ok(())), None);
    }

    #[test]
    fn a_command_that_says_nothing_of_the_kind_is_never_blamed() {
        assert_eq!(blame(Ended::Exited(1), OWN, broken()), None);
        assert_eq!(blame(Ended::Exited(65), b"error: sandbox-exec: no", broken()), None);
        assert_eq!(blame(Ended::Signaled(9), OWN, broken()), None);
    }

    #[test]
    fn a_sandbox_that_fails_again_is_blamed_in_its_own_words() {
        let text = blame(Ended::Exited(71), OWN, broken()).unwrap();
        assert!(text.starts_with("the sandbox could not be set up"), "{text}");
        assert!(text.contains("sandbox_apply: Operation not permitted (tried again"), "{text}");
        assert!(!text.contains("more"), "{text}");
    }
}
