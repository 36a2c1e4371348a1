//! The variant of the table that tells the host of refusals (`seccomp_unotify(2)`).
//!
//! What is told costs two switches between processes, so what programs are refused in ordinary work
//! is not told: sockets of the ordinary families, which name look-ups try each time, and everything
//! that is answered as if the kernel did not have it.

use crate::table::{INTERNET, Line};
use crate::verdict::{Action, Condition, Rule, Verdict};

/// `SECCOMP_FILTER_FLAG_NEW_LISTENER`, in the second argument of `seccomp(2)`.
const NEW_LISTENER: u32 = 8;

/// The table with [`Action::Tell`] in it.
pub(crate) fn lines(lines: &[Line]) -> Vec<Line> {
    let telling = |line: &Line| {
        let verdict = told(line.verdict.clone());
        let verdict = match line.name {
            "seccomp" => with_rules(verdict, [ONE_LISTENER], []),
            "socket" => with_rules(verdict, [], ordinary_families()),
            _ => verdict,
        };
        Line { verdict, ..line.clone() }
    };
    lines.iter().map(telling).collect()
}

/// The same verdict, whose refusals are told. Other error numbers than these two stand for what the
/// kernel would not have.
fn told(verdict: Verdict) -> Verdict {
    let told = |action| match action {
        Action::Refuse(errno @ (libc::EPERM | libc::EAFNOSUPPORT)) => Action::Tell(errno),
        action => action,
    };
    match verdict {
        Verdict::Always(action) => Verdict::Always(told(action)),
        Verdict::ByArguments { mut rules, otherwise } => {
            rules.iter_mut().for_each(|rule| rule.then = told(rule.then));
            Verdict::ByArguments { rules, otherwise: told(otherwise) }
        }
    }
}

/// The same verdict with rules before and behind its own.
fn with_rules<const BEFORE: usize, const BEHIND: usize>(
    verdict: Verdict,
    before: [(Condition, Action, &'static str); BEFORE],
    behind: [(Condition, Action, &'static str); BEHIND],
) -> Verdict {
    let rule = |(condition, then, why)| Rule { when: vec![condition], then, why };
    let (own, otherwise) = match verdict {
        Verdict::Always(action) => (Vec::new(), action),
        Verdict::ByArguments { rules, otherwise } => (rules, otherwise),
    };
    let rules = before.into_iter().map(rule).chain(own).chain(behind.into_iter().map(rule));
    Verdict::ByArguments { rules: rules.collect(), otherwise }
}

/// Another listener on top of this one would be asked in its place, and could let everything pass.
const ONE_LISTENER: (Condition, Action, &str) = (
    Condition::masked(1, NEW_LISTENER, NEW_LISTENER),
    Action::Refuse(libc::EBUSY),
    "one filter with a listener is there, and the kernel takes no second",
);

/// What resolvers, `getpwuid(3)` and `getifaddrs(3)` try each time.
fn ordinary_families() -> [(Condition, Action, &'static str); 3] {
    const WHY: &str = "the network is closed: tried in ordinary work, and not told";
    let family = |family: i32| Condition::equal(0, family.cast_unsigned());
    let ordinary = [family(libc::AF_UNIX), INTERNET, family(libc::AF_NETLINK)];
    ordinary.map(|condition| (condition, Action::Refuse(libc::EAFNOSUPPORT), WHY))
}
