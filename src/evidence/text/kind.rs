//! The phrases in which systems and libraries tell an error.

/// What an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// EROFS.
    ReadOnly,
    /// EACCES, EPERM.
    Denied,
    /// EBUSY: where something is mounted, as over what is protected.
    Busy,
    /// ENOSYS, as a filter answers.
    NoCall,
    /// A host's name that nobody resolves.
    Lookup,
    /// A network that is not there.
    Unreachable,
    /// Nobody listens.
    Closed,
    /// A variable that is not set.
    Unset,
    /// ENOENT.
    Missing,
}

/// Phrases in lower case, the telling ones first.
const PHRASES: &[(Kind, &[&str])] = &[
    (Kind::ReadOnly, &["read-only file system", "readonlyfilesystem"]),
    (
        Kind::Lookup,
        &[
            "could not resolve host",
            "couldn't resolve host",
            "could not resolve proxy",
            "name resolution",
            "name or service not known",
            "nodename nor servname",
            "failed to lookup address",
            "no such host",
            "unknown host",
            "unknownhostexception",
            "unable to resolve host",
        ],
    ),
    (
        Kind::Unreachable,
        &["network is unreachable", "address family not supported", "no route to host"],
    ),
    (
        Kind::Closed,
        &[
            "connection refused",
            "failed to connect to",
            "couldn't connect to",
            "could not connect to",
            "cannot connect to",
            "failed to establish a new connection",
        ],
    ),
    (
        Kind::Denied,
        &[
            "permission denied",
            "operation not permitted",
            "permissionerror",
            "permissiondenied",
            "access denied",
            "insufficient permission",
        ],
    ),
    (Kind::Busy, &["device or resource busy", "resource busy"]),
    (Kind::NoCall, &["function not implemented"]),
    (
        Kind::Unset,
        &[
            "unbound variable",
            "parameter not set",
            "environment variable",
            "env var",
            "is not set",
            "keyerror",
        ],
    ),
    (
        Kind::Missing,
        &[
            "no such file or directory",
            "filenotfounderror",
            "no such file",
            "does not exist",
            "not found",
        ],
    ),
];

/// The names of errors, which stand as words of their own.
const CODES: &[(Kind, &[&str])] = &[
    (Kind::ReadOnly, &["EROFS"]),
    (Kind::Lookup, &["EAI_AGAIN", "ENOTFOUND", "EAI_NONAME"]),
    (Kind::Unreachable, &["ENETUNREACH", "EAFNOSUPPORT", "EHOSTUNREACH"]),
    (Kind::Closed, &["ECONNREFUSED"]),
    (Kind::Denied, &["EACCES", "EPERM"]),
    (Kind::Busy, &["EBUSY"]),
    (Kind::NoCall, &["ENOSYS"]),
    (Kind::Missing, &["ENOENT"]),
];

/// The words of the system itself, as they stand in a message. Others are a program's own.
const SYSTEM: &[&str] = &[
    "Permission denied",
    "Operation not permitted",
    "Read-only file system",
    "Function not implemented",
    "Address family not supported",
    "EACCES:",
    "EPERM:",
    "EROFS:",
];

/// Words of a test about errors, and of a server that refuses a login: no call of the system failed.
const OTHERS: &[&str] = &["(publickey", "assert", "expect"];

/// What a line tells, if it tells an error of the system's.
pub(super) fn of(text: &str) -> Option<Kind> {
    let line = text.to_lowercase();
    if OTHERS.iter().any(|other| line.contains(other)) {
        return None;
    }
    let is_word = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let words: Vec<_> =
        text.split(|sign| !is_word(sign)).filter(|word| word.starts_with('E')).collect();
    let says = |(_, phrases): &&(Kind, &[&str])| phrases.iter().any(|phrase| line.contains(phrase));
    let names = |(_, codes): &&(Kind, &[&str])| codes.iter().any(|code| words.contains(code));
    let found = PHRASES.iter().find(says).or_else(|| CODES.iter().find(names));
    found.map(|(kind, _)| *kind)
}

/// Whether the line has the form of an error and not only its words: the system's own text, first or
/// after a colon or a number.
pub(super) fn is_stated(line: &str) -> bool {
    SYSTEM.iter().any(|phrase| {
        line.match_indices(phrase).any(|(at, _)| {
            let before = line[..at].trim_end();
            before.is_empty() || before.ends_with([':', ']', ')', '('])
        })
    })
}

/// Whether the line tells EPERM, and no other error of those that mean a refusal.
pub(super) fn is_not_permitted(text: &str) -> bool {
    let line = text.to_lowercase();
    line.contains("operation not permitted") || text.contains("EPERM")
}

/// Whether the line tells that there are no sockets of a family.
pub(super) fn is_no_family(text: &str) -> bool {
    text.to_lowercase().contains("address family not supported") || text.contains("EAFNOSUPPORT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_known_by_the_systems_words_in_any_case() {
        for (line, kind) in [
            ("touch: cannot touch 'x': Read-only file system", Some(Kind::ReadOnly)),
            ("open /x: permission denied", Some(Kind::Denied)),
            ("npm ERR! code EACCES", Some(Kind::Denied)),
            ("curl: (6) Could not resolve host: example.org", Some(Kind::Lookup)),
            ("git@example.org: Permission denied (publickey).", None),
            ("AssertionError: 'Permission denied' != ''", None),
            ("FileNotFoundError: [Errno 2] x", Some(Kind::Missing)),
            ("ModuleNotFoundError: No module named 'x'", None),
            ("all is well", None),
        ] {
            assert_eq!(of(line), kind, "{line}");
        }
    }

    #[test]
    fn a_mention_is_no_statement() {
        for line in ["kill: Operation not permitted", "OSError: [Errno 1] Operation not permitted"]
        {
            assert!(is_stated(line), "{line}");
        }
        for line in ["it said Permission denied", "returned EPERM", "open x: permission denied"] {
            assert!(!is_stated(line), "{line}");
        }
    }
}
