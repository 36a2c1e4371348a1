//! What a validator is asked about each stage.

use std::path::Path;

use super::prepared::Prepared;
use super::stages::Found;
use crate::runner::Terms;
use crate::spawn::Pending;
use crate::validator::Proposal;

impl Prepared {
    /// What a validator is asked about, stage by stage.
    pub(crate) fn proposals<'a>(
        &'a self,
        terms: &'a Terms,
        pending: &'a Pending,
    ) -> Vec<Proposal<'a>> {
        self.stages().map(|stage| self.proposal(&stage, terms, pending)).collect()
    }

    fn proposal<'a>(
        &'a self,
        asked: &Found<'a>,
        terms: &'a Terms,
        pending: &'a Pending,
    ) -> Proposal<'a> {
        let files = &self.request.files;
        let is_first = |_: &&Path| asked.place.is_none_or(|place| place.number == 1);
        let is_last = |_: &&Path| asked.place.is_none_or(|place| place.number == place.of);
        let facts = terms.audit.facts();
        Proposal {
            command: &asked.stage.command,
            args: &asked.stage.args,
            program: asked.program,
            directory: &self.dir.path,
            launcher: &facts.launcher,
            profile: facts.profile.as_deref(),
            instance: facts.instance.as_deref(),
            tool: self.request.tool.as_deref(),
            stdin_file: files.stdin.as_deref().filter(is_first),
            stdout_file: files.stdout.as_deref().filter(is_last),
            stdout_append: files.append.as_deref().filter(is_last),
            stage: asked.place,
            pending,
        }
    }
}
