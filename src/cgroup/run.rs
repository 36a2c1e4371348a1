//! The cgroup of one run.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cofferdam_profiles::Limits;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};

use super::place::Place;
use crate::spawn::TO_ENTER;

/// What its name begins with; the number of the process that has made it follows.
const PREFIX: &str = "cofferdam-run-";
/// So many processes of a launcher's own are in it for each stage: both Linux launchers have two at the
/// most beside the command. They are not the command's, so the limit allows them on top.
const OWN_PROCESSES: u64 = 2;
/// How long the kernel may take to end what it was told to kill.
const ENDED_WITHIN: Duration = Duration::from_millis(200);

/// The cgroup of a run. Dropped, it kills whatever is in it and removes it.
#[derive(Debug)]
pub(crate) struct RunGroup {
    path: PathBuf,
    dir: Arc<OwnedFd>,
}

/// Which of its limits a run has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Exceeded {
    /// It was killed for it.
    pub(crate) memory: bool,
    /// A process was refused.
    pub(crate) processes: bool,
}

impl RunGroup {
    /// Makes it with those of the limits that it can keep, for a run of so many stages.
    ///
    /// # Errors
    /// What the system refuses. A run without the cgroup that keeps its limits must not begin.
    pub(crate) fn make(place: &Place, limits: &Limits, stages: usize) -> io::Result<Self> {
        let path = create(place)?;
        let made = set(&path, place.keeps(limits), stages).and_then(|()| {
            let flags = TO_ENTER | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(rustix::fs::open(&path, flags, Mode::empty())?)
        });
        match made {
            Ok(dir) => Ok(RunGroup { path, dir: Arc::new(dir) }),
            Err(error) => {
                let _ = fs::remove_dir(&path);
                Err(error)
            }
        }
    }

    /// Where its processes are to be made.
    pub(crate) fn dir(&self) -> Arc<OwnedFd> {
        self.dir.clone()
    }

    /// Kills what is left of the run, and tells what it has reached.
    pub(crate) fn end(self) -> Exceeded {
        let memory = self.events("memory.events");
        Exceeded {
            memory: memory.count("oom") > 0 && memory.count("oom_kill") > 0,
            processes: self.events("pids.events").count("max") > 0,
        }
    }

    fn events(&self, name: &str) -> Events {
        Events(fs::read_to_string(self.path.join(name)).unwrap_or_default())
    }
}

impl Drop for RunGroup {
    fn drop(&mut self) {
        if fs::remove_dir(&self.path).is_ok() {
            return;
        }
        // Linux 5.14. Before it, what left the run's process group is ended by whatever else reaches it.
        let _ = fs::write(self.path.join("cgroup.kill"), "1");
        await_empty(&self.path);
        // What is stuck in the kernel keeps it; it is swept later.
        let _ = fs::remove_dir(&self.path);
    }
}

/// The lines `NAME NUMBER` of a file of events.
struct Events(String);

impl Events {
    fn count(&self, name: &str) -> u64 {
        let mut lines = self.0.lines().filter_map(|line| line.split_once(' '));
        let found = lines.find(|(key, _)| *key == name);
        found.and_then(|(_, count)| count.parse().ok()).unwrap_or(0)
    }
}

/// A new one. A name may be taken by what a dead process of the same number has left.
fn create(place: &Place) -> io::Result<PathBuf> {
    const TRIES: u32 = 64;
    let mut tries = 0;
    loop {
        let path = place.dir().join(format!("{PREFIX}{}-{}", std::process::id(), place.next()));
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => {
                tries += 1
            }
            created => return created.map(|()| path),
        }
    }
}

/// Writes the limits. `memory.swap.max` is not there where the kernel counts no swap, and
/// `memory.oom.group` not before Linux 4.19.
fn set(path: &Path, keeps: (Option<u64>, Option<u64>), stages: usize) -> io::Result<()> {
    let write = |name: &str, value: u64| fs::write(path.join(name), value.to_string());
    let (memory, processes) = keeps;
    if let Some(memory) = memory {
        write("memory.max", memory)?;
        for (name, value) in [("memory.swap.max", 0), ("memory.oom.group", 1)] {
            if path.join(name).exists() {
                write(name, value)?;
            }
        }
    }
    if let Some(processes) = processes {
        let own = OWN_PROCESSES.saturating_mul(stages as u64);
        // More than the kernel takes is no limit.
        write("pids.max", processes.saturating_add(own).min(i32::MAX as u64))?;
    }
    Ok(())
}

/// Waits until no process is in the cgroup any more, or the time for that is over. A zombie is in none.
fn await_empty(path: &Path) {
    let end = Instant::now() + ENDED_WITHIN;
    let Ok(file) = fs::File::open(path.join("cgroup.events")) else { return };
    loop {
        let events = Events(fs::read_to_string(path.join("cgroup.events")).unwrap_or_default());
        let left = end.saturating_duration_since(Instant::now());
        if events.count("populated") == 0 || left.is_zero() {
            return;
        }
        let left = Timespec::try_from(left).ok();
        // A change is told as an exceptional condition.
        let _ = poll(&mut [PollFd::from_borrowed_fd(file.as_fd(), PollFlags::PRI)], left.as_ref());
    }
}

/// Removes what dead processes have left. One with processes in it cannot be removed.
pub(super) fn sweep(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next());
        if let Some(maker) = maker
            && !Path::new("/proc").join(maker).exists()
        {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use cofferdam_launcher::Launch;

    use super::super::delegation::folder;
    use super::*;
    use crate::spawn::{self, Child, Ended, Pending, Session, Stream, Surroundings};

    fn limits(memory: u64, processes: u64) -> Limits {
        let mut limits = Limits::default();
        (limits.memory, limits.processes) = (Some(memory), Some(processes));
        limits
    }

    fn read(group: &RunGroup, name: &str) -> Option<String> {
        fs::read_to_string(group.path.join(name)).ok()
    }

    #[test]
    fn a_run_gets_the_limits_that_its_place_keeps() {
        let top = tempfile::tempdir().unwrap();
        let place = Place::made_up(top.path(), true, true);
        let group = RunGroup::make(&place, &limits(1 << 20, 5), 2).unwrap();
        assert_eq!(read(&group, "memory.max").as_deref(), Some("1048576"));
        assert_eq!(read(&group, "pids.max").as_deref(), Some("9"), "two of its own for each stage");
        let other = tempfile::tempdir().unwrap();
        let place = Place::made_up(other.path(), false, true);
        let group = RunGroup::make(&place, &limits(1 << 20, u64::MAX), 1).unwrap();
        assert_eq!(read(&group, "memory.max"), None);
        assert_eq!(read(&group, "pids.max"), Some(i32::MAX.to_string()));
    }

    /// A cgroup of version 2 in which this process can make others.
    fn real() -> Option<PathBuf> {
        let read = |path| fs::read_to_string(path).unwrap();
        let own = folder(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"))?;
        let trial = own.join(format!("{PREFIX}trial-{}", std::process::id()));
        fs::create_dir(&trial).ok()?;
        let has_kill = trial.join("cgroup.kill").exists();
        fs::remove_dir(trial).unwrap();
        Some(own).filter(|_| has_kill)
    }

    /// Starts a command in the group, which then sleeps for ever.
    fn sleeping(group: &RunGroup, script: &str) -> Child {
        let dir = group.dir();
        let launch = Launch::wrapper("/bin/sh").args(["-c", script]);
        let null = || {
            Stream::Given(
                fs::File::options().read(true).write(true).open("/dev/null").unwrap().into(),
            )
        };
        let around = Surroundings {
            env: [].into(),
            dir: fs::File::open("/").unwrap().into(),
            group: Some(dir),
            streams: [null(), null(), null()],
            session: Session::Isolated,
        };
        let (told, started) = std::sync::mpsc::channel();
        spawn::submit(move |spawner| {
            told.send(spawner.and_then(|spawner| spawner.spawn(launch, &around, &Pending::new())))
                .unwrap();
        });
        started.recv().unwrap().unwrap()
    }

    fn processes(group: &RunGroup) -> usize {
        read(group, "cgroup.procs").unwrap().lines().count()
    }

    #[test]
    #[expect(clippy::print_stdout, reason = "a test that is ignored says why")]
    fn what_leaves_its_process_group_does_not_outlive_the_cgroup_of_its_run() {
        let Some(place) = real() else {
            println!("ignored, because no cgroup of version 2 can be made here");
            return;
        };
        let place = Place::made_up(&place, false, false);
        let group = RunGroup::make(&place, &Limits::default(), 1).unwrap();
        let mut child = sleeping(&group, "setsid sleep 3600 & exec sleep 3600");
        while processes(&group) < 2 {
            std::thread::yield_now();
        }
        let path = group.path.clone();
        assert_eq!(group.end(), Exceeded::default());
        assert!(!path.exists(), "it was empty");
        assert_eq!(child.reap(), Some(Ended::Signaled(9)));
    }

    #[test]
    fn a_name_that_is_taken_is_passed_over() {
        let top = tempfile::tempdir().unwrap();
        let taken = top.path().join(format!("{PREFIX}{}-0", std::process::id()));
        fs::create_dir(taken).unwrap();
        let place = Place::made_up(top.path(), true, true);
        let group = RunGroup::make(&place, &Limits::default(), 1).unwrap();
        assert!(group.path.ends_with(format!("{PREFIX}{}-1", std::process::id())));
    }

    #[test]
    fn what_it_has_reached_is_read_from_its_events() {
        let top = tempfile::tempdir().unwrap();
        let place = Place::made_up(top.path(), true, true);
        let make = |memory: &str, pids: &str| {
            let group = RunGroup::make(&place, &limits(1 << 20, 5), 1).unwrap();
            fs::write(group.path.join("memory.events"), memory).unwrap();
            fs::write(group.path.join("pids.events"), pids).unwrap();
            group.end()
        };
        assert_eq!(make("low 0\nmax 7\noom 0\noom_kill 0\n", "max 0\n"), Exceeded::default());
        let all = Exceeded { memory: true, processes: true };
        assert_eq!(make("max 7\noom 1\noom_kill 3\n", "max 2\n"), all);
        // The whole machine had no memory left: that was not the run's limit.
        assert!(!make("max 0\noom 0\noom_kill 1\n", "max 0\n").memory);
    }

    #[test]
    fn what_the_dead_have_left_is_swept_and_nothing_else() {
        let top = tempfile::tempdir().unwrap();
        let own = format!("{PREFIX}{}-0", std::process::id());
        // No process has such a number (`proc_sys_kernel(5)`, `pid_max`).
        let dead = format!("{PREFIX}4194305-0");
        for name in [own.as_str(), dead.as_str(), "cofferdam", "other"] {
            fs::create_dir(top.path().join(name)).unwrap();
        }
        sweep(top.path());
        assert!(!top.path().join(dead).exists());
        for name in [own.as_str(), "cofferdam", "other"] {
            assert!(top.path().join(name).exists(), "{name}");
        }
    }
}
