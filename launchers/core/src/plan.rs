//! The command that a launcher is asked to wrap. It has been admitted and resolved; a launcher reads
//! it and changes nothing.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// One command, admitted by the gate and resolved to a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    command: OsString,
    program: PathBuf,
    args: Vec<OsString>,
    dir: PathBuf,
    scratch: Option<Scratch>,
    takes_refusals: bool,
}

/// The private folders of a run: both exist, are empty or the tool's own, and have mode 0700.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scratch {
    /// What the command sees as `TMPDIR`, and as `/tmp` where there is a mount namespace.
    pub tmp: PathBuf,
    /// What the command sees as `HOME`.
    pub home: PathBuf,
}

impl Plan {
    /// A plan without arguments. `command` is the name as the caller wrote it (it becomes
    /// `argv[0]`), `program` the absolute path that it stands for, `dir` the absolute working
    /// directory.
    pub fn new(
        command: impl Into<OsString>,
        program: impl Into<PathBuf>,
        dir: impl Into<PathBuf>,
    ) -> Self {
        Plan {
            command: command.into(),
            program: program.into(),
            args: Vec::new(),
            dir: dir.into(),
            scratch: None,
            takes_refusals: false,
        }
    }

    /// The same plan with these arguments, in order, none of them `argv[0]`.
    #[must_use]
    pub fn with_args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args = args.into_iter().map(Into::into).collect();
        self
    }

    /// The same plan with the private folders of its run.
    #[must_use]
    pub fn with_scratch(mut self, scratch: Scratch) -> Self {
        self.scratch = Some(scratch);
        self
    }

    /// The same plan for a runner that takes [`Launch::refusals`](crate::Launch::refusals).
    #[must_use]
    pub fn taking_refusals(mut self) -> Self {
        self.takes_refusals = true;
        self
    }

    /// The command as the caller wrote it: `git`, `./tool.sh`, `/usr/bin/jq`.
    pub fn command(&self) -> &OsStr {
        &self.command
    }

    /// The absolute path of the program that `command` stands for. Links in it are not resolved,
    /// since some programs look at the name by which they were called.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The arguments, without `argv[0]`.
    pub fn args(&self) -> &[OsString] {
        &self.args
    }

    /// The absolute, physical working directory of the run. The runner has it open already and
    /// enters it before anything is exec'd; a wrapper that changes the view must lead there again.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The private folders of this run, where the policy gives it some.
    pub fn scratch(&self) -> Option<&Scratch> {
        self.scratch.as_ref()
    }

    /// Whether the runner takes [`Launch::refusals`](crate::Launch::refusals). Otherwise nobody would
    /// answer, so a filter has to refuse by itself.
    pub fn takes_refusals(&self) -> bool {
        self.takes_refusals
    }
}
