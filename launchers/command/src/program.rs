//! Finds the wrapper's own program, once, when the launcher is built.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cofferdam_launcher::LaunchError;
use nix::unistd::{AccessFlags, access};

use crate::SpecError;

/// The absolute path that `name` stands for. A bare name is looked up in the absolute entries of
/// `path`: an empty or relative one would mean "whatever lies in the working directory".
pub(crate) fn resolve(name: &str, path: &OsStr) -> Result<PathBuf, LaunchError> {
    let written = Path::new(name);
    if written.is_absolute() {
        return match is_executable(written) {
            true => Ok(written.to_owned()),
            false => Err(missing(name)),
        };
    }
    if name.is_empty() || name.contains('/') || matches!(name, "." | "..") {
        return Err(SpecError::Program { element: name.to_owned() }.into());
    }
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|candidate| is_executable(candidate))
        .ok_or_else(|| missing_in(name, path))
}

/// Whether this process may execute what stands at `path`.
pub(crate) fn is_executable(path: &Path) -> bool {
    // A directory passes access(2) with X_OK as well.
    path.is_file() && access(path, AccessFlags::X_OK).is_ok()
}

/// The error for a program that is not there, or not executable.
pub(crate) fn missing(program: &str) -> LaunchError {
    LaunchError::wrapper_missing(
        program,
        format!(
            "install it, make it executable, or change the launcher's `command`: there is no executable file at `{program}`"
        ),
    )
}

fn missing_in(name: &str, path: &OsStr) -> LaunchError {
    let path = path.display();
    LaunchError::wrapper_missing(
        name,
        format!(
            "install it, or write its absolute path in the launcher's `command`: it is in no absolute entry of PATH ({path})"
        ),
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn file(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let file = folder.join(name);
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn the_first_executable_file_of_the_path_is_taken() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        file(first.path(), "wrap", 0o644);
        fs::create_dir(first.path().join("folder")).unwrap();
        let wanted = file(second.path(), "wrap", 0o755);
        let path = std::env::join_paths([first.path(), second.path()]).unwrap();
        assert_eq!(resolve("wrap", &path).unwrap(), wanted);
        assert!(resolve("folder", &path).is_err());
    }

    #[test]
    fn empty_and_relative_entries_of_the_path_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        file(folder.path(), "wrap", 0o755);
        let here = std::env::current_dir().unwrap();
        let up = "../".repeat(here.components().count() - 1);
        let relative = format!("{up}{}", &folder.path().to_str().unwrap()[1..]);
        assert!(Path::new(&relative).join("wrap").exists());
        let found = resolve("wrap", format!(":{relative}:").as_ref());
        assert!(matches!(found, Err(LaunchError::WrapperMissing { .. })));
    }

    #[test]
    fn a_relative_path_with_a_slash_is_refused() {
        for name in ["./wrap", "bin/wrap", "..", ""] {
            let error = resolve(name, "/usr/bin".as_ref()).unwrap_err().to_string();
            assert!(error.contains("must name the wrapper's own program"), "{name}: {error}");
        }
    }

    #[test]
    fn a_missing_program_is_named_with_the_remedy() {
        let error = resolve("no-such-wrapper", "/usr/bin".as_ref()).unwrap_err();
        assert!(error.to_string().contains("no-such-wrapper"));
        assert!(error.remedy().unwrap().contains("/usr/bin"));
    }
}
