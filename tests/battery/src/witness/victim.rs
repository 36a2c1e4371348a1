//! A process of the same user that has nothing to do with any run.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, getpriority_process};
use rustix::thread::sched_getaffinity;

use crate::scene::Scene;
use crate::subject::probe_word;
use crate::verdict::{At, Trouble};

/// A process with a secret in its memory, its environment, its folder and its open files. Ends when
/// dropped.
#[derive(Debug)]
pub(crate) struct Victim {
    child: Child,
    /// Where its secret lies in memory: address and length.
    pub(crate) address: (String, String),
}

impl Victim {
    pub(crate) fn start(scene: &Scene<'_>) -> Result<Victim, Trouble> {
        const LIMIT: Duration = Duration::from_secs(20);
        let folder = scene.outside("victim");
        fs::create_dir_all(&folder).at("make a folder")?;
        let child = Command::new(scene.stage.program())
            .arg(probe_word())
            .args(["wait", scene.canary()])
            .arg(scene.secret())
            .env_clear()
            .env("API_KEY", scene.canary())
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .at("start a process")?;
        let mut victim = Victim { child, address: Default::default() };
        let begun = Instant::now();
        while begun.elapsed() < LIMIT {
            let told = fs::read_to_string(folder.join("victim-address")).unwrap_or_default();
            if let Some((address, length)) = told.split_once(' ') {
                victim.address = (address.to_owned(), length.to_owned());
                return Ok(victim);
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Err(Trouble::NeverRan("the process to be attacked did not come up".to_owned()))
    }

    /// Its number.
    pub(crate) fn id(&self) -> String {
        self.child.id().to_string()
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Whether a signal has ended it. It ends now in any case, for its input does; a signal that was
    /// sent before comes first, for a process that has one runs nothing of its own any more.
    pub(crate) fn was_killed(mut self) -> Result<bool, Trouble> {
        // Closes its input, too.
        let status = self.child.wait().at("wait for the process that was attacked")?;
        Ok(status.signal().is_some())
    }

    /// What others may set about it: limits, priority, processors, and who is killed first.
    pub(crate) fn state(&self) -> String {
        let read = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", self.id()));
        format!(
            "{:?} {:?} {:?} {:?}",
            read("limits").ok(),
            read("oom_score_adj").ok(),
            getpriority_process(Some(self.pid())).ok(),
            sched_getaffinity(Some(self.pid())).ok().map(|set| set.count()),
        )
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
