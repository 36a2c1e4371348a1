//! A tool instance at work.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rmcp::model::Tool as Listing;

use super::answer::Answers;
use super::consent::Pending;
use super::facts::Facts;
use super::tools::listing;
use crate::compress::Recipe;
use crate::config::{Compression, Escalate, Instance, Names, SettingsError, ToolName};
use crate::consent::Approvals;
use crate::jobs::Shortening;
use crate::pipeline::Stage;
use crate::{JobLimits, Jobs, Request, Runner};

/// The longest list of an instance's tools, in bytes of JSON.
const LONGEST_LIST: usize = 6 * 1024;

/// One tool instance, ready to take calls. When it is dropped its jobs are killed.
#[derive(Debug)]
pub(super) struct Pack {
    /// What its tools are called.
    pub(super) names: Names,
    /// What its tools answer.
    pub(super) answers: Answers,
    /// Runs its commands.
    pub(super) runner: Runner,
    /// Those that nobody waits for.
    pub(super) jobs: Jobs,
    /// What persons were asked for and have not answered; `None` where nobody is asked.
    pub(super) approvals: Option<Approvals<Box<Pending>>>,
    /// How their text is made shorter.
    compression: Compression,
    /// The tools that it has, in their order, as clients see them.
    listings: Vec<(ToolName, Listing)>,
}

impl Pack {
    pub(super) fn new(
        runner: Runner,
        names: Names,
        answers: Answers,
        tools: &BTreeSet<ToolName>,
        limits: JobLimits,
        compression: Compression,
    ) -> Self {
        let facts = Facts::of(&names, &answers, &runner, tools, limits, &compression);
        let listings = tools.iter().map(|tool| (*tool, listing(*tool, &facts))).collect();
        let jobs = Jobs::new(runner.clone(), limits);
        Pack { names, answers, runner, jobs, approvals: None, compression, listings }
    }

    /// The same, where a person may be asked about runs that were refused something.
    pub(super) fn escalating(mut self, escalate: Escalate) -> Self {
        self.approvals = (escalate == Escalate::Ask).then(Approvals::default);
        self
    }

    /// Builds the runner of an instance: from here on its launcher works and its folders exist.
    pub(super) fn of_instance(
        instance: &Instance,
        reserved: &[PathBuf],
    ) -> Result<Self, SettingsError> {
        let settings = &instance.settings;
        let runner = Runner::from_instance(instance, reserved)?;
        let limits =
            JobLimits::new(settings.max_jobs(), settings.max_finished_jobs(), settings.job_ttl());
        let answers = Answers { shape: settings.shape().clone(), run: None };
        let (names, compression) = (instance.names.clone(), settings.compression().clone());
        let pack = Pack::new(runner, names, answers, settings.tools(), limits, compression)
            .escalating(settings.escalate());
        match pack.length_of_list() {
            bytes if bytes > LONGEST_LIST => {
                Err(SettingsError::LongList { bytes, most: LONGEST_LIST })
            }
            _ => Ok(pack),
        }
    }

    /// How long its tools are as JSON, in bytes.
    fn length_of_list(&self) -> usize {
        let tools: Vec<_> = self.listings().collect();
        serde_json::to_string(&tools).map_or(0, |list| list.len())
    }

    /// How the text of a job is made shorter, and whether it is where a later question says nothing.
    /// `None` where nobody could read the whole text: without the tool `output`.
    pub(super) fn shortening(&self, request: &Request, asked: Option<bool>) -> Option<Shortening> {
        let by_default = self.shortens(asked);
        self.has_output().then(|| Shortening { recipe: self.recipe(request), by_default })
    }

    /// Whether text is made shorter where this was asked for.
    pub(super) fn shortens(&self, asked: Option<bool>) -> bool {
        self.has_output() && asked.unwrap_or(self.compression.by_default)
    }

    /// Whether a call of `run` may ask for a shorter text: not where the host makes the answer.
    pub(super) fn may_shorten_run(&self) -> bool {
        self.has_output() && self.answers.run.is_none()
    }

    /// How the text of a request is made shorter. Of a pipeline the last program writes the output; what
    /// prints files may stand anywhere in it.
    pub(super) fn recipe(&self, request: &Request) -> Recipe {
        let compressor = &self.compression.compressor;
        let recipe = |stage: &Stage| compressor.recipe(&stage.command, &stage.args);
        let mut last = recipe(&request.first);
        for stage in &request.further {
            if last.is_exact() {
                break;
            }
            last = recipe(stage);
        }
        last
    }

    /// Whether the output of a job can be read.
    pub(super) fn has_output(&self) -> bool {
        self.listings.iter().any(|(tool, _)| *tool == ToolName::Output)
    }

    /// Its tools as clients see them, in their order.
    pub(super) fn listings(&self) -> impl Iterator<Item = &Listing> {
        self.listings.iter().map(|(_, listing)| listing)
    }

    /// Its tool of this name.
    pub(super) fn tool(&self, name: &str) -> Option<&(ToolName, Listing)> {
        self.listings.iter().find(|(_, listing)| listing.name == name)
    }
}
