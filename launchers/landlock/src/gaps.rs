//! What the policy asks for and Landlock cannot do.

use std::path::PathBuf;

use crate::abi::Abi;
use crate::private::Reach;
use cofferdam_profiles::{
    Access, Filesystem, Kind, Limits, Network, NetworkMode, Promise, Rule, UnixSockets,
};
use cofferdam_view::gaps::{Gap, unsearched};

/// The parts of a policy that decide, and the circumstances.
pub(crate) struct Circumstances<'a> {
    pub(crate) filesystem: &'a Filesystem,
    pub(crate) network: &'a Network,
    pub(crate) limits: &'a Limits,
    pub(crate) abi: Abi,
    /// Root is exempt from the limit on processes.
    pub(crate) root: bool,
    /// Granted to every command, where there are no namespaces.
    pub(crate) implied: &'a [PathBuf],
    /// The private namespaces; `None`: none.
    pub(crate) reach: Option<Reach>,
    /// With namespaces: the filter refuses Unix sockets for what lies in a readable folder.
    pub(crate) refuses_sockets: bool,
}

/// What helps against most of them.
const ANOTHER: &str = "use the launcher `bubblewrap`";
/// What helps where one rule takes back what another one grants, and no profile can do without.
const RULES: &str = "use the launcher `bubblewrap`, or change one of the two rules";

/// All gaps, in the order of their names.
pub(crate) fn of(circumstances: &Circumstances<'_>) -> Vec<Gap> {
    let mut gaps = match circumstances.reach {
        None => {
            let mut gaps = without_namespaces(circumstances);
            gaps.extend(by_kernel(circumstances));
            gaps.extend(by_rule(circumstances));
            gaps
        }
        Some(reach) => with_namespaces(circumstances, reach),
    };
    gaps.extend(by_user(circumstances));
    gaps.extend(unsearched(circumstances.filesystem));
    gaps.sort_by_key(|gap| gap.promise);
    gaps
}

/// What namespaces leave open.
fn with_namespaces(circumstances: &Circumstances<'_>, reach: Reach) -> Vec<Gap> {
    let mut gaps = Vec::new();
    if reach == Reach::AllButProcesses {
        gaps.push(gap(
            Promise::Processes,
            "(a fresh /proc cannot be mounted here: the host's processes can be seen, and a daemon \
             outlives its run)",
        ));
    }
    if circumstances.network.mode == NetworkMode::On && !circumstances.abi.has_scopes() {
        gaps.push(gap(
            Promise::Ipc,
            "while the network is on (before Linux 6.12 the host's abstract sockets stay reachable)",
        ));
    }
    if let UnixSockets::Paths(rules) = &circumstances.network.unix_sockets
        && circumstances.refuses_sockets
    {
        gaps.extend(rules.iter().map(|rule| Gap {
            promise: Some(Promise::UnixSockets),
            rule: format!(
                "`unix-sockets = [{:?}]` ({}) while a `read` rule opens the folder around it, or one \
                 that cannot be shown through an overlay",
                rule.path, rule.origin
            ),
            remedy: ANOTHER,
        }));
    }
    gaps
}

/// What needs namespaces.
fn without_namespaces(circumstances: &Circumstances<'_>) -> Vec<Gap> {
    let processes = match circumstances.abi.has_scopes() {
        true => "(the host's processes can be seen, and a daemon outlives its run)",
        false => "(the host's processes can be seen and, before Linux 6.12, signalled)",
    };
    let mut gaps = vec![
        gap(Promise::Ipc, "(the host's shared memory and System V message queues stay reachable)"),
        gap(Promise::Metadata, "(mode, owner and times of files outside can be changed)"),
        gap(Promise::Processes, processes),
        gap(Promise::Pty, "(the host's terminals under /dev/pts stay reachable)"),
    ];
    if circumstances.network.mode == NetworkMode::Off {
        gaps.push(gap(Promise::Loopback, "(there is no TCP at all while the network is off)"));
    }
    gaps
}

/// What a newer kernel has.
fn by_kernel(circumstances: &Circumstances<'_>) -> Vec<Gap> {
    let mut gaps = Vec::new();
    if !circumstances.abi.has_truncate() {
        gaps.push(gap(Promise::Truncate, "(files outside can be emptied before Linux 6.2)"));
    }
    if let UnixSockets::Paths(rules) = &circumstances.network.unix_sockets
        && !circumstances.abi.has_socket_files()
    {
        gaps.extend(rules.iter().map(|rule| Gap {
            promise: Some(Promise::UnixSockets),
            rule: format!(
                "`unix-sockets = [{:?}]` ({}): single socket files before Linux 7.1",
                rule.path, rule.origin
            ),
            remedy: ANOTHER,
        }));
    }
    gaps
}

/// What holds for ordinary users only.
fn by_user(circumstances: &Circumstances<'_>) -> Option<Gap> {
    let rule = "`limits.processes` (the kernel does not count root's processes)".to_owned();
    let remedy = "run as another user, or where a cgroup is delegated";
    let is_open = circumstances.root && circumstances.limits.processes.is_some();
    is_open.then_some(Gap { promise: Some(Promise::Limits), rule, remedy })
}

/// Rules that take something back below a grant, which no Landlock rule can.
fn by_rule(circumstances: &Circumstances<'_>) -> Vec<Gap> {
    circumstances
        .filesystem
        .rules
        .iter()
        .filter_map(|rule| {
            let promise = match rule.access {
                // Nothing is there, so there is nothing to hide.
                Access::Deny if rule.kind == Kind::Absent => return None,
                Access::Deny => Some(Promise::Deny),
                Access::Protect => Some(Promise::Protect),
                Access::Read => None,
                Access::Write => return None,
            };
            let above = grant_above(circumstances, rule)?;
            let remedy = if promise.is_some() { ANOTHER } else { RULES };
            Some(Gap { promise, rule: format!("{} below {above}", describe(rule)), remedy })
        })
        .collect()
}

/// The grant that opens what `rule` means to close.
fn grant_above(circumstances: &Circumstances<'_>, rule: &Rule) -> Option<String> {
    // At the same path the stronger word decides, and no grant is made.
    let mut rules = circumstances.filesystem.rules.iter();
    let written = rules.find(|other| {
        opens(other.access, rule.access)
            && rule.path.starts_with(&other.path)
            && other.path != rule.path
    });
    if let Some(other) = written {
        return Some(describe(other));
    }
    let under = |path: &&PathBuf| rule.path.starts_with(path) && rule.path != **path;
    let implied = circumstances.implied.iter().find(under)?;
    (rule.access == Access::Deny)
        .then(|| format!("`{}`, which every command can read", implied.display()))
}

/// Whether a grant of `granted` undoes a rule of `closing` below it.
fn opens(granted: Access, closing: Access) -> bool {
    match closing {
        Access::Deny => granted.grants(),
        Access::Protect | Access::Read => granted == Access::Write,
        Access::Write => false,
    }
}

fn describe(rule: &Rule) -> String {
    format!("`{} = [{:?}]` ({})", rule.access.as_str(), rule.path, rule.origin)
}

fn gap(promise: Promise, what: &str) -> Gap {
    Gap { promise: Some(promise), rule: format!("`{promise}` {what}"), remedy: ANOTHER }
}

#[cfg(test)]
mod tests {
    use cofferdam_profiles::Origin;
    use cofferdam_view::gaps::{accept, missing};

    use super::*;

    fn rule(access: Access, path: &str, kind: Kind) -> Rule {
        let origin = Origin { source: "test.toml".into(), line: Some(7), text: None };
        let (path, written) = (PathBuf::from(path), PathBuf::from(path));
        Rule { access, path, kind, links: Vec::new(), written, origin }
    }

    fn gaps(abi: i32, rules: Vec<Rule>, network: &Network, limits: &Limits) -> Vec<Gap> {
        of(&Circumstances {
            filesystem: &Filesystem { rules, ..Filesystem::default() },
            network,
            limits,
            abi: Abi::from_version(abi),
            root: true,
            implied: &[PathBuf::from("/proc")],
            reach: None,
            refuses_sockets: false,
        })
    }

    /// The names that are missing on a kernel with this version of Landlock.
    fn missing_on(abi: i32, network: &Network) -> Vec<String> {
        missing(&gaps(abi, Vec::new(), network, &Limits::default()))
    }

    #[test]
    fn an_older_kernel_lacks_more() {
        let off = Network::default();
        let always = ["ipc", "loopback", "metadata", "processes", "pty"];
        for abi in 3..=10 {
            assert_eq!(missing_on(abi, &off), always, "version {abi}");
        }
        for abi in 1..=2 {
            assert_eq!(missing_on(abi, &off)[5], "truncate", "version {abi}");
        }
    }

    #[test]
    fn the_readme_s_table_of_kernels_is_right() {
        let readme = include_str!("../README.md");
        let (_, table) = readme.split_once("## By kernel").unwrap();
        let mut versions = 0;
        for row in table.lines().filter(|line| line.starts_with("| ")) {
            let cells: Vec<_> = row.split('|').map(str::trim).collect();
            let Ok(abi) = cells[1].parse() else { continue };
            let more: Vec<_> = missing_on(abi, &Network::default())[5..].to_vec();
            let written: Vec<_> = cells[3].split(", ").filter(|name| !name.is_empty()).collect();
            assert_eq!(written, more.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>());
            versions += 1;
        }
        assert_eq!(versions, 10);
    }

    #[test]
    fn single_socket_files_need_version_nine() {
        let socket = rule(Access::Write, "/run/agent", Kind::File);
        let sockets = UnixSockets::Paths(vec![socket]);
        let network = Network { unix_sockets: sockets, ..Network::default() };
        assert!(missing_on(8, &network).contains(&"unix-sockets".to_owned()));
        assert!(!missing_on(9, &network).contains(&"unix-sockets".to_owned()));
    }

    #[test]
    fn only_rules_that_a_grant_above_undoes_are_gaps() {
        let dir = Kind::Directory;
        let by_rule = |rules| -> Vec<String> {
            gaps(7, rules, &Network::default(), &Limits::default())
                .into_iter()
                .filter(|gap| gap.rule.contains("test.toml:7"))
                .map(|gap| gap.rule)
                .collect()
        };
        let write = || rule(Access::Write, "/w", dir);
        for undone in [
            rule(Access::Deny, "/w/d", dir),
            rule(Access::Protect, "/w/p", Kind::Absent),
            rule(Access::Read, "/w/r", dir),
        ] {
            let path = undone.path.display().to_string();
            let gaps = by_rule(vec![write(), undone]);
            assert!(gaps[0].contains(&path) && gaps[0].contains("\"/w\""), "{gaps:?}");
        }
        for kept in [
            rule(Access::Deny, "/w", dir),
            rule(Access::Deny, "/wd", dir),
            rule(Access::Deny, "/w/absent", Kind::Absent),
            rule(Access::Write, "/w/deeper", dir),
        ] {
            assert_eq!(by_rule(vec![write(), kept.clone()]), [""; 0], "{kept:?}");
        }
        assert_eq!(by_rule(vec![rule(Access::Deny, "/proc/sys", dir)]).len(), 1);
    }

    #[test]
    fn a_refusal_names_all_that_is_wrong_and_only_that() {
        let rules = vec![
            rule(Access::Write, "/w", Kind::Directory),
            rule(Access::Deny, "/w/d", Kind::Directory),
        ];
        let gaps = gaps(7, rules, &Network::default(), &Limits::default());
        let best_effort = [Promise::Ipc, Promise::Loopback, Promise::Metadata, Promise::Processes];
        let error = accept("landlock", &gaps, &best_effort.into()).unwrap_err().to_string();
        assert!(error.contains("/w/d") && error.contains("`pty`"), "{error}");
        assert!(!error.contains("`ipc`"), "{error}");
    }
}
