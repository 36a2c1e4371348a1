//! What was tried, as far as the words of an error tell.

/// What was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Write,
    Execute,
    /// To talk to a socket.
    Connect,
    /// The line does not say.
    Open,
}

/// Beginnings of words that mean a change.
const WRITES: &[&str] = &[
    "append", "chang", "chgrp", "chmod", "chown", "creat", "delet", "install", "link", "lock",
    "mkdir", "mkfifo", "mknod", "mov", "preserv", "remov", "renam", "rmdir", "sav", "symlink",
    "times", "touch", "truncat", "unlink", "updat", "utime", "writ",
];
const EXECUTES: &[&str] = &["exec", "spawn"];
const CONNECTS: &[&str] = &["connect", "socket", "dial", "daemon"];

/// The verb of a line. Words of paths and within quotes are no words of the program's.
pub(super) fn of(line: &str, names: &[super::names::Name]) -> Verb {
    let mut line = line.to_owned();
    for name in names.iter().filter(|name| name.is_sure) {
        line = line.replace(&name.text, " ");
    }
    let line = line.to_lowercase();
    let words = || line.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let has = |beginnings: &[&str]| {
        words().any(|word| beginnings.iter().any(|beginning| word.starts_with(beginning)))
    };
    if has(CONNECTS) || names.iter().any(super::names::Name::is_socket) {
        Verb::Connect
    } else if has(WRITES) {
        Verb::Write
    } else if has(EXECUTES) {
        Verb::Execute
    } else {
        Verb::Open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::text::names;

    #[test]
    fn the_verb_is_a_word_of_the_programs_own() {
        for (line, verb) in [
            ("touch: cannot touch '/x': y", Verb::Write),
            ("rm: cannot remove '/x': y", Verb::Write),
            ("error: could not lock config file .git/config: y", Verb::Write),
            ("Error: EACCES: permission denied, mkdir '/x'", Verb::Write),
            ("cat: /srv/link/created: Permission denied", Verb::Open),
            ("cat: 'writing': Permission denied", Verb::Open),
            ("sh: exec: /x: Permission denied", Verb::Execute),
            ("connect to unix:///run/x.sock: y", Verb::Connect),
        ] {
            assert_eq!(of(line, &names::of(line)), verb, "{line}");
        }
    }
}
