//! Sockets by family, type and protocol.
//!
//! What is refused is the *socket*, not the verbs: `connect` is not needed to send a datagram.
//! Families that do not exist for the command answer `EAFNOSUPPORT`, as on a kernel without them,
//! so that name look-ups give up at once.

use cofferdam_profiles::{NetworkMode, UnixSockets};

use super::Line;
use crate::Terms;
use crate::verdict::{Action, Condition, Rule, Verdict};

/// The type sits in the low four bits; `SOCK_CLOEXEC` and `SOCK_NONBLOCK` ride above it.
const TYPE_MASK: u32 = 0xf;
/// The old way to packet sockets: with this type an internet family means `AF_PACKET`.
const SOCK_PACKET: i32 = 10;
const FAMILY: u8 = 0;
const TYPE: u8 = 1;
const PROTOCOL: u8 = 2;

/// `AF_INET` (2) and `AF_INET6` (10), which differ in one bit, so one comparison finds both.
pub(crate) const INTERNET: Condition = {
    let differs = (libc::AF_INET ^ libc::AF_INET6) as u32;
    Condition::masked(FAMILY, !differs, libc::AF_INET as u32)
};

/// Makes `sendto` and `sendmsg` connect, past a Landlock rule on ports.
const MSG_FASTOPEN: u32 = 0x2000_0000;
/// Makes the first `write` connect.
const TCP_FASTOPEN_CONNECT: u32 = 30;

const STREAM_PROTOCOLS: [i32; 2] = [0, libc::IPPROTO_TCP];
const DATAGRAM_PROTOCOLS: [i32; 4] =
    [0, libc::IPPROTO_UDP, libc::IPPROTO_ICMP, libc::IPPROTO_ICMPV6];

pub(super) fn lines(terms: &Terms) -> Vec<Line> {
    let mut lines = vec![socket(terms), socketpair(terms)];
    lines.extend(fast_open(terms));
    lines
}

fn socket(terms: &Terms) -> Line {
    let mut rules = Vec::new();
    if terms.unix_sockets_open() {
        rules.push(Rule {
            when: vec![family(libc::AF_UNIX)],
            then: Action::Allow,
            why: "socket files that the launcher shows",
        });
    }
    if terms.internet_open() {
        rules.extend(internet());
        rules.extend(netlink());
    }
    Line {
        name: "socket",
        why: "every other family: the network, the hypervisor (vsock), kernel crypto, raw frames",
        verdict: Verdict::ByArguments { rules, otherwise: Action::Refuse(libc::EAFNOSUPPORT) },
    }
}

/// TCP, UDP and ping. Multipath TCP passes Landlock's port rules; raw sockets forge packets.
fn internet() -> Vec<Rule> {
    let kinds = [
        (libc::SOCK_STREAM, &STREAM_PROTOCOLS[..], "TCP"),
        (libc::SOCK_DGRAM, &DATAGRAM_PROTOCOLS[..], "UDP and ping"),
    ];
    let allowed = kinds.into_iter().flat_map(|(kind, protocols, why)| {
        protocols.iter().map(move |protocol| Rule {
            when: vec![INTERNET, of_type(kind), number(PROTOCOL, *protocol)],
            then: Action::Allow,
            why,
        })
    });
    let raw = [(libc::SOCK_RAW, "forges packets"), (SOCK_PACKET, "reads every frame")].map(
        |(kind, why)| Rule {
            when: vec![INTERNET, of_type(kind)],
            then: Action::Refuse(libc::EPERM),
            why,
        },
    );
    let other = Rule {
        when: vec![INTERNET],
        then: Action::Refuse(libc::EPROTONOSUPPORT),
        why: "multipath TCP, SCTP and other protocols: programs fall back to TCP",
    };
    allowed.chain(raw).chain([other]).collect()
}

/// Addresses and routes, which `getifaddrs(3)` asks for; no other netlink protocol.
fn netlink() -> [Rule; 2] {
    [
        Rule {
            when: vec![family(libc::AF_NETLINK), number(PROTOCOL, libc::NETLINK_ROUTE)],
            then: Action::Allow,
            why: "addresses and routes",
        },
        Rule {
            when: vec![family(libc::AF_NETLINK)],
            then: Action::Refuse(libc::EPROTONOSUPPORT),
            why: "device events, packet filters and other kernel surface",
        },
    ]
}

fn socketpair(terms: &Terms) -> Line {
    let mut kinds = vec![libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
    if terms.unix_sockets_open() {
        kinds.push(libc::SOCK_DGRAM);
    }
    let rules = kinds
        .into_iter()
        .map(|kind| Rule {
            when: vec![family(libc::AF_UNIX), of_type(kind)],
            then: Action::Allow,
            why: "connected to each other for good",
        })
        .collect();
    Line {
        name: "socketpair",
        why: "one end of a datagram pair can be pointed at any socket file",
        verdict: Verdict::ByArguments { rules, otherwise: Action::Refuse(libc::EPERM) },
    }
}

/// Sending stays open whatever the policy, since `send(3)` on a socket pair is `sendto`.
fn fast_open(terms: &Terms) -> [Line; 4] {
    let closed = terms.network == NetworkMode::Off && !terms.private_network;
    let line = |name, when: Vec<Condition>, errno| Line {
        name,
        why: "sends on a socket that exists, or sets its options",
        verdict: match closed {
            false => Verdict::Always(Action::Allow),
            true => Verdict::ByArguments {
                rules: vec![Rule {
                    when,
                    then: Action::Refuse(errno),
                    why: "TCP fast open connects without `connect`",
                }],
                otherwise: Action::Allow,
            },
        },
    };
    let flag = |arg| vec![Condition::masked(arg, MSG_FASTOPEN, MSG_FASTOPEN)];
    let option = vec![number(1, libc::IPPROTO_TCP), Condition::equal(2, TCP_FASTOPEN_CONNECT)];
    [
        line("sendto", flag(3), libc::EOPNOTSUPP),
        line("sendmsg", flag(2), libc::EOPNOTSUPP),
        line("sendmmsg", flag(3), libc::EOPNOTSUPP),
        line("setsockopt", option, libc::ENOPROTOOPT),
    ]
}

impl Terms {
    /// Whether `socket(AF_UNIX)` works. A filter sees no path, so without a launcher that decides
    /// by path there are only all or none.
    pub(crate) fn unix_sockets_open(&self) -> bool {
        match self.unix_sockets {
            UnixSockets::None => false,
            UnixSockets::Inside | UnixSockets::Paths(_) => self.private_view,
            UnixSockets::All => true,
        }
    }

    /// Whether internet sockets can be made: to reach the network, or only oneself.
    pub(crate) fn internet_open(&self) -> bool {
        self.network == NetworkMode::On || self.private_network
    }
}

fn family(family: i32) -> Condition {
    number(FAMILY, family)
}

fn of_type(kind: i32) -> Condition {
    Condition::masked(TYPE, TYPE_MASK, kind.cast_unsigned())
}

fn number(arg: u8, value: i32) -> Condition {
    Condition::equal(arg, value.cast_unsigned())
}
