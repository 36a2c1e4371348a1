//! Finds bubblewrap, and makes sure that it is the one of this machine and not of somebody else.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use cofferdam_launcher::LaunchError;
use cofferdam_profiles::Filesystem;
use nix::unistd::{AccessFlags, access, geteuid};

/// Where it lies where PATH does not name it: a service often has no PATH.
const USUAL: [&str; 3] = ["/usr/bin", "/usr/local/bin", "/bin"];
const REMEDY: &str =
    "install the package `bubblewrap`, or give its path in the launcher's `program`";
/// Whom files belong to whose owner is not mapped into the user namespace (`user_namespaces(7)`).
const OVERFLOW: &str = "/proc/sys/kernel/overflowuid";

/// The physical path of bubblewrap: `chosen`, else the first in the absolute entries of `path`, else
/// the first in the usual folders.
///
/// # Errors
/// [`LaunchError::WrapperMissing`] when there is none, and [`LaunchError::Unsupported`] when it could
/// have been put or changed by somebody who is not trusted.
pub(crate) fn find(
    chosen: Option<&Path>,
    path: &OsStr,
    files: &Filesystem,
) -> Result<PathBuf, LaunchError> {
    let program = match chosen {
        Some(chosen) if !chosen.is_absolute() => {
            return Err(refused(chosen, "is not an absolute path"));
        }
        Some(chosen) if is_executable(chosen) => chosen.to_owned(),
        Some(chosen) => {
            return Err(LaunchError::wrapper_missing(chosen.display().to_string(), REMEDY));
        }
        None => search(path).ok_or_else(|| LaunchError::wrapper_missing("bwrap", REMEDY))?,
    };
    let physical = program
        .canonicalize()
        .map_err(|source| LaunchError::Path { path: program.clone(), source })?;
    let metadata = physical
        .metadata()
        .map_err(|source| LaunchError::Path { path: physical.clone(), source })?;
    if is_unmapped(metadata.uid()) {
        return Err(LaunchError::unsupported(
            format!(
                "`{}` belongs to a user who is not known in this user namespace, so nobody can tell \
                 whether it is root's",
                physical.display()
            ),
            "start it outside of the user namespace, use the launcher `landlock`, or give a copy of \
             your own in the launcher's `program`",
        ));
    }
    match distrust(&physical, &metadata, geteuid().as_raw(), files) {
        Some(reason) => Err(refused(&physical, reason)),
        None => Ok(physical),
    }
}

/// Whether a number stands for all users that this user namespace does not know, and some are.
fn is_unmapped(owner: u32) -> bool {
    let number = std::fs::read_to_string(OVERFLOW).ok().and_then(|text| text.trim().parse().ok());
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    number == Some(owner) && !knows_all(&map)
}

/// Whether an id map leaves no user out.
fn knows_all(map: &str) -> bool {
    map.split_whitespace().eq(["0", "0", "4294967295"])
}

fn search(path: &OsStr) -> Option<PathBuf> {
    // An empty or relative entry would mean "whatever lies in the working directory".
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .chain(USUAL.map(PathBuf::from))
        .map(|folder| folder.join("bwrap"))
        .find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    // A directory passes access(2) with X_OK as well.
    path.is_file() && access(path, AccessFlags::X_OK).is_ok()
}

/// Why this file is not to be trusted with building a sandbox.
fn distrust(
    path: &Path,
    metadata: &Metadata,
    caller: u32,
    files: &Filesystem,
) -> Option<&'static str> {
    let (mode, owner) = (metadata.mode(), metadata.uid());
    if mode & 0o6000 != 0 {
        // It would work with the rights of root outside of any user namespace.
        Some("is setuid or setgid")
    } else if owner != 0 && owner != caller {
        Some("belongs neither to root nor to this user")
    } else if mode & 0o022 != 0 {
        Some("can be written by others than its owner")
    } else if files.may_write(path) {
        Some("lies where the policy lets a run write, so a run could replace it")
    } else {
        None
    }
}

fn refused(path: &Path, reason: &str) -> LaunchError {
    LaunchError::unsupported(format!("`{}` {reason}", path.display()), REMEDY)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use cofferdam_profiles::{Access, Kind, Origin, Rule};

    use super::*;

    fn bwrap(folder: &Path, mode: u32) -> PathBuf {
        let file = folder.join("bwrap");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    fn found(folder: &Path) -> Result<PathBuf, LaunchError> {
        find(None, folder.as_os_str(), &Filesystem::default())
    }

    #[test]
    fn the_path_is_searched_first_and_links_are_resolved() {
        let folder = tempfile::tempdir().unwrap();
        let real = bwrap(folder.path(), 0o755);
        let links = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(&real, links.path().join("bwrap")).unwrap();
        assert_eq!(found(links.path()).unwrap(), real.canonicalize().unwrap());
    }

    #[test]
    fn a_file_that_others_could_have_changed_is_refused() {
        for (mode, reason) in [
            (0o4755, "setuid"),
            (0o2755, "setgid"),
            (0o775, "written by others"),
            (0o757, "written by others"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            bwrap(folder.path(), mode);
            let error = found(folder.path()).unwrap_err();
            assert!(error.to_string().contains(reason), "{mode:o}: {error}");
            assert!(error.remedy().unwrap().contains("`program`"));
        }
    }

    #[test]
    fn a_file_of_a_stranger_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = bwrap(folder.path(), 0o755);
        let metadata = file.metadata().unwrap();
        let stranger = metadata.uid() + 1;
        let reason = |caller| distrust(&file, &metadata, caller, &Filesystem::default());
        assert_eq!(reason(metadata.uid()), None);
        let expected = (metadata.uid() != 0).then_some("belongs neither to root nor to this user");
        assert_eq!(reason(stranger), expected);
    }

    #[test]
    fn a_file_that_a_run_could_replace_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        bwrap(folder.path(), 0o755);
        let physical = folder.path().canonicalize().unwrap();
        let files = Filesystem {
            rules: vec![Rule {
                access: Access::Write,
                path: physical.clone(),
                kind: Kind::Directory,
                links: Vec::new(),
                written: physical.clone(),
                origin: Origin::default(),
            }],
            ..Filesystem::default()
        };
        let error = find(None, physical.as_os_str(), &files).unwrap_err();
        assert!(error.to_string().contains("lets a run write"), "{error}");
    }

    #[test]
    fn one_that_is_chosen_must_be_there_and_absolute() {
        let files = Filesystem::default();
        let chosen = |path: &str| find(Some(Path::new(path)), "/usr/bin".as_ref(), &files);
        assert!(matches!(chosen("/nowhere/bwrap"), Err(LaunchError::WrapperMissing { .. })));
        assert!(chosen("bwrap").unwrap_err().to_string().contains("not an absolute path"));
    }
}
