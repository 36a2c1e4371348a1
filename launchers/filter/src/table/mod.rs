//! What is decided about every system call. Data; `dispatch.rs` makes a program of it.

mod allowed;
mod arguments;
mod refused;
mod sockets;

use crate::exceptions::Exceptions;
use crate::verdict::{Action, Verdict};
use crate::{FilterError, Terms};

pub(crate) use arguments::{TIOCCONS, TIOCLINUX, TIOCSETD, TIOCSTI};
pub(crate) use sockets::INTERNET;

/// One line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The system call.
    pub name: &'static str,
    /// The answer.
    pub verdict: Verdict,
    /// Why, for people.
    pub why: &'static str,
}

/// The answer to every number that no line names: those of calls that a later kernel brings too.
pub(crate) const UNKNOWN: Action = Action::Refuse(libc::ENOSYS);

/// The whole table under these terms. Every call has one line at most.
pub(crate) fn lines(terms: &Terms) -> Result<Vec<Line>, FilterError> {
    let exceptions = Exceptions::resolve(terms)?;
    let mut lines = Vec::new();
    for (why, names) in allowed::ALLOWED {
        lines.extend(names.iter().map(|name| always(name, Action::Allow, why)));
    }
    lines.extend(arguments::lines(terms));
    lines.extend(sockets::lines(terms));
    let absent = refused::ABSENT.iter().map(|(name, why)| always(name, UNKNOWN, why));
    lines.extend(absent);
    let forbidden = refused::FORBIDDEN.iter();
    lines.extend(forbidden.map(|(name, why)| always(name, Action::Refuse(libc::EPERM), why)));
    for line in &mut lines {
        if let Some(why) = exceptions.why(line.name) {
            line.verdict = Verdict::Always(Action::Allow);
            line.why = why;
        }
    }
    Ok(lines)
}

fn always(name: &'static str, action: Action, why: &'static str) -> Line {
    Line { name, verdict: Verdict::Always(action), why }
}
