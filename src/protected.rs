//! What no mount can protect, and is looked at after a run instead: protected paths that do not exist
//! when it starts, and links on the way to those that do.

use std::fs;
use std::path::PathBuf;

use cofferdam_profiles::{Access, Link, Policy};

/// What a run could make, or put in the place of a link.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    absent: Vec<PathBuf>,
    links: Vec<Link>,
}

impl Watched {
    /// As it is now. Without a policy there is nothing to protect.
    pub(crate) fn of(policy: Option<&Policy>) -> Watched {
        let mut watched = Watched::default();
        let Some(policy) = policy else { return watched };
        for rule in policy.filesystem.with_access(Access::Protect) {
            if rule.path.symlink_metadata().is_err() {
                watched.absent.push(rule.path.clone());
            }
            let links = rule.links.iter().filter(|link| policy.filesystem.may_write(&link.path));
            watched.links.extend(links.filter(|link| is_as_it_was(link)).cloned());
        }
        watched
    }

    /// The paths at which a run has made something, or something else, in the order of their names.
    pub(crate) fn changed(&self) -> Vec<PathBuf> {
        let made = self.absent.iter().filter(|path| path.symlink_metadata().is_ok());
        let replaced = self.links.iter().filter(|link| !is_as_it_was(link)).map(|link| &link.path);
        let mut changed: Vec<_> = made.chain(replaced).cloned().collect();
        changed.sort();
        changed.dedup();
        changed
    }
}

fn is_as_it_was(link: &Link) -> bool {
    fs::read_link(&link.path).is_ok_and(|target| target == link.target)
}
