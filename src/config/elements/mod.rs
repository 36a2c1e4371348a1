//! The elements of the settings: one type each, with its rule and its tests.

mod allow;
mod cwd;
mod environment;
mod key;
mod launcher;
mod limit;
mod prefix;
mod profile;
mod scratch;
mod seconds;
mod tool_name;

pub use allow::Allow;
pub use environment::Environment;
pub use key::Key;
pub use launcher::{
    BubblewrapOptions, CommandOptions, LandlockOptions, LauncherChoice, Namespaces,
};
pub use limit::Limit;
pub use prefix::Prefix;
pub use scratch::ScratchMode;
pub use seconds::seconds;
pub use tool_name::ToolName;

pub(crate) use cwd::working_directory;
pub(crate) use profile::profile;
pub(crate) use seconds::{duration, longest_timeout};
