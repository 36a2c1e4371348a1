//! A small machine for tests: a home, a workspace, a configuration folder, each in a fresh folder
//! with a physical path.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use cofferdam_profiles::{Context, Grants, Policy, ProfileError, Source, resolve};
use serde_json::{Value, json};

pub(crate) struct Machine {
    _folder: tempfile::TempDir,
    pub(crate) top: PathBuf,
    pub(crate) context: Context,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for dir in ["home/ws", "config/profiles"] {
            fs::create_dir_all(top.join(dir)).unwrap();
        }
        let context = Context {
            workspace: top.join("home/ws"),
            home: Some(top.join("home")),
            user: Some("alice".to_owned()),
            cache_base: Some(top.join("cache")),
            config_dir: Some(top.join("config")),
            dir: top.clone(),
            env: BTreeMap::new(),
            reserved: Vec::new(),
        };
        Machine { _folder: folder, top, context }
    }

    pub(crate) fn home(&self, path: &str) -> PathBuf {
        self.top.join("home").join(path)
    }

    pub(crate) fn workspace(&self, path: &str) -> PathBuf {
        self.top.join("home/ws").join(path)
    }

    /// Writes a file below the top, with its folders.
    pub(crate) fn file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn dir(&self, path: &str) -> PathBuf {
        let path = self.top.join(path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes a profile of the user's own.
    pub(crate) fn profile(&self, name: &str, text: &str) {
        self.file(&format!("config/profiles/{name}.toml"), text);
    }

    pub(crate) fn resolve(&self, source: &str) -> Result<Policy, ProfileError> {
        resolve(&Source::parse(source), &Grants::default(), &self.context)
    }

    pub(crate) fn inline(&self, table: Value) -> Result<Policy, ProfileError> {
        resolve(&Source::Inline(table), &Grants::default(), &self.context)
    }

    pub(crate) fn granted(&self, grants: &Grants) -> Result<Policy, ProfileError> {
        resolve(&Source::Inline(json!({})), grants, &self.context)
    }
}

/// The lines of an error, one for each mistake.
pub(crate) fn mistakes<T: std::fmt::Debug>(result: Result<T, ProfileError>) -> Vec<String> {
    result.unwrap_err().mistakes().iter().map(ToString::to_string).collect()
}

/// The rules as `access path`, the path below `top`.
pub(crate) fn rules(policy: &Policy, top: &Path) -> Vec<String> {
    let shown = |path: &Path| path.strip_prefix(top).unwrap_or(path).display().to_string();
    policy
        .filesystem
        .rules
        .iter()
        .map(|rule| format!("{} {}", rule.access.as_str(), shown(&rule.path)))
        .collect()
}
