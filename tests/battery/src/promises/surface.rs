//! Calls of the kernel that no ordinary program needs are answered by the filter.

use crate::promise::{Class, Promise, forbidden, works};
use crate::scene::Scene;
use crate::verdict::Judged;

pub(super) const CLASS: Class = Class {
    name: "kernel",
    about: "calls that no ordinary program needs do not reach the kernel",
    rules: &["syscalls"],
    promises: PROMISES,
};

/// A promise for a call by its name.
macro_rules! unreached {
    ($($promise:literal: $call:literal,)*) => {
        &[
            forbidden("a_ring_for_requests_is_not_made", |scene| {
                scene.probe("make-ring").run()?.refused()
            }),
            forbidden("the_32_bit_entry_of_the_kernel_is_closed", |scene| {
                // A file that every run may read: what counts is whether the entry opens it.
                std::fs::write(scene.inside("file"), "text").map_err(|source| {
                    crate::verdict::Trouble::Scene { stage: "write a file", source }
                })?;
                scene.probe("read-by-32-bit-entry").arg("file").run()?.refused()
            }),
            forbidden("numbers_of_the_x32_interface_are_unknown", |scene| {
                scene.probe("call-by-x32-number").run()?.refused()
            }),
            works("a_program_can_trace_its_own_child", |scene| {
                scene.probe("start-debugger").run()?.did()
            })
            .by(&["processes"]),
            $(forbidden($promise, |scene| call(scene, $call)),)*
        ]
    };
}

const PROMISES: &[Promise] = unreached! {
    "clone3_does_not_reach_the_kernel": "clone3",
    "io_uring_setup_does_not_reach_the_kernel": "io_uring_setup",
    "io_uring_enter_does_not_reach_the_kernel": "io_uring_enter",
    "io_uring_register_does_not_reach_the_kernel": "io_uring_register",
    "fsopen_does_not_reach_the_kernel": "fsopen",
    "fsconfig_does_not_reach_the_kernel": "fsconfig",
    "fsmount_does_not_reach_the_kernel": "fsmount",
    "fspick_does_not_reach_the_kernel": "fspick",
    "move_mount_does_not_reach_the_kernel": "move_mount",
    "open_tree_does_not_reach_the_kernel": "open_tree",
    "mount_setattr_does_not_reach_the_kernel": "mount_setattr",
    "set_mempolicy_does_not_reach_the_kernel": "set_mempolicy",
    "mount_does_not_reach_the_kernel": "mount",
    "umount2_does_not_reach_the_kernel": "umount2",
    "pivot_root_does_not_reach_the_kernel": "pivot_root",
    "chroot_does_not_reach_the_kernel": "chroot",
    "setns_does_not_reach_the_kernel": "setns",
    "process_madvise_does_not_reach_the_kernel": "process_madvise",
    "pidfd_getfd_does_not_reach_the_kernel": "pidfd_getfd",
    "move_pages_does_not_reach_the_kernel": "move_pages",
    "migrate_pages_does_not_reach_the_kernel": "migrate_pages",
    "bpf_does_not_reach_the_kernel": "bpf",
    "perf_event_open_does_not_reach_the_kernel": "perf_event_open",
    "userfaultfd_does_not_reach_the_kernel": "userfaultfd",
    "keyctl_does_not_reach_the_kernel": "keyctl",
    "add_key_does_not_reach_the_kernel": "add_key",
    "request_key_does_not_reach_the_kernel": "request_key",
    "open_by_handle_at_does_not_reach_the_kernel": "open_by_handle_at",
    "name_to_handle_at_does_not_reach_the_kernel": "name_to_handle_at",
    "fanotify_init_does_not_reach_the_kernel": "fanotify_init",
    "fanotify_mark_does_not_reach_the_kernel": "fanotify_mark",
    "quotactl_does_not_reach_the_kernel": "quotactl",
    "acct_does_not_reach_the_kernel": "acct",
    "swapon_does_not_reach_the_kernel": "swapon",
    "swapoff_does_not_reach_the_kernel": "swapoff",
    "reboot_does_not_reach_the_kernel": "reboot",
    "kexec_load_does_not_reach_the_kernel": "kexec_load",
    "kexec_file_load_does_not_reach_the_kernel": "kexec_file_load",
    "init_module_does_not_reach_the_kernel": "init_module",
    "finit_module_does_not_reach_the_kernel": "finit_module",
    "delete_module_does_not_reach_the_kernel": "delete_module",
    "syslog_does_not_reach_the_kernel": "syslog",
    "settimeofday_does_not_reach_the_kernel": "settimeofday",
    "clock_settime_does_not_reach_the_kernel": "clock_settime",
    "clock_adjtime_does_not_reach_the_kernel": "clock_adjtime",
    "adjtimex_does_not_reach_the_kernel": "adjtimex",
    "sethostname_does_not_reach_the_kernel": "sethostname",
    "setdomainname_does_not_reach_the_kernel": "setdomainname",
    "personality_does_not_reach_the_kernel": "personality",
    "iopl_does_not_reach_the_kernel": "iopl",
    "ioperm_does_not_reach_the_kernel": "ioperm",
    "modify_ldt_does_not_reach_the_kernel": "modify_ldt",
};

fn call(scene: &Scene<'_>, name: &str) -> Judged {
    scene.probe("call").arg(name).run()?.refused()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::SURFACE;

    #[test]
    fn every_call_of_the_probe_has_a_promise() {
        for call in SURFACE {
            let name = format!("{}_does_not_reach_the_kernel", call.name);
            assert!(PROMISES.iter().any(|promise| promise.name == name), "{name}");
        }
    }
}
