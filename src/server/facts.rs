//! What there is to know about an instance.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::answer::Answers;
use crate::capture::Caps;
use crate::config::{Compression, Names, OnOutputLimit, Shape, ToolName};
use crate::{Gate, JobLimits, Runner};

/// What the texts about an instance are made of.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    /// What its tools are called.
    pub(super) names: &'a Names,
    /// How they are described, and how they answer.
    pub(super) shape: &'a Shape,
    /// Whether a host answers runs in its own way.
    pub(super) host_answers: bool,
    /// The tools that it has: a text points to no other.
    pub(super) tools: &'a BTreeSet<ToolName>,
    /// What may run.
    pub(super) gate: &'a Gate,
    /// Where its commands start.
    pub(super) dir: &'a Path,
    /// What wraps its commands.
    pub(super) launcher: &'a str,
    /// The profile that the launcher enforces.
    pub(super) profile: Option<&'a str>,
    /// The rules of the profile that it does not enforce here.
    pub(super) missing: &'a [String],
    /// Whether commands have folders of their own in place of the host's.
    pub(super) scratch: bool,
    /// How much of a stream is kept.
    pub(super) caps: Caps,
    /// What becomes of a run that writes more.
    pub(super) on_output_limit: OnOutputLimit,
    /// When a run is killed unless its call says otherwise.
    pub(super) timeout: Option<Duration>,
    /// What a call may ask for at most.
    pub(super) max_timeout: Option<Duration>,
    /// How many jobs there may be, and how long they are kept.
    pub(super) limits: JobLimits,
    /// Whether output is made shorter where a call says nothing.
    pub(super) compress: bool,
    /// Whether arguments are looked at.
    pub(super) is_guarded: bool,
}

impl<'a> Facts<'a> {
    /// The facts about an instance.
    pub(super) fn of(
        names: &'a Names,
        answers: &'a Answers,
        runner: &'a Runner,
        tools: &'a BTreeSet<ToolName>,
        limits: JobLimits,
        compression: &Compression,
    ) -> Self {
        let terms = runner.terms();
        Facts {
            names,
            shape: &answers.shape,
            host_answers: answers.run.is_some(),
            tools,
            gate: &terms.gate,
            dir: &terms.dir,
            launcher: terms.launcher.name(),
            profile: terms.policy.as_ref().map(|policy| policy.name.as_str()),
            missing: terms.launcher.missing(),
            scratch: terms.policy.as_ref().is_some_and(|policy| policy.filesystem.scratch),
            caps: terms.caps,
            on_output_limit: terms.on_output_limit,
            timeout: terms.timeout,
            max_timeout: terms.max_timeout,
            limits,
            compress: compression.by_default,
            is_guarded: terms.guard.is_some(),
        }
    }

    /// Whether a call of `run` may ask for a shorter text: where the whole can be read afterwards, and
    /// the host does not make the answer.
    pub(super) fn may_shorten_run(&self) -> bool {
        self.tools.contains(&ToolName::Output) && !self.host_answers
    }

    /// The whole name of a tool.
    pub(super) fn name(&self, tool: ToolName) -> String {
        self.names.name(tool)
    }

    /// The whole name of a tool, where the instance has it.
    pub(super) fn has(&self, tool: ToolName) -> Option<String> {
        self.tools.contains(&tool).then(|| self.name(tool))
    }
}
