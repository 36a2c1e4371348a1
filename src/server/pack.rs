//! A tool instance at work.

use std::collections::BTreeSet;
use std::path::PathBuf;

use rmcp::model::Tool as Listing;

use super::describe::Facts;
use super::tools::listing;
use crate::config::{Instance, Prefix, SettingsError, ToolName};
use crate::{JobLimits, Jobs, Runner};

/// One tool instance, ready to take calls. When it is dropped its jobs are killed.
#[derive(Debug)]
pub(super) struct Pack {
    /// What the names of its tools begin with.
    pub(super) prefix: Prefix,
    /// Runs its commands.
    pub(super) runner: Runner,
    /// Those that nobody waits for.
    pub(super) jobs: Jobs,
    /// The tools that it has, in their order, as clients see them.
    listings: Vec<(ToolName, Listing)>,
}

impl Pack {
    pub(super) fn new(
        runner: Runner,
        prefix: Prefix,
        tools: &BTreeSet<ToolName>,
        limits: JobLimits,
    ) -> Self {
        let facts = Facts::of(&prefix, &runner, tools, limits);
        let listings = tools.iter().map(|tool| (*tool, listing(*tool, &facts))).collect();
        let jobs = Jobs::new(runner.clone(), limits);
        Pack { prefix, runner, jobs, listings }
    }

    /// Builds the runner of an instance: from here on its launcher works and its folders exist.
    pub(super) fn of_instance(
        instance: &Instance,
        reserved: &[PathBuf],
    ) -> Result<Self, SettingsError> {
        let settings = &instance.settings;
        let runner = Runner::from_settings(settings, reserved)?;
        let limits =
            JobLimits::new(settings.max_jobs(), settings.max_finished_jobs(), settings.job_ttl());
        Ok(Pack::new(runner, instance.prefix.clone(), settings.tools(), limits))
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
