//! Processes that a test leaves running on purpose, found again by arguments that nobody else has.

use std::fs;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::Pid;

use super::deadline::eventually;

/// A number of seconds that no other `sleep` on this machine was given.
#[derive(Debug)]
pub(crate) struct Sleep {
    seconds: String,
}

impl Sleep {
    /// A sleep of about so many seconds: longer than the test.
    pub(crate) fn new(seconds: u32) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Sleep { seconds: format!("{seconds}.{:08}{count:03}", process::id()) }
    }

    /// The argument of `sleep`.
    pub(crate) fn seconds(&self) -> &str {
        &self.seconds
    }

    /// The sleeps that run now, zombies left out: they have no arguments any more.
    pub(crate) fn running(&self) -> Vec<Pid> {
        // Some launchers call a program by its path. They have the words among their own as well.
        let names = ["sleep", "/usr/bin/sleep", "/bin/sleep"];
        let wanted = names.map(|name| format!("{name}\0{}\0", self.seconds));
        let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        entries
            .filter(|entry| {
                fs::read_to_string(entry.path().join("cmdline"))
                    .is_ok_and(|line| wanted.contains(&line))
            })
            .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
            .collect()
    }

    /// Waits until so many of them run.
    #[track_caller]
    pub(crate) fn await_running(&self, count: usize) {
        assert!(eventually(|| self.running().len() == count), "not {count}: {:?}", self.running());
    }

    /// Waits until none is left.
    #[track_caller]
    pub(crate) fn await_gone(&self) {
        assert!(eventually(|| self.running().is_empty()), "left: {:?}", self.running());
    }

    /// Asserts that none is left, without waiting.
    #[track_caller]
    pub(crate) fn is_gone(&self) {
        assert_eq!(self.running(), [], "left");
    }
}
