//! What stands below everything: the entry point, system calls, and the functions that a compiler
//! takes for granted.

use core::arch::{asm, global_asm};

#[cfg(target_arch = "x86_64")]
global_asm!(
    ".globl _start",
    "_start:",
    "xor ebp, ebp",
    "mov rdi, rsp",
    "and rsp, -16",
    "call {begin}",
    "ud2",
    begin = sym crate::begin,
);

#[cfg(target_arch = "aarch64")]
global_asm!(
    ".globl _start",
    "_start:",
    "mov x29, xzr",
    "mov x0, sp",
    "bl {begin}",
    "brk #1",
    begin = sym crate::begin,
);

/// Makes one system call. The error is the error number, above 0.
///
/// # Safety
/// The call with these arguments must be sound: pointers among them must be valid for what the kernel
/// reads or writes there.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn call(number: usize, args: [usize; 6]) -> Result<usize, u32> {
    let result: isize;
    // SAFETY: `syscall` takes the number in rax and arguments in these registers, returns in rax and
    // overwrites rcx and r11. What the call does to memory is the caller's promise.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => result,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r9") args[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    outcome(result)
}

/// See the x86_64 version.
///
/// # Safety
/// As there.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn call(number: usize, args: [usize; 6]) -> Result<usize, u32> {
    let result: isize;
    // SAFETY: `svc 0` takes the number in x8 and arguments from x0 on, and returns in x0. What the
    // call does to memory is the caller's promise.
    unsafe {
        asm!(
            "svc #0",
            in("x8") number,
            inlateout("x0") args[0] as isize => result,
            in("x1") args[1],
            in("x2") args[2],
            in("x3") args[3],
            in("x4") args[4],
            in("x5") args[5],
            options(nostack),
        );
    }
    outcome(result)
}

/// The kernel returns errors as -4095 to -1.
fn outcome(result: isize) -> Result<usize, u32> {
    match result {
        -4095..=-1 => Err(-result as u32),
        _ => Ok(result as usize),
    }
}

/// `clone(2)` with these flags, on a stack that ends at `top`, where the child calls `body` with
/// `argument` and never comes back. Returns the child's process id.
///
/// # Safety
/// With CLONE_VM the stack must be the child's alone while it lives, and `argument` must be what
/// `body` takes.
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe fn clone_onto(
    flags: usize,
    top: usize,
    body: extern "C" fn(usize) -> !,
    argument: usize,
) -> Result<usize, u32> {
    let result: isize;
    // SAFETY: in the parent only rax, rcx and r11 change. The child has rsp at the top of its own
    // stack (16-byte aligned) and calls a function that never returns.
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
            inlateout("rax") crate::numbers::CLONE as isize => result,
            in("rdi") flags,
            in("rsi") top,
            in("rdx") 0,
            in("r10") 0,
            in("r8") 0,
            in("r12") body,
            in("r13") argument,
            lateout("rcx") _,
            lateout("r11") _,
        );
    }
    outcome(result)
}

/// See the x86_64 version.
///
/// # Safety
/// As there.
#[cfg(target_arch = "aarch64")]
pub(crate) unsafe fn clone_onto(
    flags: usize,
    top: usize,
    body: extern "C" fn(usize) -> !,
    argument: usize,
) -> Result<usize, u32> {
    let result: isize;
    // SAFETY: in the parent only x0 changes. The child has sp at the top of its own stack and calls a
    // function that never returns.
    unsafe {
        asm!(
            "svc #0",
            "cbnz x0, 2f",
            "mov x29, xzr",
            "mov x0, x21",
            "blr x20",
            "brk #1",
            "2:",
            in("x8") crate::numbers::CLONE,
            inlateout("x0") flags as isize => result,
            in("x1") top,
            in("x2") 0,
            in("x3") 0,
            in("x4") 0,
            in("x20") body,
            in("x21") argument,
        );
    }
    outcome(result)
}

/// `memcpy(3)`; the compiler makes calls of it by itself.
///
/// # Safety
/// As in C.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    // SAFETY: both are valid for `count` bytes, as the caller promises; the direction flag is clear.
    unsafe {
        asm!(
            "rep movsb",
            inout("rcx") count => _,
            inout("rdi") to => _,
            inout("rsi") from => _,
            options(nostack, preserves_flags),
        );
    }
    to
}

/// See the x86_64 version.
///
/// # Safety
/// As there.
#[cfg(target_arch = "aarch64")]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    for at in 0..count {
        // SAFETY: both are valid for `count` bytes, as the caller promises.
        unsafe { *to.add(at) = *from.add(at) };
    }
    to
}

/// `memset(3)`; the compiler makes calls of it by itself.
///
/// # Safety
/// As in C.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn memset(to: *mut u8, value: i32, count: usize) -> *mut u8 {
    // SAFETY: valid for `count` bytes, as the caller promises; the direction flag is clear.
    unsafe {
        asm!(
            "rep stosb",
            inout("rcx") count => _,
            inout("rdi") to => _,
            in("al") value as u8,
            options(nostack, preserves_flags),
        );
    }
    to
}

/// See the x86_64 version.
///
/// # Safety
/// As there.
#[cfg(target_arch = "aarch64")]
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn memset(to: *mut u8, value: i32, count: usize) -> *mut u8 {
    for at in 0..count {
        // SAFETY: valid for `count` bytes, as the caller promises.
        unsafe { *to.add(at) = value as u8 };
    }
    to
}

/// `memcmp(3)`; the compiler makes calls of it by itself.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, count: usize) -> i32 {
    for at in 0..count {
        // SAFETY: both are valid for `count` bytes, as the caller promises.
        let (one, other) = unsafe { (*one.add(at), *other.add(at)) };
        if one != other {
            return i32::from(one) - i32::from(other);
        }
    }
    0
}

/// `strlen(3)`; the core library calls it.
///
/// # Safety
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn strlen(text: *const u8) -> usize {
    let mut length = 0;
    // SAFETY: the string ends with a NUL, as the caller promises.
    while unsafe { *text.add(length) } != 0 {
        length += 1;
    }
    length
}

/// The core library's own unwinding tables name it. Nothing unwinds here.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn rust_eh_personality() {}

/// Nothing here panics on purpose. If the compiler left a check in, its failure ends the process, and
/// the launcher sees an init that told nothing.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    crate::system::exit(PANICKED)
}

/// The exit code of an init that is broken.
const PANICKED: i32 = 70;
