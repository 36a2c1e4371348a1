//! Tries a profile on a program that does nothing.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use cofferdam_launcher::LaunchError;

use crate::profile::Profile;

/// The system's own, and no other: it is not searched for.
pub(crate) const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";
/// A program that does nothing.
const HARMLESS: &str = "/usr/bin/true";
/// It takes some hundredths of a second; a machine that does not get it done in this time has other
/// troubles.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs the harmless program under the profile, once.
///
/// # Errors
/// [`LaunchError::Unsupported`] where this is no macOS, [`LaunchError::WrapperMissing`] where it has no
/// `sandbox-exec`, [`LaunchError::Unsupported`] with its own words where it failed.
pub(crate) fn run(profile: &Profile) -> Result<(), LaunchError> {
    if !cfg!(target_os = "macos") {
        return Err(LaunchError::unsupported(
            format!(
                "the seatbelt launcher works on macOS only, and this is {}",
                std::env::consts::OS
            ),
            "use the launcher `auto`",
        ));
    }
    if !Path::new(SANDBOX_EXEC).is_file() {
        return Err(LaunchError::wrapper_missing(
            SANDBOX_EXEC,
            "it is a part of macOS: repair the system, or use a virtual machine",
        ));
    }
    judge(&attempt(profile)?)
}

/// How the harmless program ended.
struct Attempt {
    succeeded: bool,
    stderr: String,
    hung: bool,
}

fn attempt(profile: &Profile) -> Result<Attempt, LaunchError> {
    let failed = |source| LaunchError::System { stage: "start sandbox-exec", source };
    let mut child = Command::new(SANDBOX_EXEC)
        .args(profile.options())
        .arg(HARMLESS)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let (tell, told) = mpsc::channel();
    if let Some(mut stderr) = child.stderr.take() {
        std::thread::spawn(move || {
            let mut said = Vec::new();
            // What was read before an error is all that there is to tell.
            let _ = stderr.read_to_end(&mut said);
            let _ = tell.send(said);
        });
    }
    // The end of its output is the end of the program, or it was ended.
    let said = told.recv_timeout(PATIENCE);
    let hung = said.is_err();
    if hung {
        let _ = child.kill();
    }
    let status = child.wait().map_err(failed)?;
    let stderr = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
    Ok(Attempt { succeeded: status.success(), stderr, hung })
}

fn judge(attempt: &Attempt) -> Result<(), LaunchError> {
    let said = attempt.stderr.trim();
    // The profile stands when a program is exec'd under it. A policy need not show the harmless one.
    if attempt.succeeded || said.starts_with("sandbox-exec: execvp()") {
        return Ok(());
    }
    let what = match (attempt.hung, said.is_empty()) {
        (true, _) => "it did not end",
        (false, true) => "it failed and gave no reason",
        (false, false) => said,
    };
    let remedy = match said.contains("sandbox_apply") {
        true => {
            "this process is in a sandbox already, and macOS has no sandbox within another: start it outside"
        }
        false => {
            "this version of macOS may not know a rule of the profile: report it with the text that `cofferdam explain` prints"
        }
    };
    Err(LaunchError::unsupported(
        format!("`{SANDBOX_EXEC}` cannot build a sandbox here: {what}"),
        remedy,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(succeeded: bool, stderr: &str, hung: bool) -> Result<(), LaunchError> {
        judge(&Attempt { succeeded, stderr: stderr.to_owned(), hung })
    }

    #[test]
    fn a_profile_that_was_applied_is_good_even_where_it_does_not_show_the_program() {
        judged(true, "", false).unwrap();
        judged(
            false,
            "sandbox-exec: execvp() of '/usr/bin/true' failed: Operation not permitted\n",
            false,
        )
        .unwrap();
    }

    #[test]
    fn a_profile_that_was_not_applied_is_refused_with_the_reason() {
        let nested = judged(false, "sandbox-exec: sandbox_apply: Operation not permitted", false);
        assert!(nested.unwrap_err().remedy().unwrap().contains("in a sandbox already"));
        let unknown =
            judged(false, "sandbox-exec: unbound variable: file-link", false).unwrap_err();
        assert!(unknown.to_string().contains("unbound variable: file-link"), "{unknown}");
        assert!(judged(false, "", false).unwrap_err().to_string().contains("no reason"));
        assert!(judged(false, "", true).unwrap_err().to_string().contains("did not end"));
    }
}
