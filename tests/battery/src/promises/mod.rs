//! The promises, by what they are about. One entry of a table, one promise; what it does to break it
//! stands beside its name.

mod arguments;
mod descriptors;
mod environment;
mod ipc;
mod limits;
mod metadata;
mod mounts;
mod network;
mod outsiders;
mod persistence;
mod privileges;
mod programs;
mod reading;
mod sockets;
mod surface;
mod system;
mod terminal;
mod writing;

use crate::promise::{Class, Promise};

/// Every class, in the order in which people are told.
pub const CLASSES: &[Class] = &[
    reading::CLASS,
    writing::CLASS,
    metadata::CLASS,
    persistence::CLASS,
    mounts::CLASS,
    outsiders::CLASS,
    privileges::CLASS,
    sockets::CLASS,
    ipc::CLASS,
    network::CLASS,
    surface::CLASS,
    terminal::CLASS,
    descriptors::CLASS,
    environment::CLASS,
    arguments::CLASS,
    limits::CLASS,
    programs::CLASS,
    system::CLASS,
];

/// The promise of this name, and its class.
pub fn find(name: &str) -> Option<(&'static Class, &'static Promise)> {
    let mut all =
        CLASSES.iter().flat_map(|class| class.promises.iter().map(move |promise| (class, promise)));
    all.find(|(_, promise)| promise.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn names(kind: Kind) -> Vec<&'static str> {
        let all = CLASSES.iter().flat_map(|class| class.promises);
        let mut names: Vec<_> =
            all.filter(|promise| promise.kind == kind).map(|promise| promise.name).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn every_promise_has_a_name_of_its_own() {
        let mut all = [names(Kind::Forbidden), names(Kind::Works)].concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn there_is_as_much_to_work_as_a_sandbox_must_let_through() {
        let (forbidden, works) = (names(Kind::Forbidden).len(), names(Kind::Works).len());
        assert!(forbidden >= 120 && works >= 50, "{forbidden} forbidden, {works} that work");
    }
}
