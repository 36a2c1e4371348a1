//! Readable folders in which the host may keep sockets and named pipes.
//!
//! A mount can take away writing, but neither connecting nor writing to a pipe: both are as open in a
//! read-only folder as in any other. So where a `read` rule opens a folder that somebody works in, the
//! mount cannot be what decides, and a launcher needs something else: an overlay, in which they are
//! the run's own, a right of Landlock, or the system call filter.

use std::path::{Path, PathBuf};

use cofferdam_profiles::{Access, Filesystem, Kind, Rule};

/// Folders in which services and desktops keep their sockets.
const HOMES_OF_SOCKETS: [&str; 5] = ["/run", "/tmp", "/var/lib", "/var/run", "/var/tmp"];
/// Folders whose folders are people's homes, with the sockets of editors and key holders in them.
const HOMES_OF_PEOPLE: [&str; 2] = ["/home", "/Users"];
/// Trees that hold what packages have put there, and the kernel's own files.
const SYSTEM: [&str; 11] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/nix/store",
    "/gnu/store",
    "/sys",
];
/// What stands at the start of a shipped entry that opens a folder of the user's choice.
const CHOSEN: [&str; 2] = ["${workspace}", "${git-"];

/// The folders, in the order of their paths.
///
/// Folders of the system are none, nor are the toolchains of shipped profiles, in which nothing runs.
/// A `read` below a writable folder is none either: what lies there is the run's to use.
pub fn doors(files: &Filesystem) -> Vec<PathBuf> {
    let mut doors: Vec<_> = files
        .rules
        .iter()
        .filter(|rule| rule.access == Access::Read && rule.kind == Kind::Directory)
        .filter(|rule| holds_sockets(rule) || is_chosen(rule))
        .filter(|rule| !is_inside(rule, files) && !has_other_word(rule, files))
        .map(|rule| rule.path.clone())
        .collect();
    doors.sort();
    doors.dedup();
    doors
}

fn holds_sockets(rule: &Rule) -> bool {
    let path = &rule.path;
    let opens = |folder: &str| Path::new(folder).starts_with(path);
    let is_home = |people: &str| path.parent() == Some(Path::new(people)) || opens(people);
    HOMES_OF_SOCKETS.into_iter().any(opens)
        || HOMES_OF_PEOPLE.into_iter().any(is_home)
        || opens("/root")
        // `/run/user/1000`, `/run/systemd`: there is little else in there. But a system's programs
        // may lie there (NixOS).
        || path.starts_with("/run") && !rule.origin.is_shipped()
}

/// Whether the user has chosen the folder, and not a package or this program.
fn is_chosen(rule: &Rule) -> bool {
    let entry = rule.origin.text.as_deref().unwrap_or_default();
    let is_system = SYSTEM.iter().any(|tree| rule.path.starts_with(tree));
    let is_named = CHOSEN.iter().any(|chosen| entry.starts_with(chosen));
    !is_system && (is_named || !rule.origin.is_shipped())
}

/// Whether the folder around it is a writable one.
fn is_inside(rule: &Rule, files: &Filesystem) -> bool {
    let around = rule.path.parent().and_then(|above| files.decide(above));
    around.is_some_and(|around| around.access == Access::Write)
}

/// Whether a stronger word stands for the same path: it is writable, or hidden.
fn has_other_word(rule: &Rule, files: &Filesystem) -> bool {
    let mut same = files.rules.iter().filter(|other| other.path == rule.path);
    same.any(|other| matches!(other.access, Access::Write | Access::Deny))
}

#[cfg(test)]
mod tests {
    use cofferdam_profiles::Origin;

    use super::*;
    use crate::samples::{files, rule};

    fn is_door(rules: Vec<Rule>) -> bool {
        !doors(&files(rules)).is_empty()
    }

    fn shipped(path: &str, entry: &str) -> Rule {
        let origin = Origin { source: "base.toml".into(), line: Some(1), text: Some(entry.into()) };
        Rule { origin, ..rule(Access::Read, path) }
    }

    #[test]
    fn folders_around_and_in_the_homes_of_sockets_are_doors() {
        for path in ["/", "/run", "/run/user/1000", "/var", "/home", "/home/ann", "/root", "/tmp"] {
            assert!(is_door(vec![rule(Access::Read, path)]), "{path}");
        }
        assert!(is_door(vec![shipped("/home/ann", "${home}")]));
    }

    #[test]
    fn a_folder_that_the_user_names_is_a_door_unless_it_is_the_systems() {
        for path in ["/home/ann/project", "/srv", "/opt/app", "/runner"] {
            assert!(is_door(vec![rule(Access::Read, path)]), "{path}");
        }
        for path in ["/usr", "/usr/share/doc", "/etc", "/nix/store/x", "/sys/class"] {
            assert!(!is_door(vec![rule(Access::Read, path)]), "{path}");
        }
    }

    #[test]
    fn a_toolchain_of_a_shipped_profile_is_none_but_the_workspace_is_one() {
        assert!(!is_door(vec![shipped("/home/ann/.rustup", "${home}/.rustup?")]));
        assert!(!is_door(vec![shipped("/opt", "/opt?")]));
        assert!(!is_door(vec![shipped("/run/current-system", "/run/current-system?")]));
        assert!(is_door(vec![shipped("/srv/project", "${workspace}")]));
        assert!(is_door(vec![shipped("/srv/project/.git", "${git-dir}?")]));
    }

    #[test]
    fn what_a_write_rule_opens_is_the_runs_to_use() {
        assert!(!is_door(vec![rule(Access::Write, "/home/ann")]));
        assert!(!is_door(vec![rule(Access::Write, "/srv"), rule(Access::Read, "/srv/vendor")]));
        assert!(!is_door(vec![rule(Access::Write, "/srv"), rule(Access::Read, "/srv")]));
        assert!(!is_door(vec![rule(Access::Deny, "/srv"), rule(Access::Read, "/srv")]));
        assert!(is_door(vec![rule(Access::Read, "/srv"), rule(Access::Write, "/srv/out")]));
    }
}
