//! The system call that returns twice, on two stacks.

use std::arch::asm;
use std::io;
use std::os::fd::RawFd;

use super::Pending;
use super::child::{ChildView, run};
use super::stack::{STACK_SIZE, Stack};

/// The argument of the `clone3` system call, up to version 2 (`clone(2)`, "The clone3() system call").
#[repr(C, align(8))]
#[derive(Default)]
struct CloneArgs {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

const CLONE_CLEAR_SIGHAND: u64 = 0x1_0000_0000;
const CLONE_INTO_CGROUP: u64 = 0x2_0000_0000;
/// The size of the argument in its first version, which knows no cgroups (those came with Linux 5.7).
const WITHOUT_CGROUP: usize = 64;

/// `clone3`, or `clone` with the same sharing where a filter refuses `clone3`, as container runtimes
/// and our own filter do.
///
/// The child is made in the cgroup `group`; where only `clone` can be used, it moves there by itself.
pub(super) fn child(
    view: &mut ChildView<'_>,
    stack: &mut Stack,
    pending: &Pending,
    group: Option<RawFd>,
) -> io::Result<i32> {
    let pidfd = pending.slot();
    let shared = (libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD) as u64;
    let args = CloneArgs {
        flags: shared | CLONE_CLEAR_SIGHAND | group.map_or(0, |_| CLONE_INTO_CGROUP),
        pidfd: pidfd as u64,
        stack: stack.lowest() as u64,
        stack_size: STACK_SIZE as u64,
        cgroup: group.map_or(0, |group| group as u64),
        ..CloneArgs::default()
    };
    // SAFETY: `args` is a valid clone_args; the child starts on `stack`, which no other child uses
    // while this thread is suspended, and reads `view`, which outlives the call.
    let made = unsafe {
        let size = group.map_or(WITHOUT_CGROUP, |_| size_of::<CloneArgs>());
        clone_with(libc::SYS_clone3, [&raw const args as usize, size, 0, 0, 0], view)
    };
    // E2BIG: it knows no cgroups (before Linux 5.7).
    let refused = [libc::ENOSYS, libc::EPERM, libc::E2BIG];
    if !refused.iter().any(|errno| made == -(*errno as isize)) {
        return answer(made);
    }
    view.enters = group;
    let top = stack.lowest() as usize + STACK_SIZE;
    // SAFETY: as above; the argument order is that of the raw `clone` on x86_64 and aarch64, where
    // the third argument takes the pidfd and the last two are unused without their flags.
    answer(unsafe {
        clone_with(libc::SYS_clone, [shared as usize, top, pidfd as usize, 0, 0], view)
    })
}

fn answer(result: isize) -> io::Result<i32> {
    match result {
        pid if pid >= 0 => Ok(pid as i32),
        errno => Err(io::Error::from_raw_os_error(-errno as i32)),
    }
}

/// The raw system call that returns twice: in the parent with the child's pid, and in the child on a
/// new stack, where it calls [`run`] and never comes back.
///
/// # Safety
/// `args` must fit `number`, with CLONE_VM, CLONE_VFORK and a stack that nothing else uses.
#[cfg(target_arch = "x86_64")]
unsafe fn clone_with(number: libc::c_long, args: [usize; 5], view: &ChildView<'_>) -> isize {
    let result: isize;
    // SAFETY: in the parent only rax, rcx and r11 change, as the ABI says. The child has rsp at the
    // top of its stack (16-byte aligned), clears the frame pointer, and calls a function that never
    // returns.
    unsafe {
        asm!(
            "syscall",
            "test rax, rax",
            "jnz 2f",
            "xor ebp, ebp",
            "mov rdi, r13",
            "call r12",
            "ud2",
            "2:",
            inlateout("rax") number as isize => result,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r12") run as extern "C" fn(*const ChildView<'static>) -> !,
            in("r13") std::ptr::from_ref(view),
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    result
}

/// See the x86_64 version.
///
/// # Safety
/// As there.
#[cfg(target_arch = "aarch64")]
unsafe fn clone_with(number: libc::c_long, args: [usize; 5], view: &ChildView<'_>) -> isize {
    let result: isize;
    // SAFETY: in the parent only x0 changes. The child has sp at the top of its stack, clears the
    // frame pointer, and calls a function that never returns.
    unsafe {
        asm!(
            "svc #0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x21",
            "blr x20",
            "brk #1",
            "2:",
            in("x8") number,
            inlateout("x0") args[0] => result,
            in("x1") args[1],
            in("x2") args[2],
            in("x3") args[3],
            in("x4") args[4],
            in("x20") run as extern "C" fn(*const ChildView<'static>) -> !,
            in("x21") std::ptr::from_ref(view),
        );
    }
    result
}
