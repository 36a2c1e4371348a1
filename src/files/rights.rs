//! What a run may do to a file, when the host does it in its name. The host is in no sandbox, so here
//! the policy is held against the file itself: by its path, and by what its path leads to.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use cofferdam_profiles::{Access, Policy};
use rustix::fs::Stat;

use super::FileProblem;
use super::system::is_kernel_made;
use super::walk::{Beneath, Identity};

/// What decides about files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rights<'a> {
    pub(crate) policy: Option<&'a Policy>,
    /// Files that decide over runs: settings, audit, tokens.
    pub(crate) own: &'a [PathBuf],
}

/// What is to be done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
}

impl Rights<'_> {
    /// Whether the name may be used so. Asked before anything is opened or made.
    pub(super) fn by_name(&self, file: &Beneath, wanted: Use) -> Result<(), FileProblem> {
        if wanted == Use::Write && file.path.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err(FileProblem::Git);
        }
        if self.own.iter().any(|own| file.path.starts_with(own)) {
            return Err(FileProblem::Own);
        }
        let Some(policy) = self.policy else { return Ok(()) };
        let (may, what) = match wanted {
            Use::Read => (policy.filesystem.may_read(&file.path), "read"),
            Use::Write => (policy.filesystem.may_write(&file.path), "write"),
        };
        match may {
            true => self.by_identity(&file.passed, wanted),
            false => {
                let profile = policy.name.clone();
                let writable = policy.filesystem.with_access(Access::Write);
                let roots = match wanted {
                    Use::Read => Vec::new(),
                    Use::Write => writable.map(|rule| rule.path.clone()).collect(),
                };
                Err(FileProblem::Closed { profile, what, roots })
            }
        }
    }

    /// Whether the file, now that it is open, may be used so.
    pub(super) fn by_file(
        &self,
        file: &Beneath,
        open: &OwnedFd,
        stat: &Stat,
        wanted: Use,
    ) -> Result<(), FileProblem> {
        if is_kernel_made(open)? {
            return Err(FileProblem::KernelMade);
        }
        #[allow(clippy::unnecessary_cast, trivial_numeric_casts)]
        let names = stat.st_nlink as u64;
        if wanted == Use::Write && names > 1 {
            return Err(FileProblem::ManyNames { names });
        }
        let identity = Identity::of(stat);
        if self.own.iter().any(|own| Identity::at(own) == Some(identity)) {
            return Err(FileProblem::Own);
        }
        self.by_identity(&[(file.path.clone(), identity)], wanted)
    }

    /// A name may be another one for what a rule closes: by a hard link, a mount, or where upper and
    /// lower case are the same. Under the name of the rule itself, the rules have decided.
    fn by_identity(&self, met: &[(PathBuf, Identity)], wanted: Use) -> Result<(), FileProblem> {
        let Some(policy) = self.policy else { return Ok(()) };
        let closes = |access| match wanted {
            Use::Read => access == Access::Deny,
            Use::Write => matches!(access, Access::Deny | Access::Protect),
        };
        let is_met = |path: &Path| {
            let identity = Identity::at(path);
            identity.is_some() && met.iter().any(|(by, it)| Some(*it) == identity && by != path)
        };
        let mut closed = policy.filesystem.rules.iter().filter(|rule| closes(rule.access));
        match closed.find(|rule| is_met(&rule.path)) {
            Some(rule) => Err(FileProblem::OtherName {
                path: rule.path.clone(),
                profile: policy.name.clone(),
            }),
            None => Ok(()),
        }
    }
}
