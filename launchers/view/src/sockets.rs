//! Whether a view may show socket files of the host.
//!
//! A mount can take away writing, but not connecting: a socket file in a read-only folder is as
//! open as in any other. So where a `read` rule opens a folder in which services keep their sockets,
//! the view cannot be what decides about sockets, and the system call filter refuses them all.

use std::path::Path;

use cofferdam_profiles::{Access, Filesystem, Kind, Rule};

/// Folders in which services and desktops keep their sockets.
const HOMES_OF_SOCKETS: [&str; 5] = ["/run", "/tmp", "/var/lib", "/var/run", "/var/tmp"];
/// Folders whose folders are people's homes, with the sockets of editors and key holders in them.
const HOMES_OF_PEOPLE: [&str; 2] = ["/home", "/Users"];

/// Whether a rule opens such a folder for reading.
pub fn are_shown(files: &Filesystem) -> bool {
    files.rules.iter().any(|rule| {
        rule.access == Access::Read && rule.kind == Kind::Directory && holds_sockets(rule)
    })
}

fn holds_sockets(rule: &Rule) -> bool {
    let path = &rule.path;
    let opens = |folder: &str| Path::new(folder).starts_with(path);
    let is_home = |people: &str| path.parent() == Some(Path::new(people)) || opens(people);
    HOMES_OF_SOCKETS.into_iter().any(opens)
        || HOMES_OF_PEOPLE.into_iter().any(is_home)
        || opens("/root")
        // `/run/user/1000`, `/run/systemd`: there is little else in there.
        || path.starts_with("/run")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{files, rule};

    fn shown(access: Access, path: &str) -> bool {
        are_shown(&files([rule(access, path)]))
    }

    #[test]
    fn folders_around_and_in_the_homes_of_sockets_show_them() {
        for path in ["/", "/run", "/run/user/1000", "/var", "/home", "/home/ann", "/root", "/tmp"] {
            assert!(shown(Access::Read, path), "{path}");
        }
    }

    #[test]
    fn system_folders_and_projects_do_not() {
        for path in ["/usr", "/etc", "/opt", "/home/ann/project", "/home/ann/.rustup", "/runner"] {
            assert!(!shown(Access::Read, path), "{path}");
        }
    }

    #[test]
    fn sockets_under_write_rules_are_the_runs_to_use() {
        assert!(!shown(Access::Write, "/home/ann"));
    }
}
