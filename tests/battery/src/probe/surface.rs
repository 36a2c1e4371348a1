//! Calls of the kernel that no ordinary program makes, each with arguments that do no harm where it
//! is let through: it then complains about them, which it does only after it was reached.

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;
use super::raw;

pub(super) const WORDS: &[Word] = &[("call", call), ("call-by-x32-number", by_x32_number)];

/// One call.
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(super) number: libc::c_long,
    /// Numbers, descriptors that are not open, null, and [`NOWHERE`].
    pub(super) args: [u64; 6],
    /// What a filter answers.
    refusal: i32,
}

/// An address that no process can have mapped.
const NOWHERE: u64 = 1;
/// A descriptor that is never open, or the last possible number.
const NONE: u64 = u64::MAX;

const fn absent(name: &'static str, number: libc::c_long, args: [u64; 6]) -> Call {
    Call { name, number, args, refusal: libc::ENOSYS }
}

const fn forbidden(name: &'static str, number: libc::c_long, args: [u64; 6]) -> Call {
    Call { name, number, args, refusal: libc::EPERM }
}

/// Everything in [`CALLS`] is harmless with its arguments, also for root, and writes no memory.
#[rustfmt::skip]
pub(crate) const CALLS: &[Call] = &[
    absent("clone3", libc::SYS_clone3, [0, 0, 0, 0, 0, 0]),
    absent("io_uring_setup", libc::SYS_io_uring_setup, [8, NOWHERE, 0, 0, 0, 0]),
    absent("io_uring_enter", libc::SYS_io_uring_enter, [NONE, 0, 0, 0, 0, 0]),
    absent("io_uring_register", libc::SYS_io_uring_register, [NONE, 0, 0, 0, 0, 0]),
    absent("fsopen", libc::SYS_fsopen, [NOWHERE, 0, 0, 0, 0, 0]),
    absent("fsconfig", libc::SYS_fsconfig, [NONE, 0, 0, 0, 0, 0]),
    absent("fsmount", libc::SYS_fsmount, [NONE, 0, 0, 0, 0, 0]),
    absent("fspick", libc::SYS_fspick, [NONE, NOWHERE, 0, 0, 0, 0]),
    absent("move_mount", libc::SYS_move_mount, [NONE, NOWHERE, NONE, NOWHERE, 0, 0]),
    absent("open_tree", libc::SYS_open_tree, [NONE, NOWHERE, 0, 0, 0, 0]),
    absent("mount_setattr", libc::SYS_mount_setattr, [NONE, NOWHERE, 0, 0, 0, 0]),
    absent("set_mempolicy", libc::SYS_set_mempolicy, [99, 0, 0, 0, 0, 0]),
    forbidden("mount", libc::SYS_mount, [NOWHERE, NOWHERE, NOWHERE, 0, 0, 0]),
    forbidden("umount2", libc::SYS_umount2, [NOWHERE, 0, 0, 0, 0, 0]),
    forbidden("pivot_root", libc::SYS_pivot_root, [NOWHERE, NOWHERE, 0, 0, 0, 0]),
    forbidden("chroot", libc::SYS_chroot, [NOWHERE, 0, 0, 0, 0, 0]),
    forbidden("setns", libc::SYS_setns, [NONE, 0, 0, 0, 0, 0]),
    forbidden("process_madvise", libc::SYS_process_madvise, [NONE, 0, 0, 0, 0, 0]),
    forbidden("pidfd_getfd", libc::SYS_pidfd_getfd, [NONE, 0, 0, 0, 0, 0]),
    forbidden("move_pages", libc::SYS_move_pages, [0, 0, 0, 0, 0, 0]),
    forbidden("migrate_pages", libc::SYS_migrate_pages, [0, 0, NOWHERE, NOWHERE, 0, 0]),
    forbidden("bpf", libc::SYS_bpf, [9999, NOWHERE, 8, 0, 0, 0]),
    forbidden("perf_event_open", libc::SYS_perf_event_open, [NOWHERE, 0, NONE, NONE, 0, 0]),
    forbidden("userfaultfd", libc::SYS_userfaultfd, [0xffff, 0, 0, 0, 0, 0]),
    forbidden("keyctl", libc::SYS_keyctl, [9999, 0, 0, 0, 0, 0]),
    forbidden("add_key", libc::SYS_add_key, [NOWHERE, NOWHERE, 0, 0, 0, 0]),
    forbidden("request_key", libc::SYS_request_key, [NOWHERE, NOWHERE, 0, 0, 0, 0]),
    forbidden("open_by_handle_at", libc::SYS_open_by_handle_at, [NONE, NOWHERE, 0, 0, 0, 0]),
    forbidden("name_to_handle_at", libc::SYS_name_to_handle_at, [NONE, NOWHERE, NOWHERE, NOWHERE, 0, 0]),
    forbidden("fanotify_init", libc::SYS_fanotify_init, [0xffff_ffff, 0, 0, 0, 0, 0]),
    forbidden("fanotify_mark", libc::SYS_fanotify_mark, [NONE, 0, 0, NONE, NOWHERE, 0]),
    forbidden("quotactl", libc::SYS_quotactl, [0x7fff_ff00, NOWHERE, 0, NOWHERE, 0, 0]),
    forbidden("acct", libc::SYS_acct, [NOWHERE, 0, 0, 0, 0, 0]),
    forbidden("swapon", libc::SYS_swapon, [NOWHERE, 0, 0, 0, 0, 0]),
    forbidden("swapoff", libc::SYS_swapoff, [NOWHERE, 0, 0, 0, 0, 0]),
    forbidden("reboot", libc::SYS_reboot, [0, 0, 0, 0, 0, 0]),
    forbidden("kexec_load", libc::SYS_kexec_load, [0, 999, NOWHERE, 0, 0, 0]),
    forbidden("kexec_file_load", libc::SYS_kexec_file_load, [NONE, NONE, 0, 0, 0xffff, 0]),
    forbidden("init_module", libc::SYS_init_module, [NOWHERE, 8, NOWHERE, 0, 0, 0]),
    forbidden("finit_module", libc::SYS_finit_module, [NONE, NOWHERE, 0, 0, 0, 0]),
    forbidden("delete_module", libc::SYS_delete_module, [NOWHERE, 0, 0, 0, 0, 0]),
    forbidden("syslog", libc::SYS_syslog, [99, 0, 0, 0, 0, 0]),
    forbidden("settimeofday", libc::SYS_settimeofday, [NOWHERE, 0, 0, 0, 0, 0]),
    forbidden("clock_settime", libc::SYS_clock_settime, [99, NOWHERE, 0, 0, 0, 0]),
    forbidden("clock_adjtime", libc::SYS_clock_adjtime, [99, NOWHERE, 0, 0, 0, 0]),
    forbidden("adjtimex", libc::SYS_adjtimex, [NOWHERE, 0, 0, 0, 0, 0]),
    forbidden("sethostname", libc::SYS_sethostname, [NOWHERE, 9999, 0, 0, 0, 0]),
    forbidden("setdomainname", libc::SYS_setdomainname, [NOWHERE, 9999, 0, 0, 0, 0]),
    forbidden("personality", libc::SYS_personality, [0x0040_0000, 0, 0, 0, 0, 0]),
    #[cfg(target_arch = "x86_64")]
    forbidden("iopl", libc::SYS_iopl, [99, 0, 0, 0, 0, 0]),
    #[cfg(target_arch = "x86_64")]
    forbidden("ioperm", libc::SYS_ioperm, [70_000, 1, 1, 0, 0, 0]),
    #[cfg(target_arch = "x86_64")]
    forbidden("modify_ldt", libc::SYS_modify_ldt, [0, 0, 0, 0, 0, 0]),
];

/// Whether a call is let through, whatever it then says.
fn call(words: &mut Arguments<'_>) -> Answer {
    let name = words.text()?;
    let Some(call) = CALLS.iter().find(|call| call.name == name) else {
        return Err(Refused::unable("no such call on this architecture"));
    };
    match raw::call(call) {
        Err(error) if error.raw_os_error() == Some(call.refusal) => Err(error).step("call"),
        Err(error) => Ok(format!("it was let through, and said: {error}")),
        Ok(value) => Ok(format!("it was let through, and returned {value}")),
    }
}

/// `getpid` by its number of the x32 interface, which a filter on numbers may not know.
fn by_x32_number(_: &mut Arguments<'_>) -> Answer {
    match raw::process_id_by_x32_number() {
        Ok(id) => Ok(format!("it answered {id}")),
        Err(error) => Err(error).step("getpid"),
    }
}
