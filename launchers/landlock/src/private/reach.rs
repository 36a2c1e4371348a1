//! How far the namespaces go that this system permits.

use cofferdam_profiles::NetworkMode;

/// The namespaces of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All of them.
    All,
    /// All but the one for processes: a fresh `/proc` cannot be mounted, as in containers that mask
    /// parts of it.
    AllButProcesses,
}

impl Reach {
    /// The flags for `unshare(2)`.
    pub(crate) fn flags(self, network: NetworkMode) -> u32 {
        let mut flags = libc::CLONE_NEWUSER
            | libc::CLONE_NEWNS
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS
            | libc::CLONE_NEWCGROUP;
        if self == Reach::All {
            flags |= libc::CLONE_NEWPID;
        }
        if network == NetworkMode::Off {
            flags |= libc::CLONE_NEWNET;
        }
        flags as u32
    }

    /// The flags for the namespaces in which a template is built.
    pub(crate) fn of_template(self) -> u32 {
        let own = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID;
        self.flags(NetworkMode::On) & own as u32
    }

    /// For people.
    pub(crate) fn describe(self, network: NetworkMode) -> String {
        let mut names = vec!["user", "mount", "ipc", "uts", "cgroup"];
        if self == Reach::All {
            names.push("pid");
        }
        if network == NetworkMode::Off {
            names.push("net");
        }
        names.join(", ")
    }
}
