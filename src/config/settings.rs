//! The settings of one tool instance, checked. A [`Settings`] in hand cannot be wrong: it is made
//! from what a person or a program wrote, and only when all of that makes sense.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cofferdam_profiles::{Grants, Source};

use crate::Guard;

use super::elements::{
    Allow, AuditSettings, Compression, Environment, Escalate, LauncherChoice, OnOutputLimit,
    ScratchMode, Shape, ToolName, ValidatorSettings,
};

/// The settings of one tool instance.
///
/// Settings come from a [`Config`](super::Config), or from [`Settings::new`].
#[derive(Debug, Clone)]
pub struct Settings {
    pub(crate) allow: Allow,
    pub(crate) cwd: PathBuf,
    pub(crate) isolate_terminal: bool,
    pub(crate) timeout: Duration,
    pub(crate) max_timeout: Option<Duration>,
    pub(crate) max_output_bytes: usize,
    pub(crate) max_output_lines: usize,
    pub(crate) max_file_bytes: usize,
    pub(crate) on_output_limit: OnOutputLimit,
    pub(crate) max_jobs: usize,
    pub(crate) max_finished_jobs: usize,
    pub(crate) job_ttl: Duration,
    pub(crate) launcher: LauncherChoice,
    pub(crate) names_launcher: bool,
    pub(crate) profile: Option<Source>,
    pub(crate) grants: Grants,
    pub(crate) environment: Option<Environment>,
    pub(crate) tools: BTreeSet<ToolName>,
    pub(crate) scratch: ScratchMode,
    pub(crate) shape: Shape,
    pub(crate) compression: Compression,
    pub(crate) guard: Option<Guard>,
    pub(crate) audit: AuditSettings,
    pub(crate) validator: Option<ValidatorSettings>,
    pub(crate) escalate: Escalate,
}

impl Settings {
    /// Which programs may run.
    pub fn allow(&self) -> &Allow {
        &self.allow
    }

    /// The directory in which commands run, and the workspace of profiles: a physical, absolute path
    /// that was a directory when the settings were checked.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Whether commands are kept away from the terminal of this process. Always true with a launcher
    /// that sandboxes.
    pub fn isolate_terminal(&self) -> bool {
        self.isolate_terminal
    }

    /// How long a foreground run may take where the call says nothing. Greater than zero.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The longest timeout that a call may ask for, not below [`timeout`](Settings::timeout); a longer
    /// one is lowered to it. `None` is no limit.
    pub fn max_timeout(&self) -> Option<Duration> {
        self.max_timeout
    }

    /// How much of each of the two streams is kept, in bytes.
    pub fn max_output_bytes(&self) -> usize {
        self.max_output_bytes
    }

    /// How much of each of the two streams is kept, in lines.
    pub fn max_output_lines(&self) -> usize {
        self.max_output_lines
    }

    /// How large a file may become that takes the output of a command, in bytes.
    pub fn max_file_bytes(&self) -> usize {
        self.max_file_bytes
    }

    /// What becomes of a command that writes more than that.
    pub fn on_output_limit(&self) -> OnOutputLimit {
        self.on_output_limit
    }

    /// How many background jobs run at once. At least one.
    pub fn max_jobs(&self) -> usize {
        self.max_jobs
    }

    /// How many finished jobs can still be polled, runs whose answer was made shorter among them. At
    /// least one.
    pub fn max_finished_jobs(&self) -> usize {
        self.max_finished_jobs
    }

    /// How long a finished job can still be polled. Greater than zero.
    pub fn job_ttl(&self) -> Duration {
        self.job_ttl
    }

    /// What wraps every command.
    pub fn launcher(&self) -> &LauncherChoice {
        &self.launcher
    }

    /// Whether the settings name a launcher, if only `none`. Where they do not, a server says so when
    /// it starts, since nothing confines its commands and perhaps nobody meant that.
    pub fn names_launcher(&self) -> bool {
        self.names_launcher
    }

    /// What commands may do: as written, or the profile `workspace`. `None` exactly when the
    /// launcher takes no profile.
    pub fn profile(&self) -> Option<&Source> {
        self.profile.as_ref()
    }

    /// Grants beside the profile. None without a profile.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// What crosses into the environment of commands, beside what the profile lets cross. `None` is
    /// nothing more than that, or, without a profile, everything.
    pub fn environment(&self) -> Option<&Environment> {
        self.environment.as_ref()
    }

    /// The tools that the instance offers, at least one.
    pub fn tools(&self) -> &BTreeSet<ToolName> {
        &self.tools
    }

    /// What the tools look like to clients.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// How output is made shorter.
    pub fn compression(&self) -> &Compression {
        &self.compression
    }

    /// The look at arguments; `None` is none. A gate of intent, and no boundary.
    pub fn guard(&self) -> Option<&Guard> {
        self.guard.as_ref()
    }

    /// How long the private folders of commands live.
    pub fn scratch(&self) -> ScratchMode {
        self.scratch
    }

    /// Where the outcome of every call is recorded.
    pub fn audit(&self) -> &AuditSettings {
        &self.audit
    }

    /// The program that is asked about every command; none by default.
    pub fn validator(&self) -> Option<&ValidatorSettings> {
        self.validator.as_ref()
    }

    /// The files that decide over its runs or tell of them. A run that can write one of them could
    /// change its own terms.
    pub(crate) fn own_files(&self) -> Vec<PathBuf> {
        let validator = self.validator.iter().flat_map(ValidatorSettings::files);
        let filters = self.compression.compressor.paths().iter().cloned();
        self.audit.file.iter().cloned().chain(validator).chain(filters).collect()
    }

    /// What becomes of a run that its sandbox refused something.
    pub fn escalate(&self) -> Escalate {
        self.escalate
    }
}
