//! The elements of the settings: one type each, with its rule and its tests.

mod allow;
mod answer_format;
mod audit;
mod compression;
mod cwd;
mod descriptions;
mod environment;
mod escalate;
mod guard;
mod key;
mod launcher;
mod limit;
mod names;
mod output_limit;
mod patterns;
mod prefix;
mod profile;
mod scratch;
mod seconds;
mod shape;
mod tool_name;
mod validator;

pub use allow::Allow;
pub use answer_format::AnswerFormat;
pub use audit::AuditSettings;
pub use compression::Compression;
pub use environment::Environment;
pub use escalate::Escalate;
pub use key::Key;
pub use launcher::{
    BubblewrapOptions, CommandOptions, LandlockOptions, LauncherChoice, Namespaces,
};
pub use limit::Limit;
pub use names::Names;
pub use output_limit::OnOutputLimit;
pub use prefix::Prefix;
pub use scratch::ScratchMode;
pub use seconds::seconds;
pub use shape::Shape;
pub use tool_name::ToolName;
pub use validator::ValidatorSettings;

pub(crate) use allow::WrittenAllow;
pub(crate) use cwd::working_directory;
#[cfg(test)]
pub(crate) use guard::GUARDS;
pub(crate) use guard::guard;
pub(crate) use launcher::wrapping;
pub(crate) use profile::profile;
pub(crate) use seconds::{duration, longest_timeout};
pub(crate) use shape::WrittenShape;
