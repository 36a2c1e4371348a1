//! The host's own word about each stage.

use std::path::Path;

use super::NotBegun;
use super::stages::Resolved;
use crate::Request;
use crate::gate::Refusal;
use crate::runner::Terms;
use crate::spawn::Pending;
use crate::validator::{self, Proposal};

/// Asks the validator, where there is one.
pub(super) fn validate(
    terms: &Terms,
    request: &Request,
    asked: &Resolved<'_>,
    dir: &Path,
    pending: &Pending,
) -> Result<(), NotBegun> {
    let Some(validator) = &terms.validator else { return Ok(()) };
    let files = &request.files;
    let is_last = |_: &&Path| asked.place.is_none_or(|place| place.number == place.of);
    let facts = terms.audit.facts();
    let proposal = Proposal {
        command: &asked.stage.command,
        args: &asked.stage.args,
        program: &asked.program,
        directory: dir,
        launcher: &facts.launcher,
        profile: facts.profile.as_deref(),
        instance: facts.instance.as_deref(),
        tool: request.tool.as_deref(),
        stdin_file: files
            .stdin
            .as_deref()
            .filter(|_| asked.place.is_none_or(|place| place.number == 1)),
        stdout_file: files.stdout.as_deref().filter(is_last),
        stdout_append: files.append.as_deref().filter(is_last),
        stage: asked.place,
        pending,
    };
    validator::ask(validator.as_ref(), &proposal)
        .map_err(|reason| NotBegun::Refused(Refusal::Vetoed { reason }.at(asked.place)))
}
