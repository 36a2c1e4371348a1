//! Policies that say something and must not be used all the same.

use std::path::PathBuf;

use crate::mistake::{Cause, Mistake};
use crate::policy::{Access, Filesystem, Origin, Rule};

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
                key: rule.origin.source.clone(),
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
        let origin = Origin { source: file.display().to_string(), ..Origin::default() };
        mistakes.push(Mistake {
            origin,
            key: String::new(),
            value: None,
            cause: Cause::Rewritable,
        });
    }
}
