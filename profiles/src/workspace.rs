//! The workspace: where it is, and which directories it must not be.

use std::path::{Path, PathBuf};

use crate::context::Context;
use crate::mistake::Cause;
use crate::policy::Kind;
use crate::walk::walk;

/// The physical path of the workspace.
///
/// # Errors
/// [`Cause::Workspace`] when it is no directory, or none that a run may have: `/`, the home directory
/// or a parent of it, or a place that holds Cofferdam's own files.
pub(crate) fn find(context: &Context) -> Result<PathBuf, Cause> {
    let written = context.dir.join(&context.workspace);
    let found = walk(&written)?;
    if found.kind != Kind::Directory {
        return Err(Cause::Workspace { workspace: written, why: "is no directory".to_owned() });
    }
    match forbidden(&found.path, context) {
        None => Ok(found.path),
        Some(why) => Err(Cause::Workspace { workspace: found.path, why }),
    }
}

/// Why no run may have this directory as a whole.
pub(crate) fn forbidden(directory: &Path, context: &Context) -> Option<String> {
    if directory == Path::new("/") {
        return Some("is the root of the file system".to_owned());
    }
    if let Some(home) = context.home.as_deref().map(physical) {
        if directory == home {
            return Some("is the home directory".to_owned());
        }
        if home.starts_with(directory) {
            return Some(format!("holds the home directory `{}`", home.display()));
        }
    }
    if let Some(config) = context.config_dir.as_deref().map(physical)
        && (config.starts_with(directory) || directory.starts_with(&config))
    {
        return Some(format!("shares files with Cofferdam's configuration `{}`", config.display()));
    }
    let mut own = context.reserved.iter().flat_map(|file| places(&context.dir.join(file)));
    own.find(|file| file.starts_with(directory))
        .map(|file| format!("holds Cofferdam's own `{}`", file.display()))
}

/// Where a path is: the physical one, and each link on the way to it, which leads elsewhere once it is
/// replaced.
pub(crate) fn places(path: &Path) -> Vec<PathBuf> {
    match walk(path) {
        Ok(found) => {
            let links = found.links.into_iter().map(|link| link.path);
            std::iter::once(found.path).chain(links).collect()
        }
        Err(_) => vec![path.to_owned()],
    }
}

/// The physical path, or the path itself where it cannot be followed.
pub(crate) fn physical(path: &Path) -> PathBuf {
    walk(path).map_or_else(|_| path.to_owned(), |found| found.path)
}
