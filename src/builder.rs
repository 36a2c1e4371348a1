//! Collects the terms of a runner and checks all of them before the first run.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cofferdam_launcher::{Launcher, Plain};
use cofferdam_profiles::{Context, Grants, Policy, Source};

use crate::AllowList;
use crate::audit::{Book, Facts};
use crate::capture::Caps;
use crate::config::defaults::{MAX_FILE_BYTES, PROFILE};
use crate::config::{
    AuditSettings, Environment, LauncherChoice, OnOutputLimit, ScratchMode, SettingsError,
    ValidatorSettings,
};
use crate::environment::EnvironmentSource;
use crate::gate::Gate;
use crate::guard::Guard;
use crate::registry::{self, Purpose};
use crate::runner::{Runner, Terms};
use crate::scratch::{ScratchDir, ScratchPlace};
use crate::spawn::{Session, verify_isolation};
use crate::validator::{ProgramValidator, Questions, Validator};

/// Builds a [`Runner`]. A gate must be chosen; everything else has a default.
#[derive(Default)]
pub struct RunnerBuilder {
    gate: Option<Gate>,
    guard: Option<Guard>,
    workspace: Option<PathBuf>,
    wrapping: Wrapping,
    profile: Option<Source>,
    grants: Grants,
    reserved: Vec<PathBuf>,
    environment: Option<Environment>,
    keep_terminal: bool,
    untried: bool,
    scratch: ScratchMode,
    timeout: Option<Duration>,
    max_timeout: Option<Duration>,
    caps: Caps,
    max_file_bytes: Option<u64>,
    on_output_limit: OnOutputLimit,
    purpose: Purpose,
    instance: Option<String>,
    audit: AuditSettings,
    validator: Validating,
}

/// Who is asked about commands.
#[derive(Default)]
enum Validating {
    #[default]
    Nobody,
    Host(Arc<dyn Validator>),
    Program(ValidatorSettings),
}

/// Who wraps the commands.
#[derive(Default)]
enum Wrapping {
    #[default]
    Nobody,
    Host(Arc<dyn Launcher>),
    Chosen(LauncherChoice),
}

impl RunnerBuilder {
    pub(crate) fn new() -> Self {
        RunnerBuilder::default()
    }

    /// Admit every command. Choose a sandboxing launcher with it, or ask a person for each command.
    #[must_use]
    pub fn allow_any(mut self) -> Self {
        self.gate = Some(Gate::Any);
        self
    }

    /// Admit exactly these names, compared as they are written.
    #[must_use]
    pub fn allow<N: Into<OsString>>(self, names: impl IntoIterator<Item = N>) -> Self {
        self.allow_only(AllowList::new(names))
    }

    /// Admit what this list says: names, and patterns of names.
    #[must_use]
    pub fn allow_only(mut self, list: AllowList) -> Self {
        self.gate = Some(Gate::Only(list));
        self
    }

    /// Refuse arguments that make something else of an admitted program than was meant. A gate of
    /// intent, and no boundary: see [`Guard`].
    #[must_use]
    pub fn guard(mut self, guard: impl Into<Option<Guard>>) -> Self {
        self.guard = guard.into();
        self
    }

    /// The directory that the profile calls `${workspace}`, and in which commands start. Without it,
    /// the process's current directory. Resolved once, here.
    #[must_use]
    pub fn workspace(mut self, dir: impl Into<PathBuf>) -> Self {
        self.workspace = Some(dir.into());
        self
    }

    /// Wrap every command with this launcher, which holds its own policy.
    #[must_use]
    pub fn launcher(mut self, launcher: impl Launcher + 'static) -> Self {
        self.wrapping = Wrapping::Host(Arc::new(launcher));
        self
    }

    /// Wrap every command with a launcher of Cofferdam's own, under the profile.
    #[must_use]
    pub fn sandbox(mut self, choice: LauncherChoice) -> Self {
        self.wrapping = Wrapping::Chosen(choice);
        self
    }

    /// The profile of the sandbox; `workspace` without it. Only for [`RunnerBuilder::sandbox`].
    #[must_use]
    pub fn profile(mut self, profile: Source) -> Self {
        self.profile = Some(profile);
        self
    }

    /// Grants beyond the profile, merged last.
    #[must_use]
    pub fn grants(mut self, grants: Grants) -> Self {
        self.grants = grants;
        self
    }

    /// A file that decides over runs (a configuration, a token). A workspace or another writable path
    /// that holds it is refused, or a run could change its own terms.
    #[must_use]
    pub fn reserve(mut self, path: impl Into<PathBuf>) -> Self {
        self.reserved.push(path.into());
        self
    }

    /// What crosses into the environment of commands. Without it the profile decides, and where
    /// there is no profile everything crosses.
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = Some(environment);
        self
    }

    /// Whether commands are kept away from the host's terminal, by a session of their own and
    /// `/dev/null` as standard input. On unless turned off; a sandboxing launcher insists on it.
    /// Whether that works here is tried once for each process, when the first runner is built.
    #[must_use]
    pub fn isolate_terminal(mut self, isolate: bool) -> Self {
        self.keep_terminal = !isolate;
        self
    }

    /// Leave out that trial: for a program that runs one command and sees itself how that goes.
    #[cfg(feature = "cli")]
    pub(crate) fn isolation_untried(mut self) -> Self {
        self.untried = true;
        self
    }

    /// Whether runs share their scratch folders.
    #[must_use]
    pub fn scratch(mut self, mode: ScratchMode) -> Self {
        self.scratch = mode;
        self
    }

    /// After this time a run is killed, unless its request says otherwise. Without it, never.
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout = timeout.into();
        self
    }

    /// No request gets more time than this: a longer one is lowered to it, and the payload then says
    /// so. Without it, requests decide.
    #[must_use]
    pub fn max_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.max_timeout = timeout.into();
        self
    }

    /// How much of each output stream is kept. [`Caps::default`] without it.
    #[must_use]
    pub fn caps(mut self, caps: Caps) -> Self {
        self.caps = caps;
        self
    }

    /// How large a file may become that takes the output of a run in place of the buffer, in bytes; what
    /// comes then is dropped and counted, or ends the run, as
    /// [`on_output_limit`](RunnerBuilder::on_output_limit) says. 64 MiB without it.
    #[must_use]
    pub fn max_file_bytes(mut self, bytes: u64) -> Self {
        self.max_file_bytes = Some(bytes);
        self
    }

    /// What becomes of a run that writes more than is kept. It goes on, unless chosen otherwise.
    #[must_use]
    pub fn on_output_limit(mut self, consequence: OnOutputLimit) -> Self {
        self.on_output_limit = consequence;
        self
    }

    /// What the launcher is built for; any number of runs without it.
    #[cfg(feature = "cli")]
    pub(crate) fn purpose(mut self, purpose: Purpose) -> Self {
        self.purpose = purpose;
        self
    }

    /// What this runner is called in its audit and to its validator.
    #[must_use]
    pub fn instance(mut self, name: impl Into<String>) -> Self {
        self.instance = Some(name.into());
        self
    }

    /// Where the outcome of every run and job is recorded. Nowhere without it. A workspace or another
    /// writable path that holds the file is refused.
    #[must_use]
    pub fn audit(mut self, audit: AuditSettings) -> Self {
        self.audit = audit;
        self
    }

    /// Ask this about every command, after the gate and before the launcher.
    #[must_use]
    pub fn validator(mut self, validator: impl Validator + 'static) -> Self {
        self.validator = Validating::Host(Arc::new(validator));
        self
    }

    /// Ask a program about every command.
    #[must_use]
    pub fn validator_program(mut self, program: ValidatorSettings) -> Self {
        self.validator = Validating::Program(program);
        self
    }

    /// Checks everything: directory, profile, whether the launcher works here and can enforce the
    /// profile. Scratch folders are made now.
    ///
    /// # Errors
    /// The first thing that cannot be used, with its cause and what would help.
    pub fn build(mut self) -> Result<Runner, SettingsError> {
        let gate = self.gate.take().ok_or(SettingsError::NoGate)?;
        let dir = workspace(self.workspace.as_deref())?;
        if !self.keep_terminal && !self.untried {
            verify_isolation().map_err(|error| SettingsError::not_isolated(&error))?;
        }
        let validator = self.reserve_validator()?;
        self.reserved.extend(self.audit.file.clone());
        self.reserved.sort_unstable();
        self.reserved.dedup();
        let own_files = own_files(&dir, &self.reserved);
        #[cfg(feature = "mcp")]
        let mut recipe = None;
        let (launcher, policy) = match self.wrapping {
            Wrapping::Nobody => (Arc::new(Plain) as Arc<dyn Launcher>, None),
            Wrapping::Host(launcher) => {
                launcher
                    .check()
                    .map_err(|source| SettingsError::launcher(launcher.name(), source))?;
                (launcher, None)
            }
            Wrapping::Chosen(choice) => {
                let policy = if choice.takes_profile() {
                    let source = self.profile.unwrap_or_else(|| Source::parse(PROFILE));
                    let context = context(&dir, self.reserved);
                    let policy = cofferdam_profiles::resolve(&source, &self.grants, &context)?;
                    #[cfg(feature = "mcp")]
                    {
                        let choice = choice.clone();
                        recipe = Some(Arc::new(crate::consent::Recipe {
                            choice,
                            source,
                            grants: self.grants,
                            context,
                        }));
                    }
                    Some(Arc::new(policy))
                } else {
                    None
                };
                (registry::build(&choice, policy.as_ref(), self.purpose)?.launcher, policy)
            }
        };
        if self.keep_terminal && policy.is_some() {
            return Err(SettingsError::TerminalKept { launcher: launcher.name().to_owned() });
        }
        let scratch = scratch(policy.as_deref(), self.scratch)?;
        let facts = Facts::new(self.instance, launcher.name(), policy.as_deref());
        let audit = Book::open(&self.audit, facts, policy.as_deref());
        let audit = audit.map_err(|source| {
            let path = self.audit.file.unwrap_or_default();
            SettingsError::Audit { path, source }
        })?;
        let environment = EnvironmentSource::new(policy.clone(), self.environment);
        let folders = scratch.instance().map(ScratchDir::scratch);
        let shared_environment = Arc::new(environment.child(folders));
        Ok(Runner::new(Terms {
            gate,
            guard: self.guard,
            validator: validator.map(Questions::to),
            audit: Arc::new(audit),
            dir,
            launcher,
            policy,
            environment,
            shared_environment,
            #[cfg(feature = "mcp")]
            recipe,
            scratch: Arc::new(scratch),
            session: if self.keep_terminal { Session::Inherited } else { Session::Isolated },
            timeout: self.timeout,
            max_timeout: self.max_timeout,
            caps: self.caps,
            max_file_bytes: self.max_file_bytes.unwrap_or(MAX_FILE_BYTES.default as u64),
            own_files,
            on_output_limit: self.on_output_limit,
        }))
    }
}

impl RunnerBuilder {
    /// The validator; where it is a program, no run may write that, nor what it is given.
    fn reserve_validator(&mut self) -> Result<Option<Arc<dyn Validator>>, SettingsError> {
        Ok(match std::mem::take(&mut self.validator) {
            Validating::Nobody => None,
            Validating::Host(validator) => Some(validator),
            Validating::Program(settings) => {
                let found = ProgramValidator::find(&settings).map_err(|source| {
                    let program = settings.command.first().cloned().unwrap_or_default();
                    SettingsError::Validator { program, source: io::Error::other(source) }
                })?;
                self.reserved.extend(settings.files());
                Some(Arc::new(found))
            }
        })
    }
}

pub(crate) fn workspace(dir: Option<&Path>) -> Result<PathBuf, SettingsError> {
    let wanted = dir.unwrap_or(Path::new("."));
    let physical = wanted.canonicalize().and_then(|physical| match physical.is_dir() {
        true => Ok(physical),
        false => Err(std::io::ErrorKind::NotADirectory.into()),
    });
    physical.map_err(|source| SettingsError::Workspace { path: wanted.to_owned(), source })
}

/// Resolves a profile for a workspace.
#[cfg(feature = "cli")]
pub(crate) fn policy(
    dir: &Path,
    profile: &Source,
    grants: &Grants,
    reserved: Vec<PathBuf>,
) -> Result<Arc<Policy>, SettingsError> {
    Ok(Arc::new(cofferdam_profiles::resolve(profile, grants, &context(dir, reserved))?))
}

fn context(workspace: &Path, reserved: Vec<PathBuf>) -> Context {
    let mut context = Context::from_environment(workspace);
    context.reserved.extend(reserved);
    context
}

/// The files that decide over runs, and the folder of the user's own settings, as physical paths.
fn own_files(dir: &Path, reserved: &[PathBuf]) -> Vec<PathBuf> {
    let context = Context::from_environment(dir);
    let all = reserved.iter().map(|path| context.dir.join(path)).chain(context.config_dir.clone());
    all.map(|path| path.canonicalize().unwrap_or(path)).collect()
}

fn scratch(policy: Option<&Policy>, mode: ScratchMode) -> Result<ScratchPlace, SettingsError> {
    if !policy.is_some_and(|policy| policy.filesystem.scratch) {
        return Ok(ScratchPlace::None);
    }
    let dir = ScratchDir::new().map_err(SettingsError::Scratch)?;
    Ok(match mode {
        ScratchMode::Instance => ScratchPlace::Instance(dir),
        ScratchMode::Run => ScratchPlace::EachRun(dir),
    })
}
