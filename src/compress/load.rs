//! Filters from files: those that are embedded, and the operator's own.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use super::filter::{PatternError, Programs, WrittenFilters};

/// A file of filters that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// It cannot be read.
    #[error("`{}` cannot be read", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A folder holds no file whose name ends in `.toml`.
    #[error("`{}` holds no `.toml` file", path.display())]
    NoFile {
        /// The folder.
        path: PathBuf,
    },
    /// It is no TOML, or not what a filter is.
    #[error("`{}` is no file of filters: line {line}: {problem}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the parser said.
        problem: String,
    },
    /// A pattern is no regular expression.
    #[error("`{}` holds a pattern that is none, `{}`: {problem}", path.display(), pattern.escape_debug())]
    Pattern {
        /// The file.
        path: PathBuf,
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// It lies where the commands that it judges may write.
    #[error("`{}` lies in the workspace, where commands may change it", path.display())]
    InWorkspace {
        /// The file, physical.
        path: PathBuf,
    },
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("filters/", $name)))),*]
    };
}

/// The embedded files.
pub(super) const SHIPPED: [(&str, &str); 7] = shipped![
    "cargo.toml",
    "files.toml",
    "git.toml",
    "make.toml",
    "npm.toml",
    "pip.toml",
    "pytest.toml",
];

/// The embedded filters.
pub(super) fn shipped() -> Arc<[Programs]> {
    static PROGRAMS: LazyLock<Arc<[Programs]>> = LazyLock::new(|| {
        let read = |(name, text): (&str, &str)| parse(Path::new(name), text);
        let read: Result<Vec<_>, _> = SHIPPED.into_iter().map(read).collect();
        read.expect("the embedded filters are read by a test").into()
    });
    PROGRAMS.clone()
}

/// The filters of a file, or of the `.toml` files of a folder in the order of their names, and which
/// files these are; none of them below `workspace`, which must be physical.
pub(super) fn from_path(
    path: &Path,
    workspace: &Path,
) -> Result<(Vec<PathBuf>, Vec<Programs>), FilterError> {
    let mut programs = Vec::new();
    let files = files(path)?;
    for file in &files {
        let unreadable = |source| FilterError::Unreadable { path: file.clone(), source };
        let physical = file.canonicalize().map_err(unreadable)?;
        if physical.starts_with(workspace) {
            return Err(FilterError::InWorkspace { path: physical });
        }
        programs.push(parse(file, &std::fs::read_to_string(&physical).map_err(unreadable)?)?);
    }
    Ok((files, programs))
}

fn files(path: &Path) -> Result<Vec<PathBuf>, FilterError> {
    let unreadable = |source| FilterError::Unreadable { path: path.to_owned(), source };
    if !std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|extension| extension == "toml") {
            files.push(file);
        }
    }
    files.sort();
    match files.is_empty() {
        true => Err(FilterError::NoFile { path: path.to_owned() }),
        false => Ok(files),
    }
}

fn parse(path: &Path, text: &str) -> Result<Programs, FilterError> {
    let written: WrittenFilters = toml::from_str(text).map_err(|error| FilterError::Syntax {
        path: path.to_owned(),
        line: 1 + text[..error.span().map_or(0, |span| span.start)].matches('\n').count(),
        problem: error.message().lines().next().unwrap_or_default().to_owned(),
    })?;
    Programs::compile(written).map_err(|PatternError { pattern, problem }| FilterError::Pattern {
        path: path.to_owned(),
        pattern,
        problem,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mine.toml");
        std::fs::write(&path, text).unwrap();
        from_path(&path, Path::new("/nowhere")).unwrap_err().to_string()
    }

    #[test]
    fn every_embedded_file_can_be_read() {
        assert_eq!(shipped().len(), SHIPPED.len());
    }

    #[test]
    fn a_file_with_a_mistake_is_named_with_it() {
        let typo = error("programs = [\"x\"]\n[[filter]]\nprogres = [\"a\"]\n");
        assert!(typo.contains("mine.toml") && typo.contains("progres"), "{typo}");
        let pattern = error("programs = [\"x\"]\n[[filter]]\nprogress = [\"(a\"]\n");
        assert!(pattern.contains("unclosed group"), "{pattern}");
    }

    #[test]
    fn a_file_that_commands_can_change_is_refused_even_behind_a_link() {
        let (dir, workspace) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let inside = workspace.path().join("x.toml");
        std::fs::write(&inside, "programs = [\"x\"]\n[[filter]]\n").unwrap();
        let link = dir.path().join("link.toml");
        std::os::unix::fs::symlink(&inside, &link).unwrap();
        let workspace = workspace.path().canonicalize().unwrap();
        for path in [&inside, &link, &dir.path().to_owned()] {
            let error = from_path(path, &workspace).unwrap_err();
            assert!(matches!(error, FilterError::InWorkspace { .. }), "{error}");
        }
    }

    #[test]
    fn a_folder_without_filters_and_a_missing_file_are_mistakes() {
        let dir = tempfile::tempdir().unwrap();
        let none = Path::new("/nowhere");
        assert!(matches!(from_path(dir.path(), none), Err(FilterError::NoFile { .. })));
        assert!(matches!(from_path(none, none), Err(FilterError::Unreadable { .. })));
    }
}
