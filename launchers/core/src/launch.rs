//! What to spawn. Made by a launcher, consumed by the spawner, and by nothing else.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{ChildStep, Plan, Refusals};

/// A command made ready to be spawned.
///
/// It says what to exec, which descriptors stay open over the exec, what confines the child before
/// it, and what the launcher claims for it.
pub struct Launch {
    program: PathBuf,
    argv: Vec<OsString>,
    keep: Vec<OwnedFd>,
    status: Option<OwnedFd>,
    refusals: Option<Box<Refusals>>,
    step: Option<Box<dyn ChildStep>>,
    sandboxed: bool,
    missing: Arc<[String]>,
}

impl Launch {
    /// Exec the program of `plan` itself, under the name by which the caller called it.
    pub fn direct(plan: &Plan) -> Self {
        let mut launch = Launch::wrapper(plan.program());
        launch.argv[0] = plan.command().to_owned();
        launch.args(plan.args())
    }

    /// Exec `program`, an absolute path, with itself as `argv[0]`. Put the end-of-options mark of
    /// the wrapper before the command, or a command named `--bind` becomes one of its options.
    pub fn wrapper(program: impl Into<PathBuf>) -> Self {
        let program = program.into();
        Launch {
            argv: vec![program.clone().into_os_string()],
            program,
            keep: Vec::new(),
            status: None,
            refusals: None,
            step: None,
            sandboxed: false,
            missing: Arc::new([]),
        }
    }

    /// Adds one argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.argv.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments, in order.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.argv.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Keeps a descriptor open over the exec, under the number that it has here. Every other
    /// descriptor above 2 is closed.
    #[must_use]
    pub fn keep(mut self, fd: OwnedFd) -> Self {
        self.keep.push(fd);
        self
    }

    /// The reading end of a pipe on which the wrapper tells how it fared; its bytes come back in
    /// [`WrapperEnd::status`](crate::WrapperEnd::status). The writing end goes to [`Launch::keep`].
    #[must_use]
    pub fn status(mut self, fd: OwnedFd) -> Self {
        self.status = Some(fd);
        self
    }

    /// Where the runner gets to know which system calls the filter has refused. Only for a plan that
    /// [takes refusals](Plan::takes_refusals).
    #[must_use]
    pub fn refusals(mut self, refusals: Refusals) -> Self {
        self.refusals = Some(Box::new(refusals));
        self
    }

    /// Confine the child in place, after the spawner has prepared it and before the exec.
    #[must_use]
    pub fn step(mut self, step: impl ChildStep + 'static) -> Self {
        self.step = Some(Box::new(step));
        self
    }

    /// Claims that this launch confines the command. Call it only where that is so.
    #[must_use]
    pub fn sandboxed(mut self) -> Self {
        self.sandboxed = true;
        self
    }

    /// Names the rules of the policy that this launch does not enforce although the policy holds
    /// them. Shared, because it is the same for every run of a launcher.
    #[must_use]
    pub fn missing(mut self, missing: Arc<[String]>) -> Self {
        self.missing = missing;
        self
    }

    /// The absolute path of what is exec'd.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The whole argument vector, `argv[0]` included.
    pub fn argv(&self) -> &[OsString] {
        &self.argv
    }

    /// Whether the launcher claims that the command is confined.
    pub fn is_sandboxed(&self) -> bool {
        self.sandboxed
    }

    /// What the launcher does not enforce, by the policy's names.
    pub fn missing_rules(&self) -> &Arc<[String]> {
        &self.missing
    }

    /// The in-child step, if there is one.
    pub fn child_step(&self) -> Option<&dyn ChildStep> {
        self.step.as_deref()
    }

    /// The descriptors that stay open over the exec.
    pub fn kept(&self) -> &[OwnedFd] {
        &self.keep
    }

    /// Takes the reading end of the status pipe. It belongs to whoever watches the child.
    pub fn take_status(&mut self) -> Option<OwnedFd> {
        self.status.take()
    }

    /// Takes what tells of refused system calls. Whoever takes it has to answer them, or drop it.
    pub fn take_refusals(&mut self) -> Option<Refusals> {
        self.refusals.take().map(|refusals| *refusals)
    }

    /// Puts this launch inside another wrapper: `program` and `argv` are replaced, and descriptors,
    /// status, refusals, claim and missing rules stay. For launchers that stand outside of another one.
    ///
    /// # Errors
    /// The launch itself when it has a child step: a step confines whatever is exec'd, so it would
    /// confine the outer wrapper and not the command.
    pub fn inside(mut self, outer: Launch) -> Result<Launch, Launch> {
        if self.step.is_some() {
            return Err(self);
        }
        self.program = outer.program;
        self.argv = outer.argv;
        self.keep.extend(outer.keep);
        self.sandboxed |= outer.sandboxed;
        Ok(self)
    }
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("program", &self.program)
            .field("argv", &self.argv)
            .field("keep", &self.keep)
            .field("status", &self.status)
            .field("refusals", &self.refusals)
            .field("step", &self.step.is_some())
            .field("sandboxed", &self.sandboxed)
            .field("missing", &self.missing)
            .finish()
    }
}
