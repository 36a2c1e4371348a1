//! Which program a command stands for. It is decided here, before a launcher is asked, so that every
//! launcher runs the same one.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use cofferdam_profiles::Policy;

use crate::gate::shell_line;
use crate::quoted::quoted;

/// The command could not be resolved. A condition of the run, not the caller's mistake.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unresolved {
    #[error("{} was not found on PATH ({}){}", quoted(command), path.to_string_lossy(), hint(command))]
    NotOnPath { command: OsString, path: OsString },
    #[error(
        "{} is `{}` on this machine, which the profile `{profile}` does not open; add \
         `{}` to its `read` list (`--read` on the command line)",
        quoted(command), found.display(), remedy.display()
    )]
    NotVisible { command: OsString, found: PathBuf, remedy: PathBuf, profile: String },
    #[error("{} cannot be run: {}", quoted(program.as_os_str()), what(cause))]
    Unusable { program: PathBuf, cause: io::Error },
}

impl Unresolved {
    /// Whether there is no such program, as against one that cannot be run.
    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Unresolved::NotOnPath { .. } => true,
            Unresolved::NotVisible { .. } => false,
            Unresolved::Unusable { cause, .. } => cause.kind() == io::ErrorKind::NotFound,
        }
    }
}

/// The absolute path of the program that `command` stands for in `dir`.
///
/// A name with a slash belongs to the run's directory. A bare name is looked up on `path`, the
/// child's own, whose empty and relative entries have been taken out: the server's directory is never
/// searched. Where a policy hides some of the candidates, the first that it shows is taken.
pub(crate) fn resolve(
    command: &OsStr,
    dir: &Path,
    path: &OsStr,
    policy: Option<&Policy>,
) -> Result<PathBuf, Unresolved> {
    if command.as_bytes().contains(&b'/') {
        return runnable(dir.join(command));
    }
    let mut hidden = None;
    for candidate in candidates(command, path) {
        match policy.filter(|policy| !shows(policy, &candidate)) {
            None => return Ok(candidate),
            Some(policy) => hidden = hidden.or(Some((candidate, policy))),
        }
    }
    Err(match hidden {
        Some((found, policy)) => Unresolved::NotVisible {
            command: command.to_owned(),
            remedy: closed_part(policy, &found),
            found,
            profile: policy.name.clone(),
        },
        None => Unresolved::NotOnPath { command: command.to_owned(), path: path.to_owned() },
    })
}

/// All executable files of that name on `path`, in order.
fn candidates(command: &OsStr, path: &OsStr) -> impl Iterator<Item = PathBuf> {
    // Without an absolute directory to start from, `which` would take the process's own.
    which::which_in_all(command, Some(path), "/").into_iter().flatten()
}

/// Whether the policy shows both the name and what it leads to.
fn shows(policy: &Policy, program: &Path) -> bool {
    let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    policy.filesystem.may_read(&real) && may_follow(policy, program)
}

/// A link outside of the view is not there inside; its folder, made physical, must be shown.
fn may_follow(policy: &Policy, program: &Path) -> bool {
    let Some(folder) = program.parent().and_then(|folder| folder.canonicalize().ok()) else {
        return false;
    };
    let name = program.file_name().map_or_else(|| folder.clone(), |name| folder.join(name));
    policy.filesystem.may_read(&name)
        || policy
            .filesystem
            .rules
            .iter()
            .any(|rule| rule.links.iter().any(|link| link.path == name))
}

/// The folder to open so that the program can be run: the one that holds what its name leads to, or
/// the one that holds the name.
fn closed_part(policy: &Policy, found: &Path) -> PathBuf {
    let real = found.canonicalize().unwrap_or_else(|_| found.to_owned());
    let closed = if policy.filesystem.may_read(&real) { found } else { &real };
    closed.parent().unwrap_or(closed).to_owned()
}

fn runnable(program: PathBuf) -> Result<PathBuf, Unresolved> {
    let checked = std::fs::metadata(&program).and_then(|meta| {
        if meta.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(rustix::fs::access(&program, rustix::fs::Access::EXEC_OK)?)
    });
    match checked {
        Ok(()) => Ok(program),
        Err(cause) => Err(Unresolved::Unusable { program, cause }),
    }
}

fn hint(command: &OsStr) -> String {
    shell_line(command).map_or_else(String::new, |hint| format!("; {hint}"))
}

fn what(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        io::ErrorKind::PermissionDenied => {
            "permission denied (is it executable, and may every folder on the way be entered?)"
                .to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn program(dir: &Path, name: &str, mode: u32) -> PathBuf {
        let path = dir.join(name);
        std::fs::write(&path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn a_bare_name_is_found_on_the_path_of_the_child() {
        let dir = tempfile::tempdir().unwrap();
        let tool = program(dir.path(), "tool", 0o755);
        let found = resolve("tool".as_ref(), Path::new("/"), dir.path().as_os_str(), None);
        assert_eq!(found.unwrap(), tool);
    }

    #[test]
    fn a_file_that_is_not_executable_is_passed_over() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        program(first.path(), "tool", 0o644);
        let tool = program(second.path(), "tool", 0o755);
        let path = std::env::join_paths([first.path(), second.path()]).unwrap();
        assert_eq!(resolve("tool".as_ref(), Path::new("/"), &path, None).unwrap(), tool);
    }

    #[test]
    fn a_name_with_a_slash_belongs_to_the_directory_of_the_run() {
        let dir = tempfile::tempdir().unwrap();
        program(dir.path(), "tool", 0o755);
        let found = resolve("./tool".as_ref(), dir.path(), "/nowhere".as_ref(), None).unwrap();
        assert_eq!(found, dir.path().join("./tool"));
        assert!(resolve("tool".as_ref(), dir.path(), "/nowhere".as_ref(), None).is_err());
    }

    #[test]
    fn a_directory_and_a_plain_file_are_named_as_what_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let plain = program(dir.path(), "plain", 0o644);
        let message = |path: &Path| {
            resolve(path.as_os_str(), Path::new("/"), "".as_ref(), None).unwrap_err().to_string()
        };
        assert!(message(dir.path()).ends_with("it is a directory"));
        assert!(message(&plain).contains("permission denied"));
        assert!(message(&dir.path().join("none")).ends_with("no such file or directory"));
    }

    #[test]
    fn a_missing_program_is_named_with_the_path_that_was_searched() {
        let error = resolve("nosuchtool".as_ref(), Path::new("/"), "/a:/b".as_ref(), None);
        let text = error.unwrap_err().to_string();
        assert!(text.contains("`nosuchtool`") && text.contains("/a:/b"), "{text}");
    }
}
