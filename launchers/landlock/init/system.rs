//! System calls with types. The error is the error number.

mod files;
mod mounts;
mod processes;

use core::ffi::CStr;

use crate::entry::call;
use crate::numbers;

pub(crate) use files::*;
pub(crate) use mounts::*;
pub(crate) use processes::*;

pub(crate) const EPERM: u32 = 1;
pub(crate) const ENOENT: u32 = 2;
pub(crate) const ESRCH: u32 = 3;
pub(crate) const EINTR: u32 = 4;
pub(crate) const EEXIST: u32 = 17;
pub(crate) const ENODEV: u32 = 19;
pub(crate) const ENOTDIR: u32 = 20;
pub(crate) const EINVAL: u32 = 22;
pub(crate) const ETXTBSY: u32 = 26;
pub(crate) const ELOOP: u32 = 40;
pub(crate) const ESTALE: u32 = 116;

/// `AT_FDCWD`: a relative path is one of the working directory.
pub(crate) const HERE: i32 = -100;
const AT_EMPTY_PATH: usize = 0x1000;
const AT_SYMLINK_NOFOLLOW: usize = 0x100;

const O_CLOEXEC: usize = 0o2000000;

/// An open descriptor, closed at its end.
pub(crate) struct Descriptor(i32);

impl Descriptor {
    /// Takes over a descriptor by its number.
    pub(crate) fn of(number: u32) -> Descriptor {
        Descriptor(number as i32)
    }

    pub(crate) fn number(&self) -> i32 {
        self.0
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        close(self.0);
    }
}

fn path(path: &CStr) -> usize {
    path.as_ptr() as usize
}

/// A call whose arguments are numbers and strings that live through it.
fn plain(number: usize, args: [usize; 6]) -> Result<usize, u32> {
    // SAFETY: every caller in this module passes numbers, or pointers to values that it holds and that
    // the kernel only reads, unless a note there says more.
    unsafe { call(number, args) }
}

pub(crate) fn close(fd: i32) {
    let _ = plain(numbers::CLOSE, [fd as usize, 0, 0, 0, 0, 0]);
}

/// Closes every descriptor from `first` to `last`.
pub(crate) fn close_range(first: u32, last: u32) {
    if first <= last {
        let _ = plain(numbers::CLOSE_RANGE, [first as usize, last as usize, 0, 0, 0, 0]);
    }
}
