//! Policies that say something and must not be used all the same.

use std::path::{Path, PathBuf};

use crate::context::Context;
use crate::mistake::{Cause, Mistake};
use crate::policy::{Access, Filesystem, Kind, Link, Origin, Rule};
use crate::widen::Grant;
use crate::workspace::places;

/// An option that a rule of the profile undoes at the same path would be dropped without a word.
pub(crate) fn refuse_overruled(filesystem: &Filesystem, mistakes: &mut Vec<Mistake>) {
    let is_option = |rule: &Rule| rule.origin.text.is_none();
    for rule in filesystem.rules.iter().filter(|rule| is_option(rule)) {
        let undoes = |other: &&Rule| match rule.access {
            Access::Read => other.access == Access::Deny,
            Access::Write => other.access > Access::Write,
            Access::Protect | Access::Deny => false,
        };
        let mut others =
            filesystem.rules.iter().filter(|other| other.path == rule.path && !is_option(other));
        if let Some(other) = others.find(undoes) {
            let (access, by) = (other.access, other.origin.clone());
            mistakes.push(Mistake {
                origin: rule.origin.clone(),
                key: rule.origin.source.to_string(),
                value: Some(format!("{:?}", rule.written)),
                cause: Cause::Overruled { access, by },
            });
        }
    }
}

/// A profile in the workspace must not decide about the next run what this one wrote into it.
pub(crate) fn refuse_rewritable(
    files: &[PathBuf],
    filesystem: &Filesystem,
    mistakes: &mut Vec<Mistake>,
) {
    for file in files.iter().filter(|file| filesystem.may_write(file)) {
        let origin = Origin { source: file.display().to_string().into(), ..Origin::default() };
        mistakes.push(Mistake {
            origin,
            key: String::new(),
            value: None,
            cause: Cause::Rewritable,
        });
    }
}

/// A run can make a link where it may write. A path that leads through one to somewhere else would give
/// the next run whatever this one wished for. `rules` are not merged yet; `granted` is what the policy
/// grants.
pub(crate) fn refuse_planted(rules: &[Rule], granted: &[Rule], mistakes: &mut Vec<Mistake>) {
    for rule in rules.iter().filter(|rule| rule.access.grants()) {
        if let Some((link, root)) = planted(rule, granted) {
            mistakes.push(Mistake {
                origin: rule.origin.clone(),
                key: String::new(),
                value: Some(format!("{:?}", rule.written)),
                cause: Cause::Planted { link, target: rule.path.clone(), root },
            });
        }
    }
}

/// The link by which a rule leaves a folder where runs may write, and that folder. What another rule
/// opens anyway is nothing to be wished for.
fn planted(rule: &Rule, granted: &[Rule]) -> Option<(PathBuf, PathBuf)> {
    let roots = granted.iter().filter(|root| root.access == Access::Write).map(|root| &root.path);
    let (link, root) = roots.into_iter().find_map(|root| {
        let leaves = |link: &&Link| link.path != *root && link.path.starts_with(root);
        let link = rule.links.iter().find(leaves).filter(|_| !rule.path.starts_with(root))?;
        Some((link.path.clone(), root.clone()))
    })?;
    let opens = |other: &Rule| {
        let enough = other.access == Access::Write || other.access == rule.access;
        enough
            && other.access.grants()
            && other.links.is_empty()
            && rule.path.starts_with(&other.path)
    };
    (!granted.iter().any(opens)).then_some((link, root))
}

/// What somebody was asked for must be what is opened, and lie in nothing that the profile closes: an
/// option of the operator's would win as the deeper rule. `rules` are not merged yet.
pub(crate) fn refuse_closed(rules: &[Rule], more: &[Grant], mistakes: &mut Vec<Mistake>) {
    for path in more.iter().filter_map(Grant::path) {
        let of_options = rules.iter().filter(|rule| rule.origin.text.is_none());
        let Some(rule) = of_options.into_iter().find(|rule| rule.written == path) else { continue };
        let closes = |other: &&Rule| !other.access.grants() && rule.path.starts_with(&other.path);
        let cause = match rules.iter().find(closes) {
            Some(other) => Cause::Overruled { access: other.access, by: other.origin.clone() },
            None if rule.path != path || !rule.links.is_empty() => {
                Cause::Moved { target: rule.path.clone() }
            }
            None => continue,
        };
        mistakes.push(Mistake {
            origin: rule.origin.clone(),
            key: rule.origin.source.to_string(),
            value: Some(format!("{:?}", rule.written)),
            cause,
        });
    }
}

/// A run that can write Cofferdam's own files can change its own terms, or what is told of it. A
/// `protect` rule is no help: a launcher may leave it out. The workspace has been looked at before.
pub(crate) fn refuse_own_files(
    context: &Context,
    filesystem: &Filesystem,
    mistakes: &mut Vec<Mistake>,
) {
    let workspace = filesystem.workspace.as_deref();
    for path in context.reserved.iter().flat_map(|file| places(&context.dir.join(file))) {
        let Some(rule) = opens(filesystem, &path) else { continue };
        if workspace != Some(&rule.path) {
            mistakes.push(Mistake {
                origin: rule.origin.clone(),
                key: String::new(),
                value: Some(format!("{:?}", rule.written)),
                cause: Cause::OwnFile { path },
            });
        }
    }
}

/// The rule that lets a run write here, or replace what is here, if one does.
fn opens<'a>(filesystem: &'a Filesystem, path: &Path) -> Option<&'a Rule> {
    let covers = |rule: &&Rule| {
        path == rule.path || (rule.kind != Kind::File && path.starts_with(&rule.path))
    };
    let rules = filesystem.rules.iter().filter(|rule| rule.access != Access::Protect);
    let deepest = rules.filter(covers).max_by_key(|r| (r.path.components().count(), r.access));
    deepest.filter(|rule| rule.access == Access::Write)
}
