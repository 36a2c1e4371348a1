//! The run's own `/dev`: a few devices, its own terminals, and what the policy lists.

use std::path::PathBuf;

use crate::expression::{Expression, allow, deny, form, literal, subpath};
use crate::parameters::{Parameters, real};

/// What a file rule may have opened.
const CLOSED: [&str; 6] = [
    "file-ioctl",
    "file-link",
    "file-map-executable",
    "file-read*",
    "file-write*",
    "process-exec*",
];
/// Any terminal device.
const TERMINALS: &str = "^/dev/ttys[0-9]+$";
/// The mark that macOS puts on a terminal that was made inside this sandbox.
const MADE_INSIDE: &str = "com.apple.sandbox.pty";

/// The rules, which stand after those of files: a readable `/` or `/dev` opens no device.
pub(crate) fn rules(listed: &[PathBuf], parameters: &mut Parameters) -> Vec<Expression> {
    let everything = ["file-ioctl", "file-read*", "file-write*"];
    let terminal = || form("regex", [Expression::Pattern(TERMINALS)]);
    let mark = form("extension", [Expression::Text(MADE_INSIDE)]);
    let made_inside = form("require-all", [terminal(), mark]);
    let mut rules = vec![
        deny(&CLOSED, [subpath("/dev")]),
        allow(
            &["file-read-metadata"],
            ["/dev", "/dev/stdin", "/dev/stdout", "/dev/stderr"].map(literal),
        ),
        allow(
            &["file-ioctl", "file-read*", "file-write-data"],
            ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"].map(literal),
        ),
        allow(&["file-read*", "file-write-data"], [subpath("/dev/fd")]),
        // A terminal of the run's own can be made (`openpty(3)`); no other can be opened.
        allow(&["pseudo-tty"], []),
        allow(&everything, [literal("/dev/ptmx"), literal("/dev/tty"), made_inside]),
        // For a terminal that the host has made for this run and hands over as an open descriptor.
        allow(&["file-ioctl"], [terminal()]),
    ];
    if !listed.is_empty() {
        let listed: Vec<_> = listed.iter().map(|path| parameters.literal(&real(path))).collect();
        rules.push(allow(&everything, listed));
    }
    rules
}
