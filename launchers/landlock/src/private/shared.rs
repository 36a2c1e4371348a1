//! Which part of a view all runs can have in common, and which is each run's own.

use std::path::Path;

use super::protocol::{step, what};
use super::scene::{Put, Scene, TEMPORARY, put};

/// Where a run has terminals, shared memory and message queues of its own.
const TERMINALS: &str = "/dev/pts";
const SHARED_MEMORY: &str = "/dev/shm";
const QUEUES: &str = "/dev/mqueue";

/// A view in two parts, of which the second is put onto the first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parts {
    /// What is the host's, and what nobody can change.
    pub(crate) common: Scene,
    /// What a run may write to without the host seeing it, its processes, and what is closed below
    /// something open: that depends on what is there when it starts.
    pub(crate) own: Scene,
}

impl Parts {
    /// Takes a view apart. `every` is what the views of all runs of the policy have. `None` where
    /// something of the host lies on top of what is the run's own: such a view is built anew for
    /// every run.
    pub(crate) fn of(scene: &Scene, every: &Scene) -> Option<Parts> {
        let mut parts = Parts::default();
        for (at, put) in scene.puts() {
            parts.add(at, put, every)?;
        }
        parts.is_complete().then_some(parts)
    }

    fn add(&mut self, at: &Path, made: &Put, every: &Scene) -> Option<()> {
        let on_own = at.ancestors().skip(1).any(|above| self.own.at(above).is_some());
        match made.what {
            what::DEVICES => {
                self.common.put(at, put(what::DEVICES, step::COMMON));
                self.own.put(Path::new(TERMINALS), put(what::TERMINALS, 0));
                self.own.put(Path::new(QUEUES), put(what::QUEUES, 0));
                self.own.put(Path::new(SHARED_MEMORY), put(what::FRESH, TEMPORARY));
            }
            what::PROCESSES => {
                // The kernel mounts processes only where some are mounted in full already.
                self.common.put(at, made.clone());
                self.own.put(at, made.clone());
            }
            what::MEMORY if made.writable => {
                self.common.put(at, put(what::MEMORY, 0o755));
                self.own.put(at, put(what::FRESH, made.flags));
            }
            what::HIDE if !on_own && every.at(at) == Some(made) => {
                self.common.put(at, made.clone());
            }
            what::HIDE | what::PIN => self.own.put(at, made.clone()),
            what::BIND | what::READ | what::LINK | what::MEMORY if !on_own => {
                self.common.put(at, made.clone());
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether the first of the run's own is memory: what is hidden is covered with files from there.
    fn is_complete(&self) -> bool {
        let mut own = self.own.puts().map(|(_, put)| put.what);
        own.find(|what| [what::HIDE, what::FRESH].contains(what)) == Some(what::FRESH)
    }
}
