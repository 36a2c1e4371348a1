//! What a refused call was about: its name, and what decided among its arguments. Never a path: the
//! filter sees none, and nobody looks into the memory of the command.

use crate::table::{Line, TIOCCONS, TIOCLINUX, TIOCSETD, TIOCSTI};
use crate::verdict::Action;

/// What the filter says to one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The system call.
    pub name: &'static str,
    /// What decided among its arguments, as in C: `AF_VSOCK`, `CLONE_NEWUSER|CLONE_NEWNS`. Empty where
    /// the call is refused whatever its arguments.
    pub arguments: String,
    /// The error number with which it fails (`errno(3)`).
    pub errno: i32,
    /// Why, for people.
    pub why: &'static str,
}

impl Refusal {
    /// What a line of the table says; `None` where it does not tell.
    pub(crate) fn of(line: &Line, args: &[u64; 6]) -> Option<Refusal> {
        let (Action::Tell(errno), rule) = line.verdict.on(args) else { return None };
        let why = rule.map_or(line.why, |rule| rule.why);
        Some(Refusal { name: line.name, arguments: arguments(line.name, args), errno, why })
    }
}

/// What decided about a call, in the words of C.
fn arguments(name: &str, args: &[u64; 6]) -> String {
    // What the kernel takes of each, as in `Condition`.
    let [first, second, ..] = args.map(|arg| arg as u32);
    match name {
        "socket" | "socketpair" => family(first, second),
        "clone" | "unshare" => flags(first),
        "ioctl" => named(second, REQUESTS, "request"),
        "personality" => format!("{first:#x}"),
        _ => String::new(),
    }
}

fn family(family: u32, kind: u32) -> String {
    /// As in `sockets.rs`: flags ride above it.
    const TYPE: u32 = 0xf;
    let family = named(family, FAMILIES, "family");
    match (kind & TYPE).cast_signed() {
        libc::SOCK_RAW => format!("{family} SOCK_RAW"),
        libc::SOCK_DGRAM if family == "AF_UNIX" => format!("{family} SOCK_DGRAM"),
        _ => family,
    }
}

fn flags(flags: u32) -> String {
    let set = NAMESPACES.iter().filter(|(_, flag)| flags & flag != 0).map(|(name, _)| *name);
    set.collect::<Vec<_>>().join("|")
}

fn named(value: u32, names: &[(&str, u32)], kind: &str) -> String {
    match names.iter().find(|known| known.1 == value) {
        Some((name, _)) => (*name).to_owned(),
        None => format!("{kind} {value}"),
    }
}

/// Flags of `clone(2)` and `unshare(2)` that make namespaces.
const NAMESPACES: &[(&str, u32)] = &[
    ("CLONE_NEWTIME", 0x80),
    ("CLONE_NEWNS", libc::CLONE_NEWNS.cast_unsigned()),
    ("CLONE_NEWCGROUP", libc::CLONE_NEWCGROUP.cast_unsigned()),
    ("CLONE_NEWUTS", libc::CLONE_NEWUTS.cast_unsigned()),
    ("CLONE_NEWIPC", libc::CLONE_NEWIPC.cast_unsigned()),
    ("CLONE_NEWUSER", libc::CLONE_NEWUSER.cast_unsigned()),
    ("CLONE_NEWPID", libc::CLONE_NEWPID.cast_unsigned()),
    ("CLONE_NEWNET", libc::CLONE_NEWNET.cast_unsigned()),
];

/// Requests that the table refuses.
const REQUESTS: &[(&str, u32)] = &[
    ("TIOCSTI", TIOCSTI),
    ("TIOCLINUX", TIOCLINUX),
    ("TIOCCONS", TIOCCONS),
    ("TIOCSETD", TIOCSETD),
];

/// Families that programs ask for (`address_families(7)`).
const FAMILIES: &[(&str, u32)] = &[
    ("AF_UNIX", libc::AF_UNIX as u32),
    ("AF_INET", libc::AF_INET as u32),
    ("AF_INET6", libc::AF_INET6 as u32),
    ("AF_NETLINK", libc::AF_NETLINK as u32),
    ("AF_PACKET", libc::AF_PACKET as u32),
    ("AF_KEY", libc::AF_KEY as u32),
    ("AF_RDS", libc::AF_RDS as u32),
    ("AF_CAN", libc::AF_CAN as u32),
    ("AF_TIPC", libc::AF_TIPC as u32),
    ("AF_BLUETOOTH", libc::AF_BLUETOOTH as u32),
    ("AF_ALG", libc::AF_ALG as u32),
    ("AF_NFC", libc::AF_NFC as u32),
    ("AF_VSOCK", libc::AF_VSOCK as u32),
    ("AF_XDP", libc::AF_XDP as u32),
];
