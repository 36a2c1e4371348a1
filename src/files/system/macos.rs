//! macOS: `openat(2)` with O_NOFOLLOW for each single name.

use std::ffi::OsStr;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

/// Opens one name in a folder: through no link. A single name that is not `..` leads nowhere else.
pub(in crate::files) fn open_beneath(
    folder: BorrowedFd<'_>,
    name: &OsStr,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    openat(folder, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, mode)
}

/// Whether the file shows the kernel. There is no such file system here.
pub(in crate::files) fn is_kernel_made(_file: &OwnedFd) -> Result<bool, Errno> {
    Ok(false)
}

/// There is no way within the kernel.
pub(in crate::files) fn carry(
    _from: &OwnedFd,
    _to: &OwnedFd,
    _most: usize,
) -> Result<usize, Errno> {
    Err(Errno::INVAL)
}
