//! What the policy asks for and bubblewrap cannot do here.

use std::path::Path;

use cofferdam_profiles::{Filesystem, Limits, Network, NetworkMode, Promise, UnixSockets};
use cofferdam_view::gaps::{Gap, unsearched};

/// What decides about gaps.
pub(crate) struct Circumstances<'a> {
    pub(crate) filesystem: &'a Filesystem,
    pub(crate) network: &'a Network,
    pub(crate) limits: Limits,
    /// Root is exempt from the limit on processes.
    pub(crate) root: bool,
    /// A readable folder in which the host may keep named pipes that a run could write to.
    pub(crate) open_pipes: Option<&'a Path>,
    /// The filter refuses Unix sockets for what lies in a readable folder.
    pub(crate) refuses_sockets: bool,
    /// Whether the kernel has Landlock's scopes (Linux 6.12).
    pub(crate) has_scopes: bool,
}

/// All gaps, in the order of their names.
pub(crate) fn of(circumstances: &Circumstances<'_>) -> Vec<Gap> {
    let network = circumstances.network;
    let mut gaps = Vec::new();
    if network.mode == NetworkMode::On && !circumstances.has_scopes {
        gaps.push(Gap {
            promise: Some(Promise::Ipc),
            rule: "`ipc` while `network.mode` is \"on\" (abstract sockets of the host share its network, and this \
                   kernel has no Landlock scopes, which came with Linux 6.12)"
                .to_owned(),
            remedy: "switch the network off",
        });
    }
    if let Some(folder) = circumstances.open_pipes {
        gaps.push(Gap {
            promise: Some(Promise::Ipc),
            rule: format!(
                "`ipc` while {folder:?} can be read (named pipes in it can be written: the kernel has no \
                 Landlock of Linux 5.19, or `[syscalls] allow` lets a run make namespaces)"
            ),
            remedy: "do not open the folder",
        });
    }
    if circumstances.root && circumstances.limits.processes.is_some() {
        gaps.push(Gap {
            promise: Some(Promise::Limits),
            rule: "`limits.processes` (the kernel does not count root's processes)".to_owned(),
            remedy: "run as another user, or where a cgroup is delegated",
        });
    }
    gaps.extend(unsearched(circumstances.filesystem));
    if let UnixSockets::Paths(rules) = &network.unix_sockets
        && circumstances.refuses_sockets
    {
        let paths: Vec<_> =
            rules.iter().map(|rule| format!("{:?} ({})", rule.path, rule.origin)).collect();
        gaps.push(Gap {
            promise: Some(Promise::UnixSockets),
            rule: format!(
                "`unix-sockets = [...]` for {} while a `read` rule opens a folder in which the host may have others",
                paths.join(", ")
            ),
            remedy: "do not open such folders",
        });
    }
    gaps
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::LazyLock;

    use cofferdam_view::gaps::{accept, missing};

    use super::*;

    static FILES: LazyLock<Filesystem> = LazyLock::new(Filesystem::default);

    fn circumstances(network: &Network) -> Circumstances<'_> {
        Circumstances {
            filesystem: &FILES,
            network,
            limits: Limits::default(),
            root: false,
            open_pipes: None,
            refuses_sockets: false,
            has_scopes: true,
        }
    }

    fn names(circumstances: &Circumstances<'_>) -> Vec<String> {
        missing(&of(circumstances))
    }

    #[test]
    fn nothing_is_missing_by_itself() {
        assert!(names(&circumstances(&Network::default())).is_empty());
        let on = Network { mode: NetworkMode::On, ..Network::default() };
        assert!(names(&circumstances(&on)).is_empty());
    }

    #[test]
    fn an_open_network_without_scopes_leaves_abstract_sockets_open() {
        let on = Network { mode: NetworkMode::On, ..Network::default() };
        let old = Circumstances { has_scopes: false, ..circumstances(&on) };
        assert_eq!(names(&old), ["ipc"]);
        let off = Network::default();
        assert!(names(&Circumstances { network: &off, ..old }).is_empty());
    }

    #[test]
    fn only_roots_processes_cannot_be_limited() {
        let network = Network::default();
        let mut limits = Limits::default();
        limits.open_files = Some(64);
        let root = Circumstances { limits, root: true, ..circumstances(&network) };
        assert!(names(&root).is_empty());
        limits.processes = Some(64);
        assert!(names(&Circumstances { limits, ..circumstances(&network) }).is_empty());
        let gaps = of(&Circumstances { limits, ..root });
        let error = accept("bubblewrap", &gaps, &BTreeSet::new()).unwrap_err();
        assert!(
            error.to_string().contains("bubblewrap launcher cannot enforce `limits.processes`")
        );
        accept("bubblewrap", &gaps, &BTreeSet::from([Promise::Limits])).unwrap();
    }

    #[test]
    fn pipes_that_stay_open_are_named_with_their_folder() {
        let network = Network::default();
        let open_pipes = Some(Path::new("/srv/x"));
        let gaps = of(&Circumstances { open_pipes, ..circumstances(&network) });
        assert_eq!(missing(&gaps), ["ipc"]);
        assert!(
            accept("bubblewrap", &gaps, &BTreeSet::new())
                .unwrap_err()
                .to_string()
                .contains("/srv/x")
        );
    }
}
