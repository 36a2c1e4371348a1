//! System calls without the C library.
//!
//! A child step runs while the host's memory is shared, so `errno`, which libc's wrappers write to
//! the thread's storage, would be the host's. These calls touch registers only.
#![expect(unsafe_code, reason = "system calls are made here, and only here")]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

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

/// `struct landlock_ruleset_attr`. A kernel that knows less of it takes it as long as the rest is
/// zero.
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct Handled {
    /// Rights on files.
    pub(crate) files: u64,
    /// Rights on TCP ports (Linux 6.7).
    pub(crate) ports: u64,
    /// What is kept inside (Linux 6.12).
    pub(crate) scopes: u64,
}

/// Makes an empty ruleset, closed on exec (`landlock_create_ruleset(2)`). A right that the kernel
/// does not know is an error.
pub(crate) fn create_ruleset(handled: &Handled) -> io::Result<OwnedFd> {
    let args = [std::ptr::from_ref(handled) as usize, size_of::<Handled>(), 0, 0, 0];
    // SAFETY: the kernel reads the structure, whose size it is told, and writes nothing.
    let made = unsafe { call(libc::SYS_landlock_create_ruleset, args) };
    let fd = made.map_err(io::Error::from_raw_os_error)?;
    // SAFETY: a new descriptor, which nothing else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// Grants rights on a file or a tree (`landlock_add_rule(2)`), which an O_PATH descriptor names.
pub(crate) fn add_path_rule(
    ruleset: BorrowedFd<'_>,
    place: BorrowedFd<'_>,
    rights: u64,
) -> io::Result<()> {
    /// `struct landlock_path_beneath_attr`.
    #[repr(C, packed)]
    struct PathBeneath {
        allowed_access: u64,
        parent_fd: i32,
    }
    const PATH_BENEATH: usize = 1;
    let rule = PathBeneath { allowed_access: rights, parent_fd: place.as_raw_fd() };
    let args = [ruleset.as_raw_fd() as usize, PATH_BENEATH, &raw const rule as usize, 0, 0];
    // SAFETY: for this kind of rule the kernel reads that structure, and writes nothing.
    let added = unsafe { call(libc::SYS_landlock_add_rule, args) };
    added.map(drop).map_err(io::Error::from_raw_os_error)
}

/// The kernel returns errors as -4095 to -1.
fn outcome(result: isize) -> Result<usize, i32> {
    match result {
        -4095..=-1 => Err(-result as i32),
        _ => Ok(result as usize),
    }
}
