//! The operator's mistake: a tool is not started, and the reason is told once.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use cofferdam_launcher::LaunchError;
use cofferdam_profiles::ProfileError;

use super::mistake::{Mistake, Mistakes};
use super::syntax::{Format, SyntaxError};
use crate::audit::AuditError;

/// Settings that cannot be used. Nothing is started with them, not even in part.
///
/// The message names the file and, one a line, every mistake in it; what the system said is the
/// [`source`](std::error::Error::source).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read the configuration `{}`", path.display())]
    Unreadable {
        /// The path as it was given.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file is larger than any configuration is.
    #[error("the configuration `{}` is larger than {limit} bytes", path.display())]
    TooLarge {
        /// The path as it was given.
        path: PathBuf,
        /// How much is read at most, in bytes.
        limit: u64,
    },
    /// The file is not text.
    #[error("the configuration `{}` is not UTF-8: line {line} holds other bytes", path.display())]
    NotUtf8 {
        /// The path as it was given.
        path: PathBuf,
        /// The first line that is not UTF-8, from 1.
        line: usize,
    },
    /// The text is not JSON, or not TOML.
    #[error("{origin} is not valid {format}: {error}")]
    Syntax {
        /// Where the text came from.
        origin: Origin,
        /// What it should have been.
        format: Format,
        /// Where it breaks the rules. Part of the message.
        error: SyntaxError,
    },
    /// The text can be read, but some of it makes no sense.
    #[error("{}", listed(origin, mistakes))]
    Mistakes {
        /// Where the settings came from.
        origin: Origin,
        /// Every mistake, at least one.
        mistakes: Vec<Mistake>,
    },
    /// Nobody said which commands may run.
    #[error("nothing says which commands may run: name them (`allow`), or allow any (`allow-any`)")]
    NoGate,
    /// The workspace cannot be used.
    #[error("the directory `{}` cannot be the workspace", path.display())]
    Workspace {
        /// The path as it was given.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The profile cannot be used.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The launcher needs a profile, and was built without one.
    #[error("this launcher confines by a profile, and there is none")]
    NoProfile,
    /// The launcher does not work here, or cannot enforce the profile.
    #[error("the launcher `{launcher}` cannot be used{}", remedy(source))]
    Launcher {
        /// The launcher's name.
        launcher: String,
        /// Why, and what would help.
        #[source]
        source: LaunchError,
    },
    /// `auto` found no launcher that works here. It never becomes `none`.
    #[error("no launcher works here for this profile{}", each(tried))]
    NoLauncher {
        /// Each launcher that was tried, and why it does not work.
        tried: Vec<(String, LaunchError)>,
    },
    /// A sandbox that leaves its commands the host's terminal would be none.
    #[error(
        "`isolate-terminal` is off, but the launcher `{launcher}` confines commands: it needs it on"
    )]
    TerminalKept {
        /// The launcher's name.
        launcher: String,
    },
    /// The descriptions of the settings are too long together.
    #[error(
        "the list of the tools has {bytes} bytes, and {most} are the most, since clients send it to \
         their model with every request; shorten `descriptions`, or leave tools out (`tools`)"
    )]
    LongList {
        /// How long the list is, as JSON.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// The audit file cannot be used.
    #[error("the audit file `{}` cannot be used", path.display())]
    Audit {
        /// The path as it was given.
        path: PathBuf,
        /// What is wrong with it, and what would help.
        #[source]
        source: AuditError,
    },
    /// The validator's program is not there, or cannot be executed.
    #[error("the validator `{program}` cannot be used; name a program on `PATH`, or its path")]
    Validator {
        /// The program as it was written.
        program: String,
        /// What the search said.
        #[source]
        source: io::Error,
    },
    /// Commands cannot be kept from the host's terminal here.
    #[error(
        "commands cannot be kept from the terminal of this process: {why}; let it make sessions \
         (`setsid(2)`; a seccomp filter around it may refuse that), or, where it has no terminal \
         worth protecting, turn `isolate-terminal` off"
    )]
    NotIsolated {
        /// What the trial found, with its causes.
        why: String,
    },
    /// The scratch folders cannot be made.
    #[error("the scratch folder cannot be made in `{}` (`TMPDIR` decides where)", crate::scratch::base().display())]
    Scratch(#[source] io::Error),
}

impl SettingsError {
    pub(crate) fn launcher(name: &str, source: LaunchError) -> Self {
        SettingsError::Launcher { launcher: name.to_owned(), source }
    }

    pub(crate) fn not_isolated(error: &crate::spawn::SpawnError) -> Self {
        SettingsError::NotIsolated { why: crate::outcome::chain(error) }
    }
}

fn remedy(error: &LaunchError) -> String {
    error.remedy().map_or_else(String::new, |remedy| format!(" ({remedy})"))
}

fn each(tried: &[(String, LaunchError)]) -> String {
    let lines = tried.iter().map(|(name, error)| {
        format!("\n  {name}: {}{}", crate::outcome::chain(error), remedy(error))
    });
    lines.collect()
}

/// Where settings came from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// The command line.
    CommandLine,
    /// The program that uses this library.
    Program,
}

impl Origin {
    /// A file, by its path as it was given.
    pub(crate) fn file(path: &Path) -> Self {
        Origin::File(path.to_owned())
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path) => write!(f, "the configuration `{}`", path.display()),
            Origin::CommandLine => f.write_str("the command line"),
            Origin::Program => f.write_str("the configuration"),
        }
    }
}

fn listed(origin: &Origin, mistakes: &[Mistake]) -> String {
    let count = match mistakes.len() {
        1 => "a mistake".to_owned(),
        count => format!("{count} mistakes"),
    };
    let lines: String = mistakes.iter().map(|mistake| format!("\n  {mistake}")).collect();
    format!("{origin} has {count}:{lines}")
}

/// What was built, unless there were mistakes.
pub(crate) fn unless_mistaken<T>(
    built: Option<T>,
    origin: Origin,
    mistakes: Mistakes,
) -> Result<T, SettingsError> {
    let mistakes = mistakes.into_vec();
    match built {
        Some(built) if mistakes.is_empty() => Ok(built),
        _ => Err(SettingsError::Mistakes { origin, mistakes }),
    }
}
