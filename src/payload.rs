//! What a run comes to, as MCP clients and `--json` get it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::capture::Dropped;
use crate::{Denial, Involved, Sandbox};

/// The result of a run as JSON: keys sorted, optional ones only where they say something.
///
/// The fields stand in the order of their names, so the text is the same whatever features of
/// `serde_json` another crate turns on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Payload {
    /// Only where the text was made shorter, see [`compress`](crate::compress).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compressed: Option<CompressedPayload>,
    /// See [`Exit::number`](crate::Exit::number).
    pub exit: Option<i32>,
    /// The limit that ended the run, see [`Limit::name`](crate::Limit::name).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<&'static str>,
    /// Only where a launcher confined the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxPayload>,
    /// What [`Payload::exit`] says, for each stage of a pipeline in order. Empty, and left out, for a
    /// single command and where nothing ran.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Option<i32>>,
    /// Standard error; for a run that did not start, the reason.
    pub stderr: String,
    /// Standard output.
    pub stdout: String,
    /// How many bytes of it the run has put into the file that the request named instead. Left out
    /// without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout_bytes: Option<u64>,
    /// Whether the time ran out.
    pub timed_out: bool,
    /// The timeout in seconds, where it is less than what was asked for.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_seconds")]
    pub timeout: Option<Duration>,
    /// What fell between head and tail, for each stream that lost something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<BTreeMap<&'static str, DroppedPayload>>,
}

/// How much shorter the text of both streams was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CompressedPayload {
    /// Bytes of both streams before.
    pub from: usize,
    /// The job that keeps the raw text, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Bytes of both streams now.
    pub to: usize,
}

impl CompressedPayload {
    /// From so many bytes to so many, with the raw text kept nowhere.
    pub(crate) fn new(from: usize, to: usize) -> Self {
        CompressedPayload { from, job: None, to }
    }
}

/// See [`Sandbox`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SandboxPayload {
    /// Always true: the key `sandbox` is absent otherwise.
    pub active: bool,
    /// Why nobody was asked for consent, where the settings would have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consent: Option<&'static str>,
    /// See [`Sandbox::created`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<String>,
    /// See [`Evidence::denied`](crate::Evidence::denied).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<Denial>,
    /// What a person has granted for this run, beyond the policy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub granted: Vec<String>,
    /// See [`Sandbox::missing`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// See [`Evidence::more_denied`](crate::Evidence::more_denied).
    #[serde(rename = "more-denied", skip_serializing_if = "is_zero")]
    pub more_denied: usize,
    /// See [`Evidence::verdict`](crate::Evidence::verdict).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Involved>,
}

/// What a stream lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DroppedPayload {
    /// Bytes.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
}

impl From<Dropped> for DroppedPayload {
    fn from(dropped: Dropped) -> Self {
        DroppedPayload { bytes: dropped.bytes, lines: dropped.lines }
    }
}

impl SandboxPayload {
    /// What a launcher claims for a run that is not over.
    pub(crate) fn claimed(missing: &[String]) -> Self {
        SandboxPayload {
            active: true,
            consent: None,
            created: Vec::new(),
            denied: Vec::new(),
            granted: Vec::new(),
            missing: missing.to_vec(),
            more_denied: 0,
            verdict: None,
        }
    }

    /// Without what was taken from the command's output, for whoever keeps none of that.
    pub(crate) fn without_evidence(sandbox: &Sandbox) -> Self {
        let created = sandbox.created.iter().map(|path| path.display().to_string()).collect();
        SandboxPayload { created, ..SandboxPayload::claimed(&sandbox.missing) }
    }

    /// The same where something was refused.
    pub(crate) fn with_denials(&self) -> Option<&Self> {
        Some(self).filter(|sandbox| !sandbox.denied.is_empty())
    }
}

impl From<&Sandbox> for SandboxPayload {
    fn from(sandbox: &Sandbox) -> Self {
        let evidence = &sandbox.evidence;
        SandboxPayload {
            denied: evidence.denied.clone(),
            more_denied: evidence.more_denied,
            verdict: evidence.verdict,
            ..SandboxPayload::without_evidence(sandbox)
        }
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The key `truncated`: the streams that lost something, by name.
pub(crate) fn truncated(
    stdout: Option<Dropped>,
    stderr: Option<Dropped>,
) -> Option<BTreeMap<&'static str, DroppedPayload>> {
    let streams = [("stderr", stderr), ("stdout", stdout)];
    let lost = streams.into_iter().filter_map(|(name, lost)| Some((name, lost?.into())));
    Some(lost.collect()).filter(|lost: &BTreeMap<_, _>| !lost.is_empty())
}

/// A time as a number of seconds: a whole one where it is, as people write it.
pub(crate) fn in_seconds<S: Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) if time.subsec_nanos() == 0 => serializer.serialize_u64(time.as_secs()),
        Some(time) => serializer.serialize_f64(time.as_secs_f64()),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Evidence;

    #[test]
    fn only_what_is_missing_or_created_is_named() {
        let sandbox = Sandbox {
            missing: Arc::new(["pty".to_owned()]),
            created: Vec::new(),
            evidence: Evidence::default(),
        };
        let text = serde_json::to_string(&SandboxPayload::from(&sandbox)).unwrap();
        assert_eq!(text, r#"{"active":true,"missing":["pty"]}"#);
    }

    #[test]
    fn a_timeout_is_written_as_people_write_it() {
        let written = |time| {
            let mut text = Vec::new();
            in_seconds(&Some(time), &mut serde_json::Serializer::new(&mut text)).unwrap();
            String::from_utf8(text).unwrap()
        };
        assert_eq!(written(Duration::from_secs(300)), "300");
        assert_eq!(written(Duration::from_millis(1500)), "1.5");
    }
}
