//! What variables stand for, looked up once for a policy.

use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};

use crate::context::Context;
use crate::git::{self, GitDir};
use crate::mistake::Cause;
use crate::policy::{Piece, Value};
use crate::read::{NOT_ABSOLUTE, NUL, PARENT};
use crate::repositories::Repositories;
use crate::template::{Part, Template, Variable};
use crate::workspace;

/// The values of the variables.
pub(crate) struct Values<'a> {
    context: &'a Context,
    /// The physical workspace; `None` where no rule mentions it.
    workspace: Option<PathBuf>,
    git: OnceCell<Result<GitDir, String>>,
    repositories: OnceCell<Repositories>,
    cache: Option<PathBuf>,
}

impl<'a> Values<'a> {
    /// The values for a policy of this name.
    pub(crate) fn new(context: &'a Context, workspace: Option<PathBuf>, name: &str) -> Self {
        // A profile's file may have any name; the folder must lie in the base, and not be it.
        let is_folder = Path::new(name).components().eq([Component::Normal(name.as_ref())]);
        let cache = context.cache_base.as_ref().filter(|_| is_folder).map(|base| base.join(name));
        Values { context, workspace, git: OnceCell::new(), repositories: OnceCell::new(), cache }
    }

    /// The physical workspace, where a rule mentions it.
    pub(crate) fn workspace(&self) -> Option<&Path> {
        self.workspace.as_deref()
    }

    /// The git directories of the repositories below the workspace.
    pub(crate) fn repositories(&self) -> &[PathBuf] {
        let find = || self.workspace.as_deref().map(Repositories::below).unwrap_or_default();
        &self.repositories.get_or_init(find).found
    }

    /// Whether they were looked for, and not everywhere.
    pub(crate) fn is_unsearched(&self) -> bool {
        self.repositories.get().is_some_and(|repositories| !repositories.is_all)
    }

    /// The path that an entry names; `None` where it is optional and a variable stands for nothing.
    ///
    /// # Errors
    /// Variables that stand for nothing, and values that make no absolute path.
    pub(crate) fn path(&self, template: &Template<'_>) -> Result<Option<PathBuf>, Cause> {
        let mut path = OsString::new();
        for part in &template.pieces {
            match part {
                Part::Text(text) => path.push(text),
                Part::Variable(Variable::Tmp) => {}
                Part::Variable(variable) => match self.look_up(variable) {
                    Ok(value) => path.push(value),
                    Err(_) if template.optional => return Ok(None),
                    Err(reason) => return Err(unset(variable, reason)),
                },
            }
        }
        checked(PathBuf::from(path)).map(Some)
    }

    /// The value that a template stands for; `None` as for [`Values::path`].
    ///
    /// # Errors
    /// Variables that stand for nothing.
    pub(crate) fn value(&self, template: &Template<'_>) -> Result<Option<Value>, Cause> {
        let mut pieces = Vec::new();
        for part in &template.pieces {
            pieces.push(match part {
                Part::Text(text) => Piece::Text((*text).into()),
                Part::Variable(Variable::Tmp) => Piece::Tmp,
                Part::Variable(variable) => match self.look_up(variable) {
                    Ok(value) => Piece::Text(value.to_owned()),
                    Err(_) if template.optional => return Ok(None),
                    Err(reason) => return Err(unset(variable, reason)),
                },
            });
        }
        Ok(Some(Value(pieces)))
    }

    /// Makes the cache folder, for this user alone, if it is not there.
    ///
    /// # Errors
    /// [`Cause::NoCache`] with what the system said.
    pub(crate) fn make_cache(&self) -> Result<(), Cause> {
        let Some(cache) = &self.cache else { return Ok(()) };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(cache)
            .map_err(|source| Cause::NoCache { path: cache.clone(), source })
    }

    /// The value of a variable, or why there is none. An empty value is none: it would turn
    /// `${env:X}/lib` into a path of the system's.
    fn look_up(&self, variable: &Variable) -> Result<&OsStr, String> {
        let value: Option<&OsStr> = match variable {
            Variable::Workspace => self.workspace.as_ref().map(AsRef::as_ref),
            Variable::Home => self.context.home.as_ref().map(AsRef::as_ref),
            Variable::User => self.context.user.as_ref().map(AsRef::as_ref),
            Variable::Env(name) => self.context.env.get(OsStr::new(name)).map(AsRef::as_ref),
            Variable::Cache => self.cache.as_ref().map(AsRef::as_ref),
            Variable::GitDir => return Ok(self.git()?.common.as_os_str()),
            Variable::GitWorktree => {
                let worktree = self.git()?.worktree.as_ref();
                return Ok(worktree.ok_or("this is no linked worktree")?.as_os_str());
            }
            Variable::Tmp => None,
        };
        let reason = match variable {
            Variable::Home => "there is no home directory",
            Variable::User => "the user has no name",
            Variable::Cache => "set `XDG_CACHE_HOME`",
            _ => "it is not set",
        };
        value.filter(|value| !value.is_empty()).ok_or_else(|| reason.to_owned())
    }

    fn git(&self) -> Result<&GitDir, String> {
        let find = || {
            let workspace = self.workspace.as_ref().ok_or("there is no workspace")?;
            let found = git::find(workspace)?;
            match workspace::forbidden(&found.common, self.context) {
                None => Ok(found),
                Some(why) => Err(format!("`{}` {why}", found.common.display())),
            }
        };
        self.git.get_or_init(find).as_ref().map_err(String::clone)
    }
}

fn unset(variable: &Variable, reason: String) -> Cause {
    Cause::Unset { variable: variable.clone(), reason }
}

/// A path that a rule can have.
fn checked(path: PathBuf) -> Result<PathBuf, Cause> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.contains(&b'\0') {
        return Err(NUL);
    }
    if !path.is_absolute() {
        return Err(NOT_ABSOLUTE);
    }
    if bytes.split(|byte| *byte == b'/').any(|name| name == b"..") {
        return Err(PARENT);
    }
    Ok(path)
}
