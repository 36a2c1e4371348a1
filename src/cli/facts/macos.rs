//! Facts about macOS.

use std::path::Path;

use super::{Fact, fact, user};

/// All of them.
pub(super) fn gather() -> Vec<Fact> {
    vec![
        fact("kernel", "kernel", kernel()),
        fact("sandbox-exec", "sandbox-exec", sandbox_exec()),
        fact("user", "user", user()),
    ]
}

fn kernel() -> String {
    let name = rustix::system::uname();
    let (system, release) = (name.sysname().to_string_lossy(), name.release().to_string_lossy());
    format!("{system} {release} ({})", std::env::consts::ARCH)
}

fn sandbox_exec() -> String {
    match Path::new("/usr/bin/sandbox-exec").exists() {
        true => "yes".to_owned(),
        false => "no: it is a part of macOS, and missing here".to_owned(),
    }
}
