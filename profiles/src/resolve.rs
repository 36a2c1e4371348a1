//! From a source to a policy: load, look up, put together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::context::Context;
use crate::draft::{Draft, Limit, List, Sockets};
use crate::environment::environment;
use crate::error::ProfileError;
use crate::grants::Grants;
use crate::load::load;
use crate::look::Looks;
use crate::mistake::Mistake;
use crate::policy::{
    Access, Entry, Filesystem, Limits, Network, NetworkMode, Origin, Policy, Rule, UnixSockets,
};
use crate::refuse::{
    refuse_closed, refuse_overruled, refuse_own_files, refuse_planted, refuse_rewritable,
};
use crate::rules::RuleMaker;
use crate::settle::{merged, repeated, settled};
use crate::source::Source;
use crate::template::{Template, Variable};
use crate::values::Values;
use crate::widen::Grant;
use crate::workspace;

/// Resolves profiles against a machine: what they extend is merged, variables are filled in, and
/// every path is followed to where it physically is. `grants` come last, over everything.
///
/// The file system is read; nothing is changed, but for the folder `${cache}`, which is made where
/// a writable path mentions it.
///
/// # Errors
/// [`ProfileError::Invalid`] for mistakes in the files, then [`ProfileError::Unfit`] for what does
/// not fit this machine; each with all its mistakes.
pub fn resolve(
    source: &Source,
    grants: &Grants,
    context: &Context,
) -> Result<Policy, ProfileError> {
    resolve_more(source, grants, &[], context)
}

/// [`resolve`], where `more` says which of the grants somebody was asked for.
pub(crate) fn resolve_more(
    source: &Source,
    grants: &Grants,
    more: &[Grant],
    context: &Context,
) -> Result<Policy, ProfileError> {
    let loaded = load(source, context).map_err(ProfileError::Invalid)?;
    let mut mistakes = Vec::new();
    let workspace = find_workspace(&loaded.draft, context, &mut mistakes);
    let values = Values::new(context, workspace, &loaded.name);
    let mut maker = RuleMaker { values: &values, looks: Looks::default(), mistakes };

    let draft = &loaded.draft;
    let filesystem = filesystem(&mut maker, draft, grants, more, &context.dir);
    let network = network(&mut maker, draft, grants, &filesystem, &context.dir);
    let environment = environment(&mut maker, draft, grants, filesystem.scratch);
    let mut mistakes = maker.mistakes;
    refuse_overruled(&filesystem, &mut mistakes);
    refuse_rewritable(&loaded.files, &filesystem, &mut mistakes);
    refuse_own_files(context, &filesystem, &mut mistakes);
    if !mistakes.is_empty() {
        return Err(ProfileError::Unfit(mistakes));
    }

    let best_effort = draft.list(List::BestEffort).iter();
    Ok(Policy {
        name: loaded.name.clone(),
        description: draft.description.as_ref().map(|e| e.value.clone()).unwrap_or_default(),
        // The words were checked when they were read.
        best_effort: best_effort.filter_map(|entry| entry.value.parse().ok()).collect(),
        filesystem,
        network,
        environment,
        syscalls: draft.list(List::Syscalls).to_vec(),
        limits: limits(&draft.limits),
    })
}

/// The workspace, where something mentions it. A forbidden one is a mistake, and is used all the same
/// to find the other mistakes.
fn find_workspace(
    draft: &Draft,
    context: &Context,
    mistakes: &mut Vec<Mistake>,
) -> Option<PathBuf> {
    let (key, entry) = first_mention(draft)?;
    match workspace::find(context) {
        Ok(workspace) => Some(workspace),
        Err(cause) => {
            let (origin, value) = (entry.origin.clone(), Some(format!("{:?}", entry.value)));
            mistakes.push(Mistake { origin, key, value, cause });
            Some(context.dir.join(&context.workspace))
        }
    }
}

/// The first entry with a variable that needs the workspace.
fn first_mention(draft: &Draft) -> Option<(String, &Entry<String>)> {
    let mentions = |entry: &&Entry<String>| {
        Template::parse(&entry.value)
            .is_ok_and(|template| template.variables().any(Variable::needs_workspace))
    };
    let paths = [
        List::Write,
        List::Read,
        List::Protect,
        List::Deny,
        List::Devices,
        List::Sockets,
        List::Path,
    ];
    let in_lists = paths.iter().find_map(|list| {
        let entry = draft.list(*list).iter().find(mentions)?;
        Some((list.key().to_owned(), entry))
    });
    in_lists.or_else(|| {
        let (name, entry) = draft.set.iter().find(|(_, entry)| mentions(entry))?;
        Some((format!("environment.set.{name}"), entry))
    })
}

fn filesystem(
    maker: &mut RuleMaker<'_>,
    draft: &Draft,
    grants: &Grants,
    more: &[Grant],
    dir: &Path,
) -> Filesystem {
    let is_tmp = |entry: &Entry<String>| {
        Template::parse(&entry.value).is_ok_and(|template| template.is_tmp())
    };
    let rules = maker.filesystem(draft, grants, dir);
    refuse_planted(&rules, &rules, &mut maker.mistakes);
    refuse_closed(&rules, more, &mut maker.mistakes);
    let (repeated, rules) = (repeated(&rules), settled(rules));
    let workspace = maker.values.workspace().map(Path::to_owned);
    Filesystem {
        unsearched: maker.values.is_unsearched() && protects_below(workspace.as_deref(), &rules),
        repeated,
        rules,
        devices: maker.devices(draft),
        scratch: draft.list(List::Write).iter().any(is_tmp),
        workspace,
    }
}

/// Whether something is protected in the workspace; nothing is where a run cannot write.
fn protects_below(workspace: Option<&Path>, rules: &[Rule]) -> bool {
    let is_below =
        |rule: &Rule| workspace.is_some_and(|workspace| rule.path.starts_with(workspace));
    rules.iter().any(|rule| rule.access == Access::Protect && is_below(rule))
}

fn network(
    maker: &mut RuleMaker<'_>,
    draft: &Draft,
    grants: &Grants,
    filesystem: &Filesystem,
    dir: &Path,
) -> Network {
    let (mode, mode_origin) = match &draft.mode {
        _ if grants.net => {
            (NetworkMode::On, Some(Origin { source: "--net".into(), ..Origin::default() }))
        }
        Some(mode) => (mode.value, Some(mode.origin.clone())),
        None => (NetworkMode::default(), None),
    };
    let mut paths = maker.list(draft, List::Sockets, Access::Write);
    paths.extend(maker.ad_hoc("--socket", Access::Write, &grants.sockets, dir));
    refuse_planted(&paths, &filesystem.rules, &mut maker.mistakes);
    let unix_sockets = match draft.sockets.as_ref().map(|sockets| sockets.value) {
        Some(Sockets::All) => UnixSockets::All,
        _ if !paths.is_empty() => UnixSockets::Paths(merged(paths)),
        Some(Sockets::None) => UnixSockets::None,
        Some(Sockets::Inside | Sockets::Listed) | None => UnixSockets::Inside,
    };
    let sockets_origin = draft.sockets.as_ref().map(|sockets| sockets.origin.clone());
    Network { mode, mode_origin, unix_sockets, sockets_origin }
}

fn limits(written: &BTreeMap<Limit, Entry<u64>>) -> Limits {
    let limit = |limit| written.get(&limit).map(|entry| entry.value);
    Limits {
        memory: limit(Limit::Memory),
        processes: limit(Limit::Processes),
        open_files: limit(Limit::OpenFiles),
        file_size: limit(Limit::FileSize),
        cpu_seconds: limit(Limit::CpuSeconds),
    }
}
