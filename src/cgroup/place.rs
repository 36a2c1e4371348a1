//! Where the cgroups of runs are made.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use cofferdam_profiles::Limits;

use super::delegation::{folder, is_delegated};
use super::run;

/// A delegated cgroup, in which this process makes those of its runs. It is in none of them itself.
#[derive(Debug)]
pub(crate) struct Place {
    dir: PathBuf,
    /// Which controllers the cgroups in it have.
    memory: bool,
    processes: bool,
    next: AtomicU32,
}

/// Why there is no such place.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoPlace {
    #[error("this system has no cgroups of version 2, or this process is in none")]
    NoVersion2,
    #[error("the cgroup `{}` is not delegated to this process (systemd: `Delegate=yes`)", .0.display())]
    NotDelegated(PathBuf),
    #[error(
        "other processes are in the delegated cgroup `{}` (systemd: `DelegateSubgroup=`)", .0.display()
    )]
    Shared(PathBuf),
    #[error("the delegated cgroup `{}` has neither the controller `memory` nor `pids`", .0.display())]
    NoControllers(PathBuf),
    #[error("`{}`", .path.display())]
    System {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// The cgroup into which this process moves, in the one that is delegated.
const OWN: &str = "cofferdam";

static MAY_MOVE: AtomicBool = AtomicBool::new(false);

/// Lets this process be moved into a cgroup of its own where that is what is lacking. Only a program decides
/// that for itself, never a library.
#[cfg(feature = "cli")]
pub(crate) fn move_when_needed() {
    MAY_MOVE.store(true, Ordering::Relaxed);
}

/// The place of this process. It is looked for once: a launcher without a limit, and runs without the cgroup
/// that would keep it, must not be.
pub(crate) fn place() -> &'static Result<Place, NoPlace> {
    static PLACE: OnceLock<Result<Place, NoPlace>> = OnceLock::new();
    PLACE.get_or_init(|| {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        let (cgroups, mounts) = (read("/proc/self/cgroup"), read("/proc/self/mountinfo"));
        let own = folder(&cgroups, &mounts).ok_or(NoPlace::NoVersion2)?;
        Place::find(&own, MAY_MOVE.load(Ordering::Relaxed))
    })
}

impl Place {
    /// The place of a process whose cgroup is `own`.
    ///
    /// A cgroup whose children have controllers can hold no processes (`cgroups(7)`, "no internal
    /// processes"). So this process is in a child of the delegated one already, or it is alone in that and
    /// moves to such a child.
    fn find(own: &Path, may_move: bool) -> Result<Place, NoPlace> {
        if is_delegated(own) {
            let is_alone = processes(own)? == [std::process::id().to_string()];
            if !may_move || !is_alone {
                return Err(NoPlace::Shared(own.to_owned()));
            }
            // What it lacks it would lack after the move as well.
            controllers(own)?;
            enter(&own.join(OWN))?;
            return Place::at(own);
        }
        match own.parent() {
            Some(parent) if is_delegated(parent) => Place::at(parent),
            _ => Err(NoPlace::NotDelegated(own.to_owned())),
        }
    }

    /// Gives the cgroups that are made here their controllers.
    fn at(dir: &Path) -> Result<Place, NoPlace> {
        let has = controllers(dir)?;
        let switch = dir.join("cgroup.subtree_control");
        let given: Vec<_> = has.iter().map(|name| format!("+{name}")).collect();
        fs::write(&switch, given.join(" ")).map_err(|source| match source.kind() {
            io::ErrorKind::ResourceBusy => NoPlace::Shared(dir.to_owned()),
            _ => NoPlace::System { path: switch.clone(), source },
        })?;
        run::sweep(dir);
        let (memory, processes) = (has.contains(&"memory"), has.contains(&"pids"));
        Ok(Place { dir: dir.to_owned(), memory, processes, next: AtomicU32::new(0) })
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Those of the limits that it keeps.
    pub(super) fn keeps(&self, limits: &Limits) -> (Option<u64>, Option<u64>) {
        (limits.memory.filter(|_| self.memory), limits.processes.filter(|_| self.processes))
    }

    /// Those that it does not keep.
    pub(super) fn leaves(&self, mut limits: Limits) -> Limits {
        let (memory, processes) = self.keeps(&limits);
        limits.memory = limits.memory.filter(|_| memory.is_none());
        limits.processes = limits.processes.filter(|_| processes.is_none());
        limits
    }

    /// A number that no other run has.
    pub(super) fn next(&self) -> u32 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(super) fn made_up(dir: &Path, memory: bool, processes: bool) -> Place {
        Place { dir: dir.to_owned(), memory, processes, next: AtomicU32::new(0) }
    }
}

/// Moves this process, with all its threads.
fn enter(own: &Path) -> Result<(), NoPlace> {
    let entered = fs::create_dir(own)
        .or_else(|error| if own.is_dir() { Ok(()) } else { Err(error) })
        .and_then(|()| fs::write(own.join("cgroup.procs"), "0"));
    entered.map_err(|source| NoPlace::System { path: own.to_owned(), source })
}

/// The processes that are in a cgroup, and not in one of its children.
fn processes(cgroup: &Path) -> Result<Vec<String>, NoPlace> {
    Ok(read(cgroup.join("cgroup.procs"))?.lines().map(str::to_owned).collect())
}

/// Those of the controllers that are needed which can be given to children.
fn controllers(cgroup: &Path) -> Result<Vec<&'static str>, NoPlace> {
    let has = read(cgroup.join("cgroup.controllers"))?;
    let is_there = |name: &&str| has.split_whitespace().any(|word| word == *name);
    let found: Vec<_> = ["memory", "pids"].into_iter().filter(is_there).collect();
    if found.is_empty() {
        return Err(NoPlace::NoControllers(cgroup.to_owned()));
    }
    Ok(found)
}

fn read(path: PathBuf) -> Result<String, NoPlace> {
    fs::read_to_string(&path).map_err(|source| NoPlace::System { path, source })
}

#[cfg(test)]
mod tests {
    use super::super::delegation::mark;
    use super::*;

    /// A cgroup of plain files, as the kernel would show it.
    fn cgroup(path: &Path, processes: &str, controllers: &str) {
        fs::create_dir_all(path).unwrap();
        for (name, text) in [
            ("cgroup.procs", processes),
            ("cgroup.controllers", controllers),
            ("cgroup.subtree_control", ""),
        ] {
            fs::write(path.join(name), text).unwrap();
        }
    }

    fn own_number() -> String {
        format!("{}\n", std::process::id())
    }

    #[test]
    fn a_leaf_of_a_delegated_cgroup_has_its_place_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let (top, own) = (folder.path().join("top"), folder.path().join("top/server"));
        cgroup(&top, "", "cpu memory pids\n");
        cgroup(&own, &own_number(), "memory pids\n");
        assert!(matches!(Place::find(&own, true), Err(NoPlace::NotDelegated(path)) if path == own));
        if !mark(&top) {
            return;
        }
        let place = Place::find(&own, false).unwrap();
        assert_eq!(place.dir(), top);
        let given = fs::read_to_string(top.join("cgroup.subtree_control")).unwrap();
        assert_eq!(given, "+memory +pids");
    }

    #[test]
    fn a_program_that_is_alone_in_a_delegated_cgroup_moves_into_one_of_its_own() {
        let top = tempfile::tempdir().unwrap();
        cgroup(top.path(), &own_number(), "pids\n");
        if !mark(top.path()) {
            return;
        }
        assert!(matches!(Place::find(top.path(), false), Err(NoPlace::Shared(_))), "a library");
        let place = Place::find(top.path(), true).unwrap();
        let moved = fs::read_to_string(top.path().join("cofferdam/cgroup.procs")).unwrap();
        assert_eq!(moved, "0");
        let mut limits = Limits::default();
        (limits.memory, limits.processes, limits.open_files) = (Some(1), Some(2), Some(3));
        assert_eq!(place.keeps(&limits), (None, Some(2)));
        let left = place.leaves(limits);
        assert_eq!((left.memory, left.processes, left.open_files), (Some(1), None, Some(3)));
    }

    #[test]
    fn where_others_are_in_the_delegated_cgroup_nobody_is_moved() {
        let top = tempfile::tempdir().unwrap();
        cgroup(top.path(), &format!("1\n{}", own_number()), "memory pids\n");
        if !mark(top.path()) {
            return;
        }
        assert!(matches!(Place::find(top.path(), true), Err(NoPlace::Shared(_))));
        assert!(!top.path().join("cofferdam").exists());
    }

    #[test]
    fn without_the_controllers_nothing_is_touched() {
        let top = tempfile::tempdir().unwrap();
        cgroup(top.path(), &own_number(), "cpu io\n");
        if !mark(top.path()) {
            return;
        }
        let found = Place::find(top.path(), true);
        assert!(matches!(found, Err(NoPlace::NoControllers(_))));
        assert!(!top.path().join("cofferdam").exists());
    }
}
