//! Answers from `network.mode`.

use super::{Answer, Change, Verdict};
use crate::{NetworkMode, Policy, Promise};

const KEY: &str = "network.mode";

/// Whether a run may reach a host.
pub(super) fn connect(policy: &Policy, host: &str) -> Verdict {
    let verdict = match policy.network.mode {
        NetworkMode::On => Verdict::new(Answer::Allowed, KEY, "the network is on"),
        NetworkMode::Off if is_self(host) => Verdict::new(
            Answer::Refused,
            KEY,
            "the network is off: a run reaches what it has started itself, and no service of the host",
        )
        .changed_by([Change::network()]),
        NetworkMode::Off => Verdict::new(Answer::Refused, KEY, "the network is off")
            .changed_by([Change::network()]),
    };
    placed(policy, verdict)
}

/// Whether a run may listen on a port.
pub(super) fn bind(policy: &Policy) -> Verdict {
    let verdict = match policy.network.mode {
        NetworkMode::On => Verdict::new(Answer::Allowed, KEY, "the network is on"),
        NetworkMode::Off => Verdict::new(
            Answer::Allowed,
            KEY,
            "the network is off: a run can listen for itself, and nobody outside can connect",
        )
        .promised(Promise::Loopback),
    };
    placed(policy, verdict)
}

fn placed(policy: &Policy, mut verdict: Verdict) -> Verdict {
    verdict.origin = policy.network.mode_origin.clone();
    verdict
}

/// Whether a host is the machine itself.
fn is_self(host: &str) -> bool {
    host == "localhost"
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
