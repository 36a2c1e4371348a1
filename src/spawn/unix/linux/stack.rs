//! The stack on which a child runs.

use std::ffi::c_void;
use std::io;
use std::ptr::NonNull;

/// The stack of the children that one thread makes, with a guard page below it.
#[derive(Debug)]
pub(in crate::spawn) struct Stack {
    base: NonNull<c_void>,
}

/// Room for the child's few frames and for a launcher's step; `ChildStep` promises this much.
pub(super) const STACK_SIZE: usize = 64 * 1024;
/// Covers the largest page size in use (64 KiB on some aarch64 kernels).
const GUARD_SIZE: usize = 64 * 1024;

impl Stack {
    pub(in crate::spawn) fn new() -> io::Result<Self> {
        // SAFETY: a fresh anonymous mapping at an address that the kernel chooses touches nothing.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                GUARD_SIZE + STACK_SIZE,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = Stack { base: NonNull::new(base).expect("mmap never maps page zero") };
        // SAFETY: the range lies within the mapping just made, which nothing else refers to.
        let opened = unsafe {
            libc::mprotect(
                base.byte_add(GUARD_SIZE),
                STACK_SIZE,
                libc::PROT_READ | libc::PROT_WRITE,
            )
        };
        if opened != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(stack)
    }

    /// The lowest address that may be used.
    pub(super) fn lowest(&self) -> *mut c_void {
        // SAFETY: the mapping is GUARD_SIZE + STACK_SIZE bytes long.
        unsafe { self.base.as_ptr().byte_add(GUARD_SIZE) }
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new`, and no child outlives the call that used it.
        unsafe { libc::munmap(self.base.as_ptr(), GUARD_SIZE + STACK_SIZE) };
    }
}
