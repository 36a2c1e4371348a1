//! The policy's file rules as grants, the only thing that Landlock knows: nothing can be taken back
//! below a grant. What that loses is said by `gaps.rs`.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use cofferdam_profiles::{Access, Filesystem, Kind, UnixSockets};

use crate::rights::{Rights, Vocabulary};

/// Rights on one file or tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    /// Physical: no links.
    pub(crate) path: PathBuf,
    pub(crate) rights: Rights,
    /// Granted to every command, not by the policy: skipped where the system does not have it.
    pub(crate) implied: bool,
}

/// What every command needs beside the policy's paths.
#[derive(Debug, Clone, Copy)]
enum Implied {
    Look,
    Device,
    Devices,
    Write,
}

/// `/dev/fd`, `/dev/stdin` and their like are links into `/proc` and need nothing. The last three
/// are shared with the host, which is why `ipc` and `pty` are missing without namespaces; programs
/// cannot do without them (semaphores, pseudo-terminals).
/// `/dev/tty` is the terminal of the run's own session, if it has one: a run never shares the host's.
const IMPLIED: [(&str, Implied); 10] = [
    ("/proc", Implied::Look),
    ("/dev/null", Implied::Device),
    ("/dev/zero", Implied::Device),
    ("/dev/full", Implied::Device),
    ("/dev/random", Implied::Device),
    ("/dev/urandom", Implied::Device),
    ("/dev/tty", Implied::Device),
    ("/dev/ptmx", Implied::Device),
    ("/dev/pts", Implied::Devices),
    ("/dev/shm", Implied::Write),
];

/// The physical paths that every command is granted, whatever the policy says.
pub(crate) fn implied_paths() -> Vec<PathBuf> {
    IMPLIED.iter().filter_map(|(path, _)| fs::canonicalize(path).ok()).collect()
}

/// All grants of a policy, in path order, without those that another one covers.
pub(crate) fn of(filesystem: &Filesystem, sockets: &UnixSockets, words: Vocabulary) -> Vec<Grant> {
    let mut grants = implied(filesystem, words);
    let strongest = strongest(filesystem);
    for rule in &filesystem.rules {
        if !rule.access.grants() {
            continue;
        }
        // At one path the strongest word decides: a deny takes the grant away, a protect weakens it.
        let rights = match strongest[rule.path.as_path()] {
            Access::Write => words.write(),
            Access::Read | Access::Protect => words.read(),
            Access::Deny => continue,
        };
        grants.push(Grant { path: rule.path.clone(), rights, implied: false });
    }
    for rule in &filesystem.devices {
        let rights = match rule.kind {
            Kind::Directory => words.device() | words.look(),
            Kind::File | Kind::Absent => words.device(),
        };
        grants.push(Grant { path: rule.path.clone(), rights, implied: false });
    }
    if let UnixSockets::Paths(rules) = sockets
        && !words.connect().is_empty()
    {
        for rule in rules.iter().filter(|rule| rule.kind != Kind::Absent) {
            let rights = words.connect();
            grants.push(Grant { path: rule.path.clone(), rights, implied: false });
        }
    }
    uncovered(grants)
}

/// The strongest word at each path of a rule.
fn strongest(filesystem: &Filesystem) -> HashMap<&Path, Access> {
    let mut strongest = HashMap::with_capacity(filesystem.rules.len());
    for rule in &filesystem.rules {
        let held = strongest.entry(rule.path.as_path()).or_insert(rule.access);
        *held = rule.access.max(*held);
    }
    strongest
}

fn implied(filesystem: &Filesystem, words: Vocabulary) -> Vec<Grant> {
    IMPLIED
        .iter()
        // `/dev/ptmx` and `/dev/shm` are links on some systems.
        .filter_map(|(path, kind)| Some((fs::canonicalize(path).ok()?, kind)))
        .filter(|(path, _)| !is_denied(filesystem, path))
        .map(|(path, kind)| {
            let rights = match kind {
                Implied::Look => words.look(),
                Implied::Device => words.device(),
                Implied::Devices => words.device() | words.look(),
                Implied::Write => words.write(),
            };
            Grant { path, rights, implied: true }
        })
        .collect()
}

fn is_denied(filesystem: &Filesystem, path: &Path) -> bool {
    filesystem.decide(path).is_some_and(|rule| rule.access == Access::Deny)
}

/// Each rule costs at every start, so those that add nothing are left out.
fn uncovered(grants: Vec<Grant>) -> Vec<Grant> {
    let mut at: BTreeMap<PathBuf, Grant> = BTreeMap::new();
    for grant in grants {
        let held = at.entry(grant.path.clone()).or_insert_with(|| grant.clone());
        held.rights |= grant.rights;
        held.implied &= grant.implied;
    }
    let is_covered = |grant: &Grant| {
        let mut above = grant.path.ancestors().skip(1).filter_map(|above| at.get(above));
        above.any(|above| above.rights.contains(grant.rights))
    };
    at.values().filter(|grant| !is_covered(grant)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use cofferdam_profiles::{Origin, Rule};
    use landlock::AccessFs;

    use super::*;
    use crate::abi::Abi;

    fn rule(access: Access, path: &str) -> Rule {
        Rule {
            access,
            path: path.into(),
            kind: Kind::Directory,
            links: Vec::new(),
            written: path.into(),
            origin: Origin::default(),
        }
    }

    fn granted(rules: Vec<Rule>) -> Vec<(String, bool)> {
        let filesystem = Filesystem { rules, ..Filesystem::default() };
        let words = Vocabulary::new(Abi::from_version(7), &UnixSockets::Inside);
        of(&filesystem, &UnixSockets::Inside, words)
            .into_iter()
            .filter(|grant| !grant.implied)
            .map(|grant| {
                let writes = grant.rights.contains(AccessFs::WriteFile);
                (grant.path.display().to_string(), writes)
            })
            .collect()
    }

    #[test]
    fn a_grant_that_another_covers_is_left_out() {
        let rules = vec![
            rule(Access::Read, "/a"),
            rule(Access::Read, "/a/b"),
            rule(Access::Write, "/a/w"),
            rule(Access::Read, "/a/w/r"),
            rule(Access::Read, "/ab"),
        ];
        let expected = [("/a", false), ("/a/w", true), ("/ab", false)];
        assert_eq!(granted(rules), expected.map(|(path, writes)| (path.to_owned(), writes)));
    }

    #[test]
    fn at_one_path_the_strongest_word_decides() {
        let rules = vec![
            rule(Access::Read, "/denied"),
            rule(Access::Deny, "/denied"),
            rule(Access::Write, "/protected"),
            rule(Access::Protect, "/protected"),
            rule(Access::Read, "/written"),
            rule(Access::Write, "/written"),
        ];
        let expected = [("/protected", false), ("/written", true)];
        assert_eq!(granted(rules), expected.map(|(path, writes)| (path.to_owned(), writes)));
    }

    #[test]
    fn what_every_command_needs_is_granted_unless_it_is_denied() {
        let words = Vocabulary::new(Abi::from_version(7), &UnixSockets::Inside);
        let has_proc = |rules| {
            let filesystem = Filesystem { rules, ..Filesystem::default() };
            let grants = of(&filesystem, &UnixSockets::Inside, words);
            grants.iter().any(|grant| grant.path == Path::new("/proc"))
        };
        assert!(has_proc(Vec::new()));
        assert!(!has_proc(vec![rule(Access::Deny, "/proc")]));
    }
}
