//! Where a workspace's git directory is, and whether its own records agree.
//!
//! In a linked worktree and in a submodule, `.git` is a file that names a folder elsewhere. The file
//! lies in the workspace, where a run may have written it; it is believed only if the folder that it
//! names points back at this workspace, since that folder is out of a run's reach.
//! See `gitrepository-layout(5)`.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::policy::Kind;
use crate::walk::walk;

/// No file of git's that is read here is longer. It keeps a file that a run left in the workspace
/// from filling the memory.
const MAX_FILE: u64 = 1 << 20;
/// What stands before the path in a `.git` file.
const RECORD: &[u8] = b"gitdir: ";

/// The git directory of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GitDir {
    /// What `${git-dir}` stands for; of a linked worktree the directory that all worktrees share.
    pub(crate) common: PathBuf,
    /// A linked worktree's own folder in it.
    pub(crate) worktree: Option<PathBuf>,
}

/// Finds it. `workspace` is a physical path.
///
/// # Errors
/// Why there is none, for people.
pub(crate) fn find(workspace: &Path) -> Result<GitDir, String> {
    let record = workspace.join(".git");
    let found = walk(&record).map_err(|cause| cause.to_string())?;
    match found.kind {
        Kind::Absent => Err("the workspace has no `.git`".to_owned()),
        _ if !found.path.starts_with(workspace) => {
            Err("`.git` is a link that leads out of the workspace".to_owned())
        }
        Kind::Directory => Ok(GitDir { common: found.path, worktree: None }),
        Kind::File => linked(workspace, &found.path),
    }
}

/// The folder that a `.git` file names, believed without its word that it belongs to it.
pub(crate) fn named_folder(repository: &Path, record: &Path) -> Option<PathBuf> {
    directory(&repository.join(read_path(record, RECORD)?))
}

/// The git directory that a `.git` file names.
fn linked(workspace: &Path, record: &Path) -> Result<GitDir, String> {
    let named = read_path(record, RECORD).ok_or("the file `.git` names no folder")?;
    let folder =
        directory(&workspace.join(named)).ok_or("`.git` names a folder that is missing")?;
    if let Some(back) = read_path(&folder.join("gitdir"), b"") {
        return worktree(record, folder, &back);
    }
    submodule(workspace, folder)
}

/// A linked worktree: `COMMON/worktrees/ID` holds `gitdir`, which points back at the `.git` file, and
/// `commondir`, which leads to `COMMON`.
fn worktree(record: &Path, folder: PathBuf, back: &Path) -> Result<GitDir, String> {
    if walk(&folder.join(back)).map(|found| found.path).ok().as_deref() != Some(record) {
        return Err(format!("`{}` belongs to another worktree", folder.display()));
    }
    let common = read_path(&folder.join("commondir"), b"")
        .and_then(|common| directory(&folder.join(common)))
        .ok_or_else(|| format!("`{}` leads to no common directory", folder.display()))?;
    // Otherwise a forged `commondir` could name any directory.
    if folder.parent() != Some(&common.join("worktrees")) {
        return Err(format!("`{}` is no worktree of `{}`", folder.display(), common.display()));
    }
    Ok(GitDir { common, worktree: Some(folder) })
}

/// A submodule: `SUPER/.git/modules/NAME` with a `core.worktree` that points back.
fn submodule(workspace: &Path, folder: PathBuf) -> Result<GitDir, String> {
    let in_modules = folder.ancestors().skip(1).any(|above| {
        above.file_name() == Some(OsStr::new("modules"))
            && above.parent().is_some_and(|git| git.join("HEAD").is_file())
    });
    let config = contents(&folder.join("config"));
    let back = config.and_then(|config| core_worktree(&String::from_utf8_lossy(&config)));
    let points_back =
        back.is_some_and(|back| directory(&folder.join(back)).as_deref() == Some(workspace));
    match in_modules && points_back {
        true => Ok(GitDir { common: folder, worktree: None }),
        false => Err(format!("`{}` does not point back at the workspace", folder.display())),
    }
}

/// The value of `core.worktree`; the last one counts. See `git-config(1)`, "Syntax". Git writes it
/// on one line, in quotes where it holds special characters.
fn core_worktree(config: &str) -> Option<String> {
    let mut in_core = false;
    let mut worktree = None;
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            in_core = section.trim_end_matches(']').trim().eq_ignore_ascii_case("core");
        } else if in_core
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("worktree")
        {
            worktree = Some(unquoted(value.trim()));
        }
    }
    worktree
}

fn unquoted(value: &str) -> String {
    let mut text = String::new();
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => {}
            '\\' => text.extend(characters.next()),
            _ => text.push(character),
        }
    }
    text
}

/// The path that a file of git's holds on its one line. Bytes, not text.
fn read_path(file: &Path, prefix: &[u8]) -> Option<PathBuf> {
    let bytes = contents(file)?;
    let path = bytes.strip_prefix(prefix)?;
    let path = path.strip_suffix(b"\n").unwrap_or(path);
    let is_path = !path.is_empty() && !path.contains(&b'\0') && !path.contains(&b'\n');
    is_path.then(|| PathBuf::from(OsStr::from_bytes(path)))
}

/// What is in a file, if it is one: a named pipe would be waited for without end.
fn contents(file: &Path) -> Option<Vec<u8>> {
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(MAX_FILE).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The physical path of a directory that exists.
fn directory(path: &Path) -> Option<PathBuf> {
    walk(path).ok().filter(|found| found.kind == Kind::Directory).map(|found| found.path)
}

#[cfg(test)]
mod tests;
