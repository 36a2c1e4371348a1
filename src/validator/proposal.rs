//! What a validator is asked about.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use serde::{Serialize, Serializer};

use crate::pipeline::StagePlace;
use crate::spawn::Pending;

/// A command as it would be run. As JSON, which is what an external validator reads, it has the same
/// names; what is not UTF-8 has U+FFFD there in place of the other bytes.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Proposal<'a> {
    /// The command as the caller wrote it.
    #[serde(serialize_with = "lossy")]
    pub command: &'a OsStr,
    /// Its arguments.
    #[serde(serialize_with = "all_lossy")]
    pub args: &'a [OsString],
    /// The program that it stands for: an absolute path.
    #[serde(serialize_with = "lossy")]
    pub program: &'a Path,
    /// Where it would run: a physical path.
    #[serde(serialize_with = "lossy")]
    pub directory: &'a Path,
    /// The name of the launcher that would wrap it.
    pub launcher: &'a str,
    /// The name of the profile that would confine it; none where the launcher takes none.
    pub profile: Option<&'a str>,
    /// The key of the tool instance that asks, where it has one.
    pub instance: Option<&'a str>,
    /// The tool that asks, where one does: see [`Request::tool`](crate::Request::tool).
    pub tool: Option<&'a str>,
    /// The file that it reads as standard input, as the caller wrote it. None, and no key in the JSON,
    /// where there is none: so for the two that follow.
    #[serde(
        rename = "stdin-file",
        skip_serializing_if = "Option::is_none",
        serialize_with = "some_lossy"
    )]
    pub stdin_file: Option<&'a Path>,
    /// The file that takes its standard output in place of what it holds.
    #[serde(
        rename = "stdout-file",
        skip_serializing_if = "Option::is_none",
        serialize_with = "some_lossy"
    )]
    pub stdout_file: Option<&'a Path>,
    /// The file behind whose end its standard output goes.
    #[serde(
        rename = "stdout-append",
        skip_serializing_if = "Option::is_none",
        serialize_with = "some_lossy"
    )]
    pub stdout_append: Option<&'a Path>,
    /// Which stage of a pipeline it is: each is asked about by itself, before any starts. None for a
    /// single command, and then the JSON has no such key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<StagePlace>,
    /// Tells when nobody waits for the run any more.
    #[serde(skip)]
    pub(crate) pending: &'a Pending,
}

fn lossy<S: Serializer>(value: &(impl AsRef<OsStr> + ?Sized), to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&value.as_ref().to_string_lossy())
}

fn some_lossy<S: Serializer>(value: &Option<&Path>, to: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(path) => lossy(*path, to),
        None => to.serialize_none(),
    }
}

fn all_lossy<S: Serializer>(values: &[OsString], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(values.iter().map(|value| value.to_string_lossy()))
}
