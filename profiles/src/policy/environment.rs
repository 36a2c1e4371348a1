//! What the command's environment is made of, and how it is put together for a run.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::Entry;
use super::exposure::passes;

/// The `PATH` of a host that has none.
const FALLBACK_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The `HOME` of a run without scratch folders: it must exist nowhere, so that a program finds no
/// file there instead of one that it may not read, on which `git` for one gives up.
const NO_HOME: &str = "/nonexistent";

/// What the command's environment is made of. Nothing else crosses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// Directories put in front of `PATH`; only those that existed.
    pub path: Vec<Entry<PathBuf>>,
    /// Names taken from the host's environment: exact, or with one `*` at the end.
    pub pass: Vec<Entry<String>>,
    /// Values set, over whatever was passed.
    pub set: BTreeMap<String, Entry<Value>>,
}

/// A value to set, in pieces, because the scratch folder is known only to the run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Value(pub Vec<Piece>);

/// A piece of a [`Value`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(OsString),
    /// The run's `TMPDIR`.
    Tmp,
}

impl Environment {
    /// The whole environment of one run, sorted by name, from the host's environment and the run's
    /// scratch folders (`tmp`, `home`), where it has some.
    ///
    /// * What [`pass`](Environment::pass) names, then what [`set`](Environment::set) holds. A
    ///   wildcard takes no name that changes what programs run (`LD_PRELOAD`, `BASH_ENV`, `GIT_*`)
    ///   or that looks like a secret (`*_TOKEN`); an exact name takes anything.
    /// * `PATH`: the directories of [`path`](Environment::path), then the host's (or the one that
    ///   is set) without empty and relative entries. A directory that stands in the host's `PATH`
    ///   keeps its place there: an activated virtual environment stays ahead of what it covers.
    /// * `TMPDIR` and `HOME`: the scratch folders; without them no `TMPDIR`, and a `HOME` that
    ///   does not exist. Values that mention `${tmp}` are then left out.
    pub fn build(
        &self,
        host: impl Iterator<Item = (OsString, OsString)>,
        scratch: Option<(&Path, &Path)>,
    ) -> Vec<(OsString, OsString)> {
        let host: BTreeMap<OsString, OsString> = host.collect();
        let mut run: BTreeMap<OsString, OsString> = host
            .iter()
            .filter(|(name, _)| self.passes(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        for (name, entry) in &self.set {
            if let Some(value) = entry.value.fill(scratch.map(|(tmp, _)| tmp)) {
                run.insert(name.into(), value);
            }
        }

        let rest = match self.set.contains_key("PATH") {
            true => run.get(OsStr::new("PATH")),
            false => host.get(OsStr::new("PATH")),
        };
        run.insert("PATH".into(), self.search_path(rest));
        run.remove(OsStr::new("TMPDIR"));
        run.insert("HOME".into(), NO_HOME.into());
        if let Some((tmp, home)) = scratch {
            run.insert("TMPDIR".into(), tmp.into());
            run.insert("HOME".into(), home.into());
        }
        run.into_iter().collect()
    }

    /// Whether a name of the host's environment crosses.
    fn passes(&self, name: &OsStr) -> bool {
        self.pass.iter().any(|entry| passes(&entry.value, name))
    }

    /// The run's `PATH`, in front of and out of the host's.
    fn search_path(&self, host: Option<&OsString>) -> OsString {
        let host = match host {
            Some(host) if !host.is_empty() => host.as_os_str(),
            _ => OsStr::new(FALLBACK_PATH),
        };
        // A relative entry would be taken from the directory of the call, which a repository fills.
        let rest: Vec<PathBuf> = env::split_paths(host).filter(|dir| dir.is_absolute()).collect();
        let mut dirs: Vec<PathBuf> = Vec::new();
        let ahead = self.path.iter().map(|entry| &entry.value).filter(|dir| !rest.contains(dir));
        for dir in ahead.chain(&rest) {
            if !dirs.contains(dir) {
                dirs.push(dir.clone());
            }
        }
        // No entry holds a colon: the profile's are checked when read, the host's were split at it.
        env::join_paths(dirs).unwrap_or_else(|_| FALLBACK_PATH.into())
    }
}

impl Value {
    /// The value for a run; `None` where it needs a scratch folder and there is none.
    fn fill(&self, tmp: Option<&Path>) -> Option<OsString> {
        let mut filled = OsString::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => filled.push(text),
                Piece::Tmp => filled.push(tmp?),
            }
        }
        Some(filled)
    }

    /// The value as text for people, with the scratch folder as `${tmp}`.
    pub(crate) fn shown(&self) -> String {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.to_string_lossy(),
                Piece::Tmp => "${tmp}".into(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
