//! Answers about Unix sockets.

use std::path::Path;

use super::place::follow;
use super::{Answer, Change, Inside, Verdict};
use crate::{Policy, Promise, UnixSockets};

const KEY: &str = "network.unix-sockets";

/// Whether a run may connect to the socket at a path.
pub(super) fn connect(policy: &Policy, path: &Path, inside: &Inside) -> Verdict {
    let files = &policy.filesystem;
    let place = follow(files, &policy.network.unix_sockets, path).path;
    let allowed = |because: &str| Verdict::new(Answer::Allowed, KEY, because);
    let refused = |because: &str| {
        let mut verdict = Verdict::new(Answer::Refused, KEY, because);
        verdict.origin = policy.network.sockets_origin.clone();
        verdict.changed_by([Change::socket(&place)])
    };
    let is_own = inside.is_own(files, &place);
    let verdict = match &policy.network.unix_sockets {
        UnixSockets::None => refused("no Unix socket is open to a run"),
        UnixSockets::All if is_own || files.may_read(&place) => {
            allowed("every socket is open that the file rules show")
        }
        UnixSockets::All => refused("the file rules do not show it"),
        _ if is_own || files.may_write(&place) => {
            let mut verdict = allowed("sockets under the writable paths are open");
            verdict.origin = files.decide(&place).map(|rule| rule.origin.clone());
            verdict.promised(Promise::UnixSockets)
        }
        UnixSockets::Paths(rules) => {
            match rules.iter().find(|rule| place.starts_with(&rule.path)) {
                Some(rule) => allowed("it is named").by(rule).promised(Promise::UnixSockets),
                None => refused("it is not among the sockets that are named"),
            }
        }
        UnixSockets::Inside => refused("only sockets under the writable paths are open"),
    };
    verdict.at(place)
}
