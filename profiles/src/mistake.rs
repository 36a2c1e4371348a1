//! One mistake in a profile: where, what, why, and what would help.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::policy::{Access, Origin};
use crate::template::Variable;

/// One mistake, with its place.
///
/// Printed on one line: `site.toml:7: filesystem.wrte: unknown key; did you mean …`.
#[derive(Debug)]
pub struct Mistake {
    /// The file and the line, or the option.
    pub origin: Origin,
    /// The key, with the tables that it stands in: `network.mode`. An option: `--read`. Empty where
    /// the mistake is one of the whole file.
    pub key: String,
    /// The value as it was written, where the mistake is in the value.
    pub value: Option<String>,
    /// What is wrong with it.
    pub cause: Cause,
}

/// What is wrong with a key or a value.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// No such key at this place.
    #[error("unknown key")]
    UnknownKey {
        /// The key that was probably meant.
        nearest: Option<String>,
        /// All keys that are valid at this place.
        valid: Vec<&'static str>,
    },
    /// A value of another type.
    #[error("this is {found}, not {expected}")]
    WrongType {
        /// What it is: `a string`.
        found: &'static str,
        /// What it must be: `a list of strings`.
        expected: &'static str,
    },
    /// Not one of the words that are valid here.
    #[error("unknown value")]
    UnknownWord {
        /// The word that was probably meant.
        nearest: Option<String>,
        /// All words that are valid here.
        valid: Vec<&'static str>,
    },
    /// A value that breaks a rule of its key.
    #[error("{what}")]
    Invalid {
        /// The rule that it breaks.
        what: &'static str,
        /// What would be valid.
        remedy: &'static str,
    },
    /// The text is not TOML. The place has line and column.
    #[error("{0}")]
    Syntax(String),
    /// The profile cannot be read.
    #[error("cannot be read")]
    Unreadable(#[source] io::Error),
    /// No profile of this name.
    #[error("there is no such profile")]
    NoSuchProfile {
        /// The name that was probably meant.
        nearest: Option<String>,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A user's profile has the name of a shipped one.
    #[error("`{}` has the name of a shipped profile", path.display())]
    ShippedName {
        /// The user's file.
        path: PathBuf,
    },
    /// Profiles that extend each other in a ring.
    #[error("these profiles extend each other: {}", chain.join(" -> "))]
    Cycle {
        /// The ring; the first and the last are the same.
        chain: Vec<String>,
    },
    /// `!ENTRY` where no such entry was inherited.
    #[error("this removes what was not inherited")]
    NotInherited {
        /// The inherited entry that was probably meant.
        nearest: Option<String>,
    },
    /// `${…}` with a name that does not exist.
    #[error("there is no variable `${{{name}}}`")]
    UnknownVariable {
        /// What stands between the braces.
        name: String,
        /// The variable that was probably meant.
        nearest: Option<String>,
    },
    /// A variable that stands for nothing here.
    #[error("`${{{variable}}}` stands for nothing here: {reason}")]
    Unset {
        /// Which.
        variable: Variable,
        /// Why.
        reason: String,
    },
    /// A path that is not there, or not reachable by this user.
    #[error("there is nothing at `{}`", path.display())]
    Missing {
        /// The path after variables and links.
        path: PathBuf,
    },
    /// A path that cannot be looked at.
    #[error("`{}` cannot be looked at", path.display())]
    Unseen {
        /// The path at which it failed.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The cache folder, which a writable path mentions, cannot be made.
    #[error("`{}` cannot be created", path.display())]
    NoCache {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Links that lead in a circle.
    #[error("the links at `{}` lead in a circle", path.display())]
    LinkLoop {
        /// The link at which the search was given up.
        path: PathBuf,
    },
    /// The workspace is a directory that no run may write as a whole.
    #[error("the workspace `{}` {why}", workspace.display())]
    Workspace {
        /// The workspace.
        workspace: PathBuf,
        /// What is wrong with it: `is the home directory`.
        why: String,
    },
    /// An option grants what the profile takes away at the very same path.
    #[error("the profile says `{}` for this path at {by}, which is stronger", access.as_str())]
    Overruled {
        /// What the profile says.
        access: Access,
        /// Where.
        by: Origin,
    },
    /// A file of Cofferdam's own lies where the run may write.
    #[error("the run could write Cofferdam's own `{}`", path.display())]
    OwnFile {
        /// The file.
        path: PathBuf,
    },
    /// A path that is to be opened leads through a link which a run may have made.
    #[error(
        "the link `{}` leads out of `{}`, where runs may write, to `{}`: a run may have made it",
        link.display(), root.display(), target.display()
    )]
    Planted {
        /// The link.
        link: PathBuf,
        /// Where the path leads.
        target: PathBuf,
        /// The writable folder that the link lies in.
        root: PathBuf,
    },
    /// A path that somebody was asked for leads elsewhere by now.
    #[error("it leads to `{}` now", target.display())]
    Moved {
        /// Where it leads.
        target: PathBuf,
    },
    /// A profile's own file lies where the run may write.
    #[error("the run could rewrite this file, and with it the policy of the next run")]
    Rewritable,
}

impl Cause {
    /// What would help, as a sentence; `None` where the cause says it all.
    pub fn remedy(&self) -> Option<String> {
        Some(match self {
            Cause::UnknownKey { nearest, valid } | Cause::UnknownWord { nearest, valid } => {
                format!("{}valid here: {}", suggestion(nearest), quoted(valid))
            }
            Cause::Invalid { remedy, .. } => (*remedy).to_owned(),
            Cause::NoSuchProfile { nearest, known } => {
                format!("{}known: {}; a path contains a `/`", suggestion(nearest), quoted(known))
            }
            Cause::ShippedName { .. } => "rename it, and say `extends` in it".to_owned(),
            Cause::Cycle { .. } => "take one of them out of `extends`".to_owned(),
            Cause::NotInherited { nearest } => format!(
                "{}`!` is followed by an inherited entry, exactly as it is written there",
                suggestion(nearest)
            ),
            Cause::UnknownVariable { nearest, .. } => {
                format!("{}valid: {}", suggestion(nearest), quoted(Variable::NAMES))
            }
            Cause::Unset { .. } => "end the entry with `?` if it may be left out then".to_owned(),
            Cause::Missing { .. } => "end the entry with `?` if it need not exist".to_owned(),
            Cause::NoCache { .. } => {
                "set `XDG_CACHE_HOME` to a directory that this user can write".to_owned()
            }
            Cause::Workspace { .. } => {
                "name a project directory with `cwd` (on the command line `--cwd`), or start there"
                    .to_owned()
            }
            Cause::Overruled { by, .. } => format!(
                "extend the profile and remove that entry with `\"!{}\"`",
                by.text.as_deref().unwrap_or_default()
            ),
            Cause::Rewritable => {
                "move it out of the writable paths, or list it in `filesystem.protect`".to_owned()
            }
            Cause::OwnFile { .. } => {
                "open less than the directory that holds it, or move it elsewhere".to_owned()
            }
            Cause::Planted { target, .. } => {
                format!("if that is what is meant, name `{}` itself", target.display())
            }
            Cause::WrongType { .. }
            | Cause::Syntax(_)
            | Cause::Unreadable(_)
            | Cause::Unseen { .. }
            | Cause::LinkLoop { .. }
            | Cause::Moved { .. } => return None,
        })
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_option = *self.origin.source == *self.key;
        if !is_option {
            write!(f, "{}: ", self.origin)?;
        }
        match (self.key.as_str(), &self.value) {
            ("", None) => {}
            ("", Some(value)) => write!(f, "{value}: ")?,
            (key, None) => write!(f, "`{key}`: ")?,
            (key, Some(value)) => write!(f, "`{key}` = {value}: ")?,
        }
        write!(f, "{}", self.cause)?;
        // The whole chain stands on the line, since several mistakes share one error.
        if let Some(source) = std::error::Error::source(&self.cause) {
            write!(f, ": {source}")?;
        }
        match self.cause.remedy() {
            // Its path is taken as it is, without a `?`.
            Some(_) if is_option && matches!(self.cause, Cause::Missing { .. }) => {
                f.write_str("; make it first, or name the folder that is to hold it")
            }
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}

fn suggestion(nearest: &Option<String>) -> String {
    match nearest {
        Some(word) => format!("did you mean `{word}`? "),
        None => String::new(),
    }
}

fn quoted<S: AsRef<str>>(words: &[S]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{}`", word.as_ref())).collect();
    words.join(", ")
}
