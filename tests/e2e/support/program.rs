//! The program under test.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{LIMIT, Setup};

/// What the program left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Asserts exit 0, this output, and not a word on stderr.
    #[track_caller]
    pub(crate) fn printed(&self, expected: &str) {
        assert_eq!((self.code, &*self.stdout, &*self.stderr), (Some(0), expected, ""), "{self:?}");
    }

    /// Asserts this exit code.
    #[track_caller]
    pub(crate) fn exited(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// Asserts that stderr holds each of these words.
    #[track_caller]
    pub(crate) fn said(&self, words: &[&str]) -> &Self {
        for word in words {
            assert!(self.stderr.contains(word), "`{word}` is missing: {self:?}");
        }
        self
    }

    /// The payload that `--json` prints: one line.
    #[track_caller]
    pub(crate) fn payload(&self) -> Value {
        assert_eq!(self.stdout.lines().count(), 1, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Waits for a program that ends by itself; kills it and fails where it does not.
#[track_caller]
pub(crate) fn finish(child: Child) -> Ran {
    let pid = Pid::from_child(&child);
    let (done, ended) = mpsc::channel();
    thread::spawn(move || done.send(child.wait_with_output()));
    match ended.recv_timeout(LIMIT) {
        Ok(output) => Ran::from(output.unwrap()),
        Err(_) => {
            let _ = kill_process(pid, Signal::KILL);
            panic!("it did not end within {LIMIT:?}");
        }
    }
}

/// Asserts that a server does not start: its exit is not 0, its stdout empty, and each of these words
/// stands on stderr.
#[track_caller]
pub(crate) fn refuses_to_start(mut command: Command, words: &[&str]) {
    let ran = finish(command.spawn().unwrap());
    assert!(ran.code.is_some_and(|code| code != 0), "{ran:?}");
    assert_eq!(ran.stdout, "", "{ran:?}");
    ran.said(words);
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// Where a server finds programs that was started by a graphical client.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

impl Setup {
    /// `cofferdam` with these words, in the workspace, with an environment that holds what every
    /// program needs and nothing else. Its streams are pipes, standard input excepted.
    pub(crate) fn cofferdam<A: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(self.program());
        command.args(words);
        self.prepared(&mut command);
        command
    }

    /// Gives a command the user, the directory and the environment of this setup.
    pub(crate) fn prepared(&self, command: &mut Command) {
        command
            .current_dir(self.place.path("work"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env_clear()
            .env("PATH", PATH)
            .env("LANG", "C.UTF-8")
            .env("HOME", self.place.path("home"))
            .env("XDG_CACHE_HOME", self.place.path("cache"));
        self.user.applied_to(command);
    }

    /// `cofferdam run` under the launcher of this setup, with these options, of this command.
    pub(crate) fn run_command<A: AsRef<OsStr>>(
        &self,
        options: &[&str],
        command: impl IntoIterator<Item = A>,
    ) -> Command {
        let mut words = self.cofferdam(["run", "--launcher", &self.launcher.option()]);
        words.args(options).arg("--").args(command);
        words
    }

    /// Runs a command with `cofferdam run` and waits for its end.
    #[track_caller]
    pub(crate) fn run<A: AsRef<OsStr>>(
        &self,
        options: &[&str],
        command: impl IntoIterator<Item = A>,
    ) -> Ran {
        finish(self.run_command(options, command).spawn().unwrap())
    }

    /// Runs a shell script with `cofferdam run`.
    #[track_caller]
    pub(crate) fn sh(&self, script: &str) -> Ran {
        self.run(&[], ["sh", "-c", script])
    }

    /// The payload of a command that runs with `cofferdam run --json`.
    #[track_caller]
    pub(crate) fn payload<A: AsRef<OsStr>>(
        &self,
        options: &[&str],
        command: impl IntoIterator<Item = A>,
    ) -> Value {
        self.run(&[&["--json"], options].concat(), command).payload()
    }

    /// The program, where the user can execute it.
    fn program(&self) -> PathBuf {
        let built = Path::new(env!("CARGO_BIN_EXE_cofferdam"));
        if self.user.id().is_none() {
            return built.to_owned();
        }
        // The build may lie in a directory that only its owner can enter.
        let reachable = self.place.path("cofferdam");
        if !reachable.exists() && fs::hard_link(built, &reachable).is_err() {
            fs::copy(built, &reachable).unwrap();
        }
        reachable
    }
}
