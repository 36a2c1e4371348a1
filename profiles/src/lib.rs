//! What a sandboxed run may do: profile files, how they extend each other, and the resolved policy
//! that every launcher compiles to its own language.
//!
//! # What it promises
//!
//! * [`resolve`] is the only way to a [`Policy`]. A policy in hand is complete and physical: every
//!   path is absolute and without links, and was looked up once.
//! * A policy opens exactly what its profiles say. What cannot be read, is misspelt, is missing or
//!   makes no sense is a [`ProfileError`] that names every mistake with its line; nothing is guessed
//!   and nothing is left out silently.
//! * Nothing but the [`Source`], the [`Grants`] and the [`Context`] decides: no file is picked up
//!   from the working directory, and the environment counts only where a profile says `${env:…}` or
//!   `pass`.
//!
//! It does not confine anything. Whether a policy is kept is up to the launcher that compiles it;
//! what a launcher may fail to keep is a [`Promise`] that the profile lists as best effort.
//!
//! # Example
//!
//! ```
//! use std::path::Path;
//!
//! use cofferdam_profiles::{Context, Grants, NetworkMode, Source, resolve};
//! use serde_json::json;
//!
//! # let folder = tempfile::tempdir()?;
//! # let project = folder.path().canonicalize()?;
//! // A profile by name, and something of one's own on top.
//! let source = Source::from_value(json!([
//!     "workspace",
//!     {"filesystem": {"deny": ["${workspace}/.env"]}, "limits": {"memory": "2G"}},
//! ]))?;
//! let grants = Grants { read: vec!["/etc/passwd".into()], ..Grants::default() };
//! let policy = resolve(&source, &grants, &Context::from_environment(&project))?;
//!
//! assert_eq!(policy.name, "workspace+inline");
//! assert_eq!(policy.network.mode, NetworkMode::Off);
//! assert!(policy.filesystem.may_write(&project.join("src/main.rs")));
//! assert!(!policy.filesystem.may_read(&project.join(".env")));
//!
//! // The environment of a run: nothing crosses that is not named.
//! let host = [("SECRET_TOKEN".into(), "s3".into()), ("LANG".into(), "C".into())];
//! let run = policy.environment.build(host.into_iter(), Some((Path::new("/t"), Path::new("/h"))));
//! assert!(run.contains(&("LANG".into(), "C".into())));
//! assert!(!run.iter().any(|(name, _)| name == "SECRET_TOKEN"));
//!
//! // A mistake is named with all that helps.
//! let wrong = Source::Inline(json!({"filesystem": {"wrte": ["${workspace}"]}}));
//! let error = resolve(&wrong, &Grants::default(), &Context::from_environment(&project)).unwrap_err();
//! assert!(error.to_string().contains("`filesystem.wrte`: unknown key; did you mean `write`?"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//!
//! * [`Source`], [`Grants`], [`Context`]: what a policy is made from.
//! * [`resolve`]: makes it. Inside, one after the other: `load` finds and reads the files (`tree`,
//!   `read`) and merges them (`draft`); `rules` and `environment` look up
//!   every path and value (`values`, `walk`, `wildcard`); `settle` and `refuse` finish.
//! * [`Policy`]: what launchers read, with [`Policy::render`] and [`Policy::to_json`] for people.
//! * [`Policy::ask`]: what it says to one [`Question`], and what would change that.
//! * [`Grant`], [`widen`]: one thing more, for a single run that somebody has agreed to.
//! * [`shipped`], [`user_profiles`]: what there is to choose from. [`SCHEMA`]: what a file may hold.
//! * [`ProfileError`], [`Mistake`], [`Cause`]: what went wrong.

#![forbid(unsafe_code)]

mod ask;
mod context;
mod draft;
mod environment;
mod error;
mod git;
mod grants;
mod lines;
mod load;
mod look;
mod mistake;
mod nearest;
mod policy;
mod promise;
mod read;
mod refuse;
mod repositories;
mod resolve;
mod rules;
mod settle;
mod shipped;
mod source;
mod template;
mod tree;
mod user;
mod values;
mod walk;
mod widen;
mod wildcard;
mod workspace;

/// The JSON Schema of a profile's file, with which editors complete and check one.
pub const SCHEMA: &str = include_str!("../profile.schema.json");

pub use ask::{Answer, Change, Inside, Question, Verdict};
pub use context::Context;
pub use error::ProfileError;
pub use grants::Grants;
pub use mistake::{Cause, Mistake};
pub use policy::{
    Access, Entry, Environment, Filesystem, Kind, Limits, Link, Network, NetworkMode, Origin,
    Piece, Policy, Rule, UnixSockets, Value, passes,
};
pub use promise::Promise;
pub use resolve::resolve;
pub use shipped::{Shipped, fragments, shipped};
pub use source::Source;
pub use template::Variable;
pub use user::{UserProfile, user_profiles};
pub use widen::{Grant, widen};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
