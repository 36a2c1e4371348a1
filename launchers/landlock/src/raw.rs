//! System calls without the C library.
//!
//! A child step runs while the host's memory is shared, so `errno`, which libc's wrappers write to
//! the thread's storage, would be the host's. These calls touch registers only.
#![expect(unsafe_code, reason = "system calls are made here, and only here")]

/// Makes one system call. The error is the errno, a positive number.
///
/// # Safety
/// The call with these arguments must be sound: pointers among them must be valid for what the
/// kernel reads or writes there.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn call(number: libc::c_long, args: [usize; 5]) -> Result<usize, i32> {
    let result: isize;
    // SAFETY: the `syscall` instruction takes the number in rax and arguments in these registers,
    // returns in rax, and overwrites rcx and r11; it does not use the stack. What the call does to
    // memory is the caller's promise.
    unsafe {
        std::arch::asm!(
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
    outcome(result)
}

/// Makes one system call. The error is the errno, a positive number.
///
/// # Safety
/// The call with these arguments must be sound: pointers among them must be valid for what the
/// kernel reads or writes there.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn call(number: libc::c_long, args: [usize; 5]) -> Result<usize, i32> {
    let result: isize;
    // SAFETY: `svc 0` takes the number in x8 and arguments from x0 on, returns in x0, and keeps all
    // other registers and the stack. What the call does to memory is the caller's promise.
    unsafe {
        std::arch::asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") args[0] as isize => result,
            in("x1") args[1],
            in("x2") args[2],
            in("x3") args[3],
            in("x4") args[4],
            options(nostack),
        );
    }
    outcome(result)
}

/// There is no table of system calls for this processor, so `Landlock::new` has refused already.
///
/// # Safety
/// None is needed: nothing is called.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) unsafe fn call(_number: libc::c_long, _args: [usize; 5]) -> Result<usize, i32> {
    outcome(-(libc::ENOSYS as isize))
}

/// The version of the kernel's Landlock interface (`landlock_create_ruleset(2)` with the version
/// flag), 1 or more; the error is an errno.
pub(crate) fn landlock_version() -> Result<i32, i32> {
    const VERSION: usize = 1;
    // SAFETY: with this flag the call takes a null pointer and the size 0, and touches no memory.
    let version = unsafe { call(libc::SYS_landlock_create_ruleset, [0, 0, VERSION, 0, 0]) }?;
    Ok(i32::try_from(version).unwrap_or(i32::MAX))
}

/// The kernel returns errors as -4095 to -1.
fn outcome(result: isize) -> Result<usize, i32> {
    match result {
        -4095..=-1 => Err(-result as i32),
        _ => Ok(result as usize),
    }
}
