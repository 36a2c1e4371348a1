//! What runs the probe: a command line in front of it, in a setting of folders and variables.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Something that runs commands, and is said to confine them.
///
/// It is a program that understands what `cofferdam run` does: the options that are given here,
/// `--cwd DIR`, `--read`, `--write`, `--deny` and `--profile` once more, `--timeout SECONDS`, and
/// after `--` the command.
#[derive(Debug, Clone)]
pub struct Subject {
    pub(crate) name: String,
    pub(crate) setting: Setting,
    pub(crate) options: Vec<OsString>,
    pub(crate) takes_profile: bool,
}

impl Subject {
    /// A launcher, by the words that `cofferdam run` needs to use it. `takes_profile` tells whether
    /// rules can be added to what it enforces.
    pub fn new<O: Into<OsString>>(
        name: impl Into<String>,
        options: impl IntoIterator<Item = O>,
        takes_profile: bool,
    ) -> Subject {
        let options = options.into_iter().map(Into::into).collect();
        Subject { name: name.into(), setting: Setting::Runner, options, takes_profile }
    }

    /// Nobody: the probe is started as it is. What works here is what an attack needs.
    pub(crate) fn nobody() -> Subject {
        Subject {
            name: "nothing".to_owned(),
            setting: Setting::Direct,
            options: Vec::new(),
            takes_profile: true,
        }
    }

    /// The name for people.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Whether there is a runner in front of the probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// The probe itself is started.
    Direct,
    /// The runner is started, and starts the probe.
    Runner,
}

/// A copy of the program, in a folder that a run can be let into: it is the runner as well as the
/// probe, and no profile opens the place where it is installed.
#[derive(Debug)]
pub struct Stage {
    /// Removed with the stage. `None` where somebody else has made it.
    _folder: Option<TempDir>,
    program: PathBuf,
}

impl Stage {
    /// Copies this very program, which has the subcommands `run` and `probe`. Below `/var/tmp` where
    /// that exists, since `/tmp` is a run's own.
    ///
    /// # Errors
    /// That of the file system.
    pub fn new() -> io::Result<Stage> {
        let persistent = Path::new("/var/tmp");
        let base = match persistent.is_dir() {
            true => persistent.to_owned(),
            false => std::env::temp_dir(),
        };
        let folder =
            tempfile::Builder::new().prefix("battery-").tempdir_in(base.canonicalize()?)?;
        // Others may pass: one who becomes an ordinary user must reach the copy.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711))?;
        let program = folder.path().join("program");
        fs::copy(std::env::current_exe()?, &program)?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
        Ok(Stage { _folder: Some(folder), program })
    }

    /// The stage of which this very program is the copy.
    #[cfg(feature = "harness")]
    pub(crate) fn own() -> io::Result<Stage> {
        Ok(Stage { _folder: None, program: std::env::current_exe()? })
    }

    /// The copy.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Where the folders of attempts stand.
    pub(crate) fn base(&self) -> &Path {
        let folder = self.program.parent().and_then(Path::parent);
        folder.unwrap_or(Path::new("/"))
    }
}

/// The subcommand by which a staged program is the probe.
pub(crate) fn probe_word() -> &'static OsStr {
    OsStr::new("probe")
}
