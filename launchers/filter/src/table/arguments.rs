//! The calls that are right or wrong by their arguments, sockets apart.

use super::Line;
use crate::Terms;
use crate::verdict::{Action, Condition, Rule, Verdict};

/// Every flag of `clone(2)` that makes a namespace: mount, cgroup, uts, ipc, user, pid and net.
const CLONE_NAMESPACES: u32 = 0x7E02_0000;
/// A time namespace, which `clone` cannot make: there the bit belongs to the exit signal.
const CLONE_NEWTIME: u32 = 0x80;

/// Keeps programs that ask for fixed addresses working; debuggers ask for it.
const ADDR_NO_RANDOMIZE: u32 = 0x0004_0000;
/// `personality(2)` with this value only asks.
const PERSONALITY_QUERY: u32 = 0xFFFF_FFFF;

/// Requests of `ioctl(2)`, the same numbers on both architectures.
pub(crate) const TIOCSTI: u32 = 0x5412;
pub(crate) const TIOCLINUX: u32 = 0x541C;
pub(crate) const TIOCCONS: u32 = 0x541D;
pub(crate) const TIOCSETD: u32 = 0x5423;

const EPERM: Action = Action::Refuse(libc::EPERM);

pub(super) fn lines(terms: &Terms) -> Vec<Line> {
    vec![
        limits(terms),
        only(
            "clone",
            "processes and threads; namespaces would undo the view",
            vec![allowed(Condition::masked(0, CLONE_NAMESPACES, 0), "no new namespace")],
        ),
        only(
            "unshare",
            "a user namespace brings all capabilities back",
            vec![allowed(
                Condition::masked(0, CLONE_NAMESPACES | CLONE_NEWTIME, 0),
                "no new namespace",
            )],
        ),
        only(
            "personality",
            "old personalities turn protections off",
            vec![
                allowed(Condition::equal(0, 0), "the ordinary one"),
                allowed(Condition::equal(0, PERSONALITY_QUERY), "asks, changes nothing"),
                allowed(Condition::equal(0, ADDR_NO_RANDOMIZE), "for debuggers; harmless"),
            ],
        ),
        Line {
            name: "ioctl",
            why: "the driver decides, and Landlock for devices",
            verdict: Verdict::ByArguments {
                rules: vec![
                    refused(TIOCSTI, "types into the terminal, so into the user's shell"),
                    refused(TIOCLINUX, "pastes into a virtual console"),
                    refused(TIOCCONS, "takes the console's output"),
                    refused(TIOCSETD, "loads a line discipline: kernel surface"),
                ],
                otherwise: Action::Allow,
            },
        },
    ]
}

/// A limit on processor time or open files would end a process of the host, and neither Landlock nor
/// a check of the user stops it. The filter sees pids, not whose they are, so only oneself is left.
fn limits(terms: &Terms) -> Line {
    let own = allowed(Condition::equal(0, 0), "its own limits");
    match terms.private_processes {
        false => only("prlimit64", "limits of other processes: as good as a signal", vec![own]),
        true => Line {
            name: "prlimit64",
            why: "sees only processes of this run",
            verdict: Verdict::Always(Action::Allow),
        },
    }
}

fn only(name: &'static str, why: &'static str, rules: Vec<Rule>) -> Line {
    Line { name, why, verdict: Verdict::ByArguments { rules, otherwise: EPERM } }
}

fn allowed(condition: Condition, why: &'static str) -> Rule {
    Rule { when: vec![condition], then: Action::Allow, why }
}

fn refused(request: u32, why: &'static str) -> Rule {
    Rule { when: vec![Condition::equal(1, request)], then: EPERM, why }
}
