//! The Landlock rules inside: a second lock on what the view closes already.
//!
//! The view shows only what the policy opens, so one rule lets everything in it be read, and one for
//! each writable place lets it be written. What is read-only within a writable place is a mount's
//! affair.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cofferdam_profiles::UnixSockets;

use super::layout::Layout;
use super::protocol::{step, what};
use super::scene::{Put, Scene};
use crate::rights::{Rights, Vocabulary};

/// What may be done where.
pub(crate) struct Rules {
    rights: BTreeMap<PathBuf, Rights>,
}

impl Rules {
    /// The rules of one run.
    pub(crate) fn of(
        scene: &Scene,
        words: Vocabulary,
        sockets: &UnixSockets,
        writable_root: bool,
    ) -> Rules {
        let mut rules = Rules { rights: BTreeMap::new() };
        rules.add(Path::new("/"), if writable_root { words.write() } else { words.read() });
        for (at, put) in scene.puts() {
            match put.what {
                what::DEVICES => {
                    rules.add(at, words.device() | words.look());
                    rules.add(&at.join("shm"), words.write());
                    rules.add(&at.join("mqueue"), words.write());
                }
                what::BIND if put.flags & step::DEVICE != 0 => {
                    rules.add(at, words.device() | words.look());
                }
                _ if is_open(put) => rules.add(at, words.write()),
                _ => {}
            }
        }
        if let UnixSockets::Paths(sockets) = sockets
            && !words.connect().is_empty()
        {
            sockets.iter().for_each(|rule| rules.add(&rule.path, words.connect()));
        }
        rules
    }

    /// Adds the rules to a plan, without those that another one covers.
    pub(crate) fn write(&self, words: Vocabulary, layout: &mut Layout) {
        for (path, rights) in &self.rights {
            let covers =
                |above: &Path| self.rights.get(above).is_some_and(|wider| wider.contains(*rights));
            if !path.ancestors().skip(1).any(covers) {
                let on_file = words.on_file(*rights);
                layout.rule(path.as_os_str(), rights.bits(), on_file.bits());
            }
        }
    }

    fn add(&mut self, path: &Path, rights: Rights) {
        *self.rights.entry(path.to_owned()).or_default() |= rights;
    }
}

fn is_open(put: &Put) -> bool {
    put.writable && put.what != what::PIN
}
