//! The git repositories below a workspace.
//!
//! A hook or a setting of any of them is executed when somebody uses git in there, so what a profile
//! protects of the workspace's own repository is protected of these as well. They are looked for when
//! the policy is resolved, and only near the workspace: a start must not take longer with every file.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use crate::git;

/// How many folders are looked into, the nearest first: a few milliseconds.
const MOST_FOLDERS: usize = 2000;
/// How many repositories count. Each costs every run some mounts.
const MOST_REPOSITORIES: usize = 64;
/// Folders of installed packages and of build results, with the greater part of many a workspace and
/// nobody's repositories in them.
const PASSED_OVER: [&str; 4] = ["node_modules", "target", ".venv", "__pycache__"];

/// The git directories of the repositories below a folder, not of its own: `REPOSITORY/.git` for each,
/// whatever that is, and for a file also the folder that it names, if that lies in the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repositories {
    /// By their names.
    pub(crate) found: Vec<PathBuf>,
    /// Whether there are no others.
    pub(crate) is_all: bool,
}

impl Default for Repositories {
    fn default() -> Self {
        Repositories { found: Vec::new(), is_all: true }
    }
}

impl Repositories {
    /// Looks for them, the nearest first.
    pub(crate) fn below(workspace: &Path) -> Self {
        let mut found = Vec::new();
        let mut waiting = VecDeque::from([workspace.to_owned()]);
        let mut looked_into = 0;
        while looked_into < MOST_FOLDERS
            && found.len() < MOST_REPOSITORIES
            && let Some(folder) = waiting.pop_front()
        {
            looked_into += 1;
            // What cannot be listed is no way for a run either.
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries.filter_map(Result::ok) {
                let Ok(kind) = entry.file_type() else { continue };
                let (path, name) = (entry.path(), entry.file_name());
                if name == ".git" {
                    if folder != workspace {
                        found.extend(named_folder(&folder, workspace));
                        found.push(path);
                    }
                } else if kind.is_dir() && !PASSED_OVER.iter().any(|passed| name == *passed) {
                    waiting.push_back(path);
                }
            }
        }
        found.sort();
        found.dedup();
        Repositories { found, is_all: waiting.is_empty() }
    }
}

/// The folder that the file `.git` of a linked worktree or a submodule names.
fn named_folder(repository: &Path, workspace: &Path) -> Option<PathBuf> {
    let folder = git::named_folder(repository, &repository.join(".git"))?;
    // A run may have written the file: it must not close folders that are no git directories.
    let is_own = folder.starts_with(workspace) && folder.join("HEAD").is_file();
    is_own.then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_found_at_every_depth_and_not_in_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap();
        for repository in [".git/x/.git", "a/.git", "a/b/c/.git", "node_modules/m/.git", "d/e"] {
            fs::create_dir_all(workspace.join(repository)).unwrap();
        }
        let expected = ["a/.git", "a/b/c/.git"].map(|path| workspace.join(path));
        assert_eq!(Repositories::below(&workspace).found, expected);
    }

    #[test]
    fn a_file_counts_with_the_folder_that_it_names_in_the_workspace() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap();
        for path in [".git/modules/lib", "lib", "tool", "odd"] {
            fs::create_dir_all(workspace.join(path)).unwrap();
        }
        fs::write(workspace.join(".git/modules/lib/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(workspace.join("lib/.git"), "gitdir: ../.git/modules/lib\n").unwrap();
        fs::write(workspace.join("tool/.git"), "gitdir: /usr\n").unwrap();
        fs::write(workspace.join("odd/.git"), "gitdir: ..\n").unwrap();
        let expected = [".git/modules/lib", "lib/.git", "odd/.git", "tool/.git"];
        assert_eq!(
            Repositories::below(&workspace).found,
            expected.map(|path| workspace.join(path))
        );
    }

    #[test]
    fn where_the_search_ends_before_it_is_through_that_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap();
        for number in 0..MOST_REPOSITORIES {
            fs::create_dir_all(workspace.join(format!("r{number:02}/.git"))).unwrap();
        }
        let all = Repositories::below(&workspace);
        assert_eq!((all.found.len(), all.is_all), (MOST_REPOSITORIES, true));
        fs::create_dir_all(workspace.join("r99/below/.git")).unwrap();
        let some = Repositories::below(&workspace);
        assert_eq!((some.found.len(), some.is_all), (MOST_REPOSITORIES, false));
    }

    #[test]
    fn folders_count_as_well() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap();
        // With the workspace itself they are as many as are looked into.
        for number in 1..MOST_FOLDERS {
            fs::create_dir(workspace.join(number.to_string())).unwrap();
        }
        assert!(Repositories::below(&workspace).is_all);
        fs::create_dir(workspace.join("one more")).unwrap();
        assert!(!Repositories::below(&workspace).is_all);
    }
}
