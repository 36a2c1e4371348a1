//! Who runs the program.

use std::fmt;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Who runs the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// Whoever runs the tests: root in CI.
    Own,
    /// A user without any privilege. Only root can become one.
    Ordinary,
}

/// `nobody` on most systems; where that name is missing, a number serves as well.
const ORDINARY_ID: u32 = 65534;

/// Both users where that is possible.
pub(crate) fn users() -> Vec<User> {
    match rustix::process::geteuid().is_root() {
        true => vec![User::Own, User::Ordinary],
        false => vec![User::Own],
    }
}

impl User {
    /// The user and group id, where it is not this process's own.
    pub(crate) fn id(self) -> Option<u32> {
        (self == User::Ordinary).then_some(ORDINARY_ID)
    }

    /// The words that make a program start as this user when root runs them; none where it is the
    /// user already.
    pub(crate) fn words(self) -> Vec<String> {
        match self.id() {
            None => Vec::new(),
            Some(id) => vec![
                "setpriv".to_owned(),
                format!("--reuid={id}"),
                format!("--regid={id}"),
                "--clear-groups".to_owned(),
                "--".to_owned(),
            ],
        }
    }

    /// Makes a command start as this user, without supplementary groups.
    pub(crate) fn applied_to(self, command: &mut Command) {
        if let Some(id) = self.id() {
            command.uid(id).gid(id);
        }
    }
}

impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            User::Own if rustix::process::geteuid().is_root() => "root",
            User::Own | User::Ordinary => "an ordinary user",
        })
    }
}
