//! `cwd`: the directory in which commands run, and the workspace of profiles.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::{Place, Written};

/// The physical directory that was written, relative to `base`; the current one where none was.
/// `place` is that of the table in which `cwd` may stand.
pub(crate) fn working_directory(
    place: &Place,
    written: Written<PathBuf>,
    base: &Path,
    mistakes: &mut Mistakes,
) -> Option<PathBuf> {
    if written == Written::Absent {
        return std::env::current_dir()
            .and_then(|dir| physical(&dir))
            .map_err(|error| {
                let hint = "; the current directory is gone, so name another one";
                let problem = Problem::Directory { error, hint };
                mistakes.add_at(place.key("cwd"), problem);
            })
            .ok();
    }
    written.check(PathBuf::new, mistakes, |path| {
        if path.as_os_str().is_empty() {
            return Err(Problem::must("the path of a directory"));
        }
        physical(&base.join(path)).map_err(|error| Problem::Directory {
            error,
            hint: match path.starts_with("~") {
                true => "; `~` is not expanded, so write the whole path",
                false => "",
            },
        })
    })
}

/// The directory at `path`: absolute, without links.
fn physical(path: &Path) -> io::Result<PathBuf> {
    let path = fs::canonicalize(path)?;
    match fs::metadata(&path)?.is_dir() {
        true => Ok(path),
        false => Err(io::ErrorKind::NotADirectory.into()),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::place::Placed;
    use crate::config::tree::Tree;

    use super::*;

    fn check(path: &str, base: &Path) -> Result<PathBuf, Vec<String>> {
        let mut mistakes = Mistakes::default();
        let tree = Tree::String(path.to_owned());
        let written = Placed::tree(Place::root().key("cwd"), tree).read(&mut mistakes);
        working_directory(&Place::root(), written, base, &mut mistakes)
            .ok_or_else(|| mistakes.lines())
    }

    #[test]
    fn a_relative_path_starts_at_the_base_and_links_are_resolved() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        fs::create_dir(base.join("real")).unwrap();
        std::os::unix::fs::symlink("real", base.join("link")).unwrap();
        for path in ["real", "./link/../link", "link"] {
            assert_eq!(check(path, &base), Ok(base.join("real")), "{path}");
        }
        assert_eq!(check("/", &base), Ok(PathBuf::from("/")));
    }

    #[test]
    fn nothing_written_is_the_current_directory_and_not_the_base() {
        let mut mistakes = Mistakes::default();
        let dir = working_directory(
            &Place::root(),
            Written::Absent,
            Path::new("/nowhere"),
            &mut mistakes,
        );
        let current = std::env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(dir, Some(current));
    }

    #[test]
    fn what_is_no_directory_is_refused_with_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "").unwrap();
        for (path, reason) in [
            ("missing", "No such file or directory (os error 2)"),
            ("file", "not a directory"),
            ("file/below", "Not a directory (os error 20)"),
            ("~/src", "; `~` is not expanded, so write the whole path"),
            ("", "must be the path of a directory"),
        ] {
            let lines = check(path, dir.path()).unwrap_err();
            assert!(lines[0].starts_with(&format!("cwd = {path:?}: must be ")));
            assert!(lines[0].ends_with(reason), "{lines:?}");
        }
    }
}
