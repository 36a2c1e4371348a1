//! What is the same for every policy, or nearly so: processes, the loader, and the operations that no
//! run gets.

use crate::expression::{Expression, allow, deny, form, literal, subpath};

/// Operations that `(deny default)` does not cover: macOS allows them unless they are named.
const NOT_COVERED: [&str; 4] =
    ["file-map-executable", "iokit-get-properties", "nvram*", "process-info*"];

/// Ways to have something done by a process outside: Apple events, launchd, Launch Services.
const BY_OTHERS: [&str; 3] = ["appleevent-send", "job-creation", "lsopen"];

/// Links at the top of the file tree, and the folders on the way to where they lead.
const WAYS: [&str; 7] =
    ["/etc", "/tmp", "/var", "/private", "/private/etc", "/private/tmp", "/private/var"];

/// Where the loader finds the libraries of the system, which lie in no file of their own.
const LIBRARIES: [&str; 4] = [
    "/System/Cryptexes",
    "/System/Volumes/Preboot/Cryptexes",
    "/private/preboot/Cryptexes",
    "/private/var/db/dyld",
];

/// Another name for the disk with everybody's files. Rules name files by their usual paths, so this
/// one must open nothing.
pub(crate) const OTHER_NAME_OF_THE_DISK: &str = "/System/Volumes/Data";

/// The beginning of every profile.
pub(crate) fn head() -> Vec<Expression> {
    vec![form("version", [Expression::Word("1")]), deny(&["default"], []), deny(&NOT_COVERED, [])]
}

/// Processes of the run, among themselves. Which programs can be executed is said by the file rules.
pub(crate) fn processes(debug: bool) -> Vec<Expression> {
    let own = || form("target", [Expression::Word("same-sandbox")]);
    let mut rules = vec![
        allow(&["process-fork"], []),
        allow(&["process-info*", "signal"], [own()]),
        // The number of processors as libuv asks for it. What these operations change needs root.
        allow(&["mach-host*"], []),
    ];
    if debug {
        rules.push(allow(&["mach-priv-task-port"], [own()]));
    }
    rules
}

/// POSIX semaphores and shared memory, whose names all programs of the user share.
pub(crate) fn shared_memory() -> Expression {
    allow(&["ipc-posix-sem", "ipc-posix-shm*"], [])
}

/// What every program needs before its first instruction.
pub(crate) fn loader() -> Vec<Expression> {
    vec![
        // The loader opens `/`. It holds the same names on every Mac.
        allow(&["file-read*"], [literal("/")]),
        allow(&["file-read-metadata"], WAYS.map(literal)),
        allow(&["file-map-executable", "file-read*"], LIBRARIES.map(subpath)),
    ]
}

/// The end of every profile: whatever a rule before it says.
pub(crate) fn tail() -> Vec<Expression> {
    vec![deny(&BY_OTHERS, [])]
}
