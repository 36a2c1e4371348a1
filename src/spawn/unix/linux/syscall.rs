//! System calls that leave libc's thread state alone.

use std::arch::asm;

/// A system call that touches no thread state: libc's own would set `errno`, which belongs to the
/// suspended thread of the host.
///
/// # Safety
/// As for the call itself.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn syscall(number: libc::c_long, args: [usize; 5]) -> isize {
    let result: isize;
    // SAFETY: the registers of the system call ABI; the kernel changes rax, rcx and r11.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// See the x86_64 version.
///
/// # Safety
/// As for the call itself.
#[cfg(target_arch = "aarch64")]
pub(super) unsafe fn syscall(number: libc::c_long, args: [usize; 5]) -> isize {
    let result: isize;
    // SAFETY: the registers of the system call ABI; the kernel changes x0.
    unsafe {
        asm!(
            "svc #0",
            in("x8") number,
            inlateout("x0") args[0] => result,
            in("x1") args[1],
            in("x2") args[2],
            in("x3") args[3],
            in("x4") args[4],
            options(nostack),
        );
    }
    result
}

/// All signals blocked in this thread, and as they were again when dropped.
pub(in crate::spawn) struct SignalsBlocked {
    before: u64,
}

impl SignalsBlocked {
    pub(in crate::spawn) fn new() -> Self {
        let (all, mut before) = (u64::MAX, 0_u64);
        // SAFETY: both sets live on this stack. The raw call, since libc's leaves out its own two.
        unsafe {
            let args = [
                libc::SIG_SETMASK as usize,
                &raw const all as usize,
                &raw mut before as usize,
                8,
                0,
            ];
            syscall(libc::SYS_rt_sigprocmask, args);
        }
        SignalsBlocked { before }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        // SAFETY: as in `new`.
        unsafe {
            let args = [libc::SIG_SETMASK as usize, &raw const self.before as usize, 0, 8, 0];
            syscall(libc::SYS_rt_sigprocmask, args);
        }
    }
}
