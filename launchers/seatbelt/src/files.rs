//! The file rules of a policy, and the Unix sockets that go with them.
//!
//! A policy says that the deepest path decides, and at equal depth deny, protect, write, read. The
//! profile language says that the last rule that fits decides. So the rules are written from the top
//! of the tree downwards, and at one depth from the weakest to the strongest.

use std::collections::BTreeSet;
use std::path::Path;

use cofferdam_profiles::{Access, UnixSockets};

use crate::expression::{Expression, allow, deny, form};
use crate::parameters::Parameters;
use crate::places::{Place, Places};

/// Reading, listing and executing.
const READING: [&str; 3] = ["file-map-executable", "file-read*", "process-exec*"];
/// Creating, changing and removing. A hard link is a second name, under which other rules hold.
const WRITING: [&str; 2] = ["file-link", "file-write*"];

/// All rules, in the order in which they must stand.
pub(crate) fn rules(
    places: &Places,
    sockets: &UnixSockets,
    parameters: &mut Parameters,
) -> Vec<Expression> {
    let alike = |one: &Place, other: &Place| {
        one.access == other.access && places.is_taken_back(one) == places.is_taken_back(other)
    };
    let groups = places.all().chunk_by(alike);
    groups.flat_map(|group| of_group(group, places, sockets, parameters)).collect()
}

/// Places next to each other that say the same, as one set of rules.
fn of_group(
    group: &[Place],
    places: &Places,
    sockets: &UnixSockets,
    parameters: &mut Parameters,
) -> Vec<Expression> {
    let filters: Vec<_> = group
        .iter()
        .map(|place| match place.is_tree {
            true => parameters.subpath(&place.path),
            false => parameters.literal(&place.path),
        })
        .collect();
    let access = group[0].access;
    let mut rules = Vec::new();
    match access {
        Access::Read | Access::Write => rules.push(allow(&READING, filters.clone())),
        Access::Deny => rules.push(deny(&READING, filters.clone())),
        Access::Protect => {}
    }
    match access {
        Access::Write => rules.push(allow(&WRITING, filters.clone())),
        Access::Read if !places.is_taken_back(&group[0]) => {}
        Access::Read | Access::Protect | Access::Deny => {
            rules.push(deny(&WRITING, filters.clone()));
        }
    }
    let taken_back = places.is_taken_back(&group[0]);
    if let Some(rule) = of_sockets(access, sockets, taken_back) {
        let side = |side| {
            let socket = |filter| form(side, [Expression::Word("unix-socket"), filter]);
            filters.iter().cloned().map(socket).collect::<Vec<_>>()
        };
        rules.push(rule(&["network-bind", "network-inbound"], side("local")));
        rules.push(rule(&["network-outbound"], side("remote")));
    }
    rules
}

/// Makes a rule from operations and filters.
type Decision = fn(&[&'static str], Vec<Expression>) -> Expression;

/// What a place says about the socket files in it; `None`: nothing that is not said already.
fn of_sockets(access: Access, sockets: &UnixSockets, taken_back: bool) -> Option<Decision> {
    let (open, close): (Decision, Decision) = (allow, deny);
    match (sockets, access) {
        (UnixSockets::None, _) => None,
        (UnixSockets::All, Access::Read) | (_, Access::Write) => Some(open),
        (UnixSockets::All, Access::Protect) => None,
        (_, Access::Read) => taken_back.then_some(close),
        (_, Access::Protect | Access::Deny) => Some(close),
    }
}

/// What must stay where it is: a rule holds for a name, so whatever it closes would be open under
/// another one. Nothing that a rule names in a writable tree is moved or removed, and no folder between
/// it and the root of that tree; nor the root, which could be moved into another one.
pub(crate) fn pins(places: &Places, parameters: &mut Parameters) -> Option<Expression> {
    let mut pinned = BTreeSet::new();
    let mut filters = Vec::new();
    for place in places.all().iter().filter(|place| place.exists) {
        for above in place.path.ancestors() {
            if places.is_writable_tree(above) && pinned.insert(above) {
                filters.push(parameters.literal(above));
            }
        }
    }
    (!filters.is_empty()).then(|| deny(&["file-write-unlink"], filters))
}

/// The way to what is open: programs look at each folder in a path (`realpath(3)`), and a link on it
/// must be read to be followed. None of this lists a folder.
pub(crate) fn ways(places: &Places, parameters: &mut Parameters) -> Option<Expression> {
    let mut seen = BTreeSet::new();
    let mut filters = Vec::new();
    let grants = places.all().iter().filter(|place| place.access.grants());
    for place in grants {
        let above = place.path.ancestors().skip(1);
        let links = place.links.iter().flat_map(|link| link.ancestors());
        for path in above.chain(links) {
            if path != Path::new("/") && !places.is_readable(path) && seen.insert(path) {
                filters.push(parameters.literal(path));
            }
        }
    }
    (!filters.is_empty()).then(|| allow(&["file-read-metadata"], filters))
}
