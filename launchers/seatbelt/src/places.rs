//! The paths of a policy as they are for one run, in the order in which the profile names them.

use std::path::{Path, PathBuf};

use cofferdam_launcher::Scratch;
use cofferdam_profiles::{Access, Filesystem, Kind, Network, Rule, UnixSockets};

use crate::parameters::real;
use crate::system::OTHER_NAME_OF_THE_DISK;

/// A path and what a run may do there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) access: Access,
    pub(crate) path: PathBuf,
    /// Whether it covers what is below as well.
    pub(crate) is_tree: bool,
    /// Whether something was there when the policy was read.
    pub(crate) exists: bool,
    /// Links by which the path was written.
    pub(crate) links: Vec<PathBuf>,
}

/// All places of one run: the deeper ones later, and at one depth the stronger ones later. The last
/// one that covers a path decides about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places(Vec<Place>);

impl Places {
    /// The places of a policy. `exists` tells what has come to be since the policy was read.
    pub(crate) fn of(
        files: &Filesystem,
        network: &Network,
        scratch: Option<&Scratch>,
        exists: &dyn Fn(&Path) -> bool,
    ) -> Places {
        let sockets = match &network.unix_sockets {
            UnixSockets::Paths(rules) => rules.as_slice(),
            UnixSockets::None | UnixSockets::Inside | UnixSockets::All => &[],
        };
        let rules = files.rules.iter().chain(sockets);
        let mut places: Vec<_> = rules.filter_map(|rule| Place::of(rule, exists)).collect();
        if let Some(scratch) = scratch {
            places.extend(
                [&scratch.tmp, &scratch.home].map(|folder| Place::folder(Access::Write, folder)),
            );
        }
        let other_name = Path::new(OTHER_NAME_OF_THE_DISK);
        if !places.iter().any(|place| place.path == other_name) {
            places.push(Place::folder(Access::Deny, other_name));
        }
        places.sort_by_key(|place| (place.path.components().count(), place.access));
        let grants: Vec<_> = places.iter().filter(|place| place.access.grants()).cloned().collect();
        // What nothing opens is closed already.
        places.retain(|place| grants.iter().any(|grant| grant.covers(&place.path)));
        Places(places)
    }

    pub(crate) fn all(&self) -> &[Place] {
        &self.0
    }

    /// What decides about a path.
    fn decide(&self, path: &Path) -> Option<&Place> {
        self.0.iter().rev().find(|place| place.covers(path))
    }

    /// Whether a run may read what is at this path.
    pub(crate) fn is_readable(&self, path: &Path) -> bool {
        // What is protected has been opened by another rule.
        self.decide(path).is_some_and(|place| place.access != Access::Deny)
    }

    /// Whether this is the root of a writable tree, or lies in one.
    pub(crate) fn is_writable_tree(&self, path: &Path) -> bool {
        self.0.iter().any(|place| place.access == Access::Write && place.covers(path))
    }

    /// Whether this place takes writing back from one above it.
    pub(crate) fn is_taken_back(&self, place: &Place) -> bool {
        place.access == Access::Read && self.is_writable_tree(&place.path)
    }
}

impl Place {
    /// `None` for a rule that says nothing here: what is to be protected and is not there may be made.
    fn of(rule: &Rule, exists: &dyn Fn(&Path) -> bool) -> Option<Place> {
        let path = real(&rule.path);
        let exists = rule.kind != Kind::Absent || exists(&path);
        if rule.access == Access::Protect && !exists {
            return None;
        }
        Some(Place {
            access: rule.access,
            path,
            is_tree: rule.kind != Kind::File || !rule.access.grants(),
            exists,
            links: match rule.access.grants() {
                true => rule.links.iter().map(|link| link.path.clone()).collect(),
                false => Vec::new(),
            },
        })
    }

    fn folder(access: Access, path: &Path) -> Place {
        Place { access, path: real(path), is_tree: true, exists: true, links: Vec::new() }
    }

    fn covers(&self, path: &Path) -> bool {
        path == self.path || (self.is_tree && path.starts_with(&self.path))
    }
}
