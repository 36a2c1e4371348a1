//! The surroundings of one attempt, as a promise's function sees them.

use std::path::{Path, PathBuf};

use crate::subject::{Setting, Stage, Subject};
use crate::task::Task;
use crate::verdict::Trouble;
use crate::world::World;

/// A world, and who runs things in it.
#[derive(Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) world: World,
    pub(crate) stage: &'a Stage,
    pub(crate) subject: &'a Subject,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(stage: &'a Stage, subject: &'a Subject) -> Result<Self, Trouble> {
        Ok(Scene { world: World::new(stage)?, stage, subject })
    }

    /// A run of the probe with this word, to be completed.
    pub(crate) fn probe(&self, word: &str) -> Task<'_> {
        Task::new(self, word)
    }

    /// Whether the probe runs without any sandbox, to show that the attack works.
    pub(crate) fn is_control(&self) -> bool {
        self.subject.setting == Setting::Direct
    }

    pub(crate) fn secret(&self) -> PathBuf {
        self.world.secret()
    }

    pub(crate) fn canary(&self) -> &str {
        self.world.canary()
    }

    /// A path in the folder that no rule names.
    pub(crate) fn outside(&self, path: impl AsRef<Path>) -> PathBuf {
        self.world.path("outside").join(path)
    }

    /// A path in the workspace.
    pub(crate) fn inside(&self, path: impl AsRef<Path>) -> PathBuf {
        self.world.workspace().join(path)
    }

    /// A path in the user's home folder.
    pub(crate) fn home(&self, path: impl AsRef<Path>) -> PathBuf {
        self.world.path("home").join(path)
    }
}
