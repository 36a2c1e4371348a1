//! What `mcp-shell-server` refuses whatever its list says.

use crate::wrapped::base_name;

/// The programs that it never runs, whatever its list says.
pub(super) const DENIED: &[&str] = &[
    "sh", "bash", "zsh", "fish", "csh", "ksh", "python", "python3", "perl", "ruby", "node", "php",
    "lua", "deno", "bun", "env", "chroot", "flock", "ionice", "nice", "nohup", "script", "setarch",
    "setsid", "stdbuf", "strace", "taskset", "time", "timeout", "unshare", "valgrind", "watch",
    "xargs", "ex", "gdb", "less", "man", "more", "mysql", "pg", "psql", "rsync", "sed", "sqlite3",
    "ssh", "vi", "view", "vim", "zip",
];

/// Whether it refuses this command: by the base name, and of Python every version.
pub(super) fn is_denied(command: &str) -> bool {
    let name = base_name(command);
    let is_version = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    DENIED.contains(&name) || name.strip_prefix("python").is_some_and(is_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_denied_under_every_path_and_python_in_every_version() {
        for command in ["sh", "/bin/sh", "python", "python3", "/usr/bin/python3.11", "./env"] {
            assert!(is_denied(command), "{command}");
        }
        for command in ["ls", "shred", "pythonic", "python3-config", "SH", ""] {
            assert!(!is_denied(command), "{command}");
        }
    }
}
