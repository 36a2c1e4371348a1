//! What `[syscalls] allow` and private namespaces take out of the filter.

use std::collections::BTreeSet;

use cofferdam_profiles::Entry;

use crate::{FilterError, Terms, numbers};

/// Names of several calls for `[syscalls] allow`, each with the calls that it takes out of the
/// filter.
#[rustfmt::skip]
pub const GROUPS: &[(&str, &[&str])] = &[
    ("debug", &["ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "personality"]),
    ("perf", &["perf_event_open"]),
    ("userns", &[
        "clone", "clone3", "unshare", "setns", "mount", "umount2", "pivot_root", "chroot",
        "fsopen", "fsconfig", "fsmount", "fspick", "move_mount", "open_tree", "open_tree_attr",
        "mount_setattr", "statmount", "listmount", "sethostname", "setdomainname",
    ]),
];

/// What a debugger needs to work on processes that it can see.
const DEBUGGER: &[&str] = &["ptrace", "process_vm_readv", "process_vm_writev"];

/// Calls that other keys of the profile decide: an exception would undo those keys.
const SOCKET_CALLS: &[&str] =
    &["socket", "socketpair", "sendto", "sendmsg", "sendmmsg", "setsockopt"];
/// A ring makes and connects sockets unseen.
const RING_CALLS: &[&str] = &["io_uring_setup", "io_uring_enter", "io_uring_register"];

/// The calls taken out of the filter.
pub(crate) struct Exceptions {
    by_policy: BTreeSet<&'static str>,
    by_namespace: &'static [&'static str],
}

impl Exceptions {
    pub(crate) fn resolve(terms: &Terms) -> Result<Self, FilterError> {
        let mut by_policy = BTreeSet::new();
        for entry in &terms.allow {
            match GROUPS.iter().find(|group| group.0 == entry.value) {
                Some((_, calls)) => by_policy.extend(calls.iter().copied()),
                None => {
                    by_policy.insert(single(terms, entry)?);
                }
            }
        }
        let by_namespace = if terms.private_processes { DEBUGGER } else { &[] };
        Ok(Exceptions { by_policy, by_namespace })
    }

    /// The reason for which `name` is taken out, if it is.
    pub(crate) fn why(&self, name: &str) -> Option<&'static str> {
        if self.by_policy.contains(name) {
            Some("the profile allows it")
        } else if self.by_namespace.contains(&name) {
            Some("sees only processes of this run")
        } else {
            None
        }
    }
}

fn single(terms: &Terms, entry: &Entry<String>) -> Result<&'static str, FilterError> {
    let Some(name) = numbers::known(&entry.value) else {
        let groups: Vec<_> = GROUPS.iter().map(|group| group.0).collect();
        return Err(FilterError::UnknownName {
            name: entry.value.clone(),
            origin: entry.origin.clone(),
            nearest: numbers::nearest_known(&entry.value, &groups),
        });
    };
    let sockets_are_limited = !terms.internet_open() || !terms.unix_sockets_open();
    if SOCKET_CALLS.contains(&name) || RING_CALLS.contains(&name) && sockets_are_limited {
        return Err(FilterError::DecidedElsewhere {
            name: name.to_owned(),
            origin: entry.origin.clone(),
            instead: "the `[network]` table (`mode` and `unix-sockets`)",
        });
    }
    Ok(name)
}
