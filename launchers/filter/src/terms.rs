//! What the table depends on: the policy, and what else the launcher puts around the command.

use cofferdam_profiles::{Entry, NetworkMode, Policy, UnixSockets};

/// What a filter has to enforce, and what others enforce already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Whether the network can be reached.
    pub network: NetworkMode,
    /// Which Unix sockets the policy opens.
    pub unix_sockets: UnixSockets,
    /// The command has a network namespace of its own: internet sockets reach only itself, so they
    /// are allowed while the network is off.
    pub private_network: bool,
    /// Something else decides which socket files can be reached: a view built from nothing, or
    /// Landlock's right for socket files. Without it, `socket(AF_UNIX)` is refused for every policy
    /// but [`UnixSockets::All`].
    pub private_view: bool,
    /// The command has a process namespace of its own: a debugger finds only its own processes, so
    /// it is allowed.
    pub private_processes: bool,
    /// `[syscalls] allow`: names of calls, or of [groups](crate::GROUPS).
    pub allow: Vec<Entry<String>>,
}

impl Terms {
    /// The terms of a policy whose launcher has no namespaces and decides nothing about sockets.
    /// Set the `private_` fields to what the launcher does.
    pub fn of(policy: &Policy) -> Self {
        Terms {
            network: policy.network.mode,
            unix_sockets: policy.network.unix_sockets.clone(),
            private_network: false,
            private_view: false,
            private_processes: false,
            allow: policy.syscalls.clone(),
        }
    }
}
