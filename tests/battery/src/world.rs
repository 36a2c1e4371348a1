//! A machine in small for one attempt: a workspace, what lies outside of it, and a home folder, each
//! with something in it that must stay there.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::rand::{GetRandomFlags, getrandom};
use tempfile::TempDir;

use crate::subject::Stage;
use crate::verdict::{At, Trouble};

/// The folders of one attempt. Removed when dropped.
#[derive(Debug)]
pub(crate) struct World {
    folder: TempDir,
    canary: String,
}

/// What credentials lie in the home folder, by their paths.
pub(crate) const CREDENTIALS: &[&str] = &[
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".config/gcloud/credentials.db",
    ".kube/config",
    ".docker/config.json",
    ".gnupg/private-keys-v1.d/key",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".cargo/credentials.toml",
    ".bash_history",
    ".mozilla/firefox/cookies.sqlite",
    "other-project/.env",
];

impl World {
    pub(crate) fn new(stage: &Stage) -> Result<World, Trouble> {
        // Not in the stage's own folder, which may be another user's.
        let folder = tempfile::Builder::new().prefix("battery-world-").tempdir_in(stage.base());
        let world = World { folder: folder.at("make the folders")?, canary: canary()? };
        world.fill(stage).at("fill the folders")?;
        Ok(world)
    }

    fn fill(&self, stage: &Stage) -> std::io::Result<()> {
        for folder in ["workspace", "workspace-evil", "outside", "home"] {
            DirBuilder::new().mode(0o755).create(self.path(folder))?;
        }
        // A link where it can be one; a copy elsewhere, which takes longer.
        let probe = self.probe();
        if fs::hard_link(stage.program(), &probe).is_err() {
            fs::copy(stage.program(), &probe)?;
            fs::set_permissions(&probe, fs::Permissions::from_mode(0o755))?;
        }
        for secret in [self.secret(), self.path("workspace-evil/secret")] {
            fs::write(secret, self.text())?;
        }
        for credential in CREDENTIALS {
            let path = self.path("home").join(credential);
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(path, self.text())?;
        }
        Ok(())
    }

    /// A path in the folder that holds all others.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.path("workspace")
    }

    /// A file that no rule names.
    pub(crate) fn secret(&self) -> PathBuf {
        self.path("outside/secret")
    }

    /// The program that is both runner and probe, in the workspace.
    pub(crate) fn probe(&self) -> PathBuf {
        self.path("workspace/.battery-probe")
    }

    /// Words that stand in the secrets of this world and nowhere else.
    pub(crate) fn canary(&self) -> &str {
        &self.canary
    }

    /// What is in every secret file.
    pub(crate) fn text(&self) -> String {
        format!("secret {}\n", self.canary)
    }

    /// Names, types, modes and sizes of everything below a folder.
    pub(crate) fn listing(&self, folder: &str) -> Result<Vec<String>, Trouble> {
        let mut all = Vec::new();
        list(&self.path(folder), &mut all).at("look at a folder")?;
        Ok(all)
    }
}

fn list(folder: &Path, all: &mut Vec<String>) -> std::io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        let metadata = entry.path().symlink_metadata()?;
        let size = if metadata.is_dir() { 0 } else { metadata.len() };
        all.push(format!("{} {:o} {size}", entry.path().display(), metadata.permissions().mode()));
        if metadata.is_dir() {
            list(&entry.path(), all)?;
        }
    }
    Ok(())
}

fn canary() -> Result<String, Trouble> {
    let mut bytes = [0_u8; 8];
    getrandom(&mut bytes, GetRandomFlags::empty()).at("ask for random bytes")?;
    Ok(format!("canary{:016x}", u64::from_ne_bytes(bytes)))
}
