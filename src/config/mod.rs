//! The configuration: from what a person writes to values that cannot be wrong.
//!
//! Two layers. The first mirrors the text: it knows every key and its type, and refuses what it does
//! not know. The second gives the values their meaning and checks them, alone and together; a
//! [`Settings`] or a [`Config`] exists only when all of that went well. Otherwise one
//! [`SettingsError`] names every mistake at once, each with its place, its value and what would be
//! right.
//!
//! Launchers and policies are not made here: the settings name them, and whether they can work on
//! this system is seen when a runner is built.
//!
//! ```json
//! {
//!   "name": "dev-tools",
//!   "instructions": "Git and ripgrep in the checkout.",
//!   "tools": {
//!     "Shell#git": { "allow": ["git"], "launcher": "auto", "prefix": "git" },
//!     "Shell#search": { "allow": ["rg"], "launcher": "auto", "prefix": "rg", "timeout": 10 }
//!   }
//! }
//! ```
//!
//! # Map
//!
//! * [`Config`]: a server's name and its tool [`Instance`]s, from a file, a text, or [`Flags`].
//! * [`Settings`]: the checked settings of one instance.
//! * [`Allow`], [`Compression`], [`LauncherChoice`], [`Environment`], [`OnOutputLimit`], [`Key`],
//!   [`Names`], [`Prefix`], [`ToolName`], [`Shape`], [`AnswerFormat`], [`ScratchMode`], [`Escalate`],
//!   [`AuditSettings`], [`ValidatorSettings`]: their elements.
//! * [`defaults`]: every number, with the reason for it.
//! * [`SCHEMA`]: what a file may hold, for editors.
//! * [`SettingsError`], [`Mistake`], [`Problem`]: what was wrong.
//! * [`seconds`]: the time that a number of seconds means.

mod check;
mod configuration;
pub mod defaults;
mod elements;
mod error;
mod file;
mod flags;
mod instance;
mod keys;
mod mistake;
pub(crate) mod nearest;
mod place;
mod read;
mod settings;
mod syntax;
mod table;
#[cfg(test)]
mod tests;
mod together;
mod tool_flag;
mod tree;

/// The JSON Schema of a configuration file, with which editors complete and check one.
pub const SCHEMA: &str = include_str!("config.schema.json");

pub use configuration::Config;
pub use elements::{
    Allow, AnswerFormat, AuditSettings, BubblewrapOptions, CommandOptions, Compression,
    Environment, Escalate, Key, LandlockOptions, LauncherChoice, Limit, Names, Namespaces,
    OnOutputLimit, Prefix, ScratchMode, Shape, ToolName, ValidatorSettings, seconds,
};
pub use error::{Origin, SettingsError};
pub use flags::Flags;
pub use instance::Instance;
pub use mistake::{Mistake, Problem};
pub use settings::Settings;
pub use syntax::{Format, SyntaxError};
