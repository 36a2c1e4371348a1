//! One run of the probe.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::report::Report;
use crate::scene::Scene;
use crate::subject::{Setting, probe_word};
use crate::verdict::{At, Trouble};

/// How long a runner gives a probe, in seconds. Generous: it only ends what hangs.
const TIME: &str = "100";
/// What a runner exits with that has not started anything.
const NOT_STARTED: i32 = 125;
/// How long the battery waits for a runner that ought to have ended.
const LIMIT: Duration = Duration::from_secs(120);

/// A run to be completed and started.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    scene: &'a Scene<'a>,
    program: OsString,
    words: Vec<OsString>,
    options: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    stdin: Vec<u8>,
    terminal: Option<OwnedFd>,
}

/// A run that goes on.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
}

impl<'a> Task<'a> {
    pub(crate) fn new(scene: &'a Scene<'a>, word: &str) -> Self {
        Task {
            scene,
            program: scene.world.probe().into(),
            words: vec![probe_word().into(), word.into()],
            options: Vec::new(),
            variables: Vec::new(),
            stdin: Vec::new(),
            terminal: None,
        }
    }

    /// Adds a word for the probe.
    pub(crate) fn arg(mut self, word: impl AsRef<OsStr>) -> Self {
        self.words.push(word.as_ref().to_owned());
        self
    }

    /// Names the probe in another way: by a path from the workspace, for one.
    pub(crate) fn named(mut self, program: impl Into<OsString>) -> Self {
        self.program = program.into();
        self
    }

    /// Adds a rule for this run, as an option of the runner: `--deny`.
    pub(crate) fn rule(mut self, option: &str, path: impl AsRef<OsStr>) -> Self {
        self.options.push(option.into());
        self.options.push(path.as_ref().to_owned());
        self
    }

    /// Sets a variable of the runner, not of the probe.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.into(), value.as_ref().to_owned()));
        self
    }

    /// Gives this to the runner's standard input.
    pub(crate) fn stdin(mut self, bytes: &[u8]) -> Self {
        self.stdin = bytes.to_owned();
        self
    }

    /// Starts the runner on this terminal, in a session that it controls.
    pub(crate) fn on(mut self, terminal: OwnedFd) -> Self {
        self.terminal = Some(terminal);
        self
    }

    /// Runs it to its end, and reads what the probe said. A runner that does not start a run because
    /// of a rule that it was given promises nothing with that rule.
    pub(crate) fn run(self) -> Result<Report, Trouble> {
        let has_rules = !self.options.is_empty() && !self.scene.is_control();
        let output = self.output()?;
        let refused = has_rules && output.status.code() == Some(NOT_STARTED);
        let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        match Report::read(output) {
            Err(Trouble::NeverRan(_)) if refused => Err(Trouble::Refused(stderr)),
            read => read,
        }
    }

    /// Runs it to its end.
    pub(crate) fn output(self) -> Result<Output, Trouble> {
        self.start()?.output()
    }

    /// Starts it.
    pub(crate) fn start(self) -> Result<Running, Trouble> {
        let mut command = self.command();
        let stdin = self.stdin;
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        match self.terminal {
            Some(terminal) => command.stdin(terminal),
            None => command.stdin(Stdio::piped()),
        };
        let mut child = command.spawn().at("start the runner")?;
        if let Some(mut pipe) = child.stdin.take() {
            // One that does not read it is none of ours.
            let _ = pipe.write_all(&stdin);
        }
        Ok(Running { child })
    }

    fn command(&self) -> Command {
        let (scene, world) = (self.scene, &self.scene.world);
        let runner = scene.stage.program();
        let mut words: Vec<OsString> = Vec::new();
        if self.terminal.is_some() {
            words
                .extend([runner.as_os_str(), probe_word(), "on-terminal".as_ref()].map(Into::into));
        }
        if scene.subject.setting == Setting::Runner {
            words.extend([runner.as_os_str(), "run".as_ref()].map(Into::into));
            words.extend(scene.subject.options.iter().cloned());
            words.extend(self.options.iter().cloned());
            words.extend(["--timeout".into(), TIME.into(), "--cwd".into()]);
            words.extend([world.workspace().into(), "--".into()]);
        }
        words.push(self.program.clone());
        words.extend(self.words.iter().cloned());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(world.workspace()).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LANG", "C.UTF-8");
        command.env("HOME", world.path("home")).env("USER", "somebody");
        if scene.is_control() {
            command.env("TMPDIR", world.path("home"));
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl Running {
    /// Waits for the end, and reads what the probe said.
    pub(crate) fn report(self) -> Result<Report, Trouble> {
        self.output().and_then(Report::read)
    }

    /// Waits for the end.
    pub(crate) fn output(self) -> Result<Output, Trouble> {
        let pid = Pid::from_child(&self.child);
        let (told, ended) = channel();
        let waiter = thread::spawn(move || told.send(self.child.wait_with_output()));
        let output = match ended.recv_timeout(LIMIT) {
            Ok(output) => output.at("wait for the runner"),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let _ = kill_process(pid, Signal::KILL);
                Err(Trouble::NeverRan("the runner did not end".to_owned()))
            }
        };
        if output.is_ok() {
            // It has sent already.
            let _ = waiter.join();
        }
        output
    }

    /// Whether the runner has ended.
    pub(crate) fn has_ended(&mut self) -> Result<bool, Trouble> {
        Ok(self.child.try_wait().at("ask for the runner's end")?.is_some())
    }

    /// Ends the runner as `kill -9` does.
    pub(crate) fn kill(&mut self) -> Result<(), Trouble> {
        self.child.kill().at("kill the runner")
    }
}
