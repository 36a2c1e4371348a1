//! Linux: `openat2(2)` and `splice(2)`.

use std::ffi::OsStr;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::fs::{Mode, OFlags, ResolveFlags, fstatfs, openat2};
use rustix::io::Errno;
use rustix::pipe::{SpliceFlags, splice};

/// Opens one name in a folder: through no link, and never out of the folder.
pub(in crate::files) fn open_beneath(
    folder: BorrowedFd<'_>,
    name: &OsStr,
    flags: OFlags,
    mode: Mode,
) -> Result<OwnedFd, Errno> {
    const RESOLVE: ResolveFlags =
        ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_MAGICLINKS);
    openat2(folder, name, flags | OFlags::CLOEXEC, mode, RESOLVE)
}

/// Whether the file lies in a file system that shows the kernel, and not what somebody has stored: the
/// host would read there what it sees of itself (`statfs(2)`, "f_type").
pub(in crate::files) fn is_kernel_made(file: &OwnedFd) -> Result<bool, Errno> {
    const SHOWING: [i64; 12] = [
        0x9fa0,      // proc
        0x6265_6572, // sysfs
        0x6462_6720, // debugfs
        0x7472_6163, // tracefs
        0x0027_e0eb, // cgroup
        0x6367_7270, // cgroup2
        0xcafe_4a11, // bpf
        0x6265_6570, // configfs
        0x7363_6673, // securityfs
        0xf97c_ff8c, // selinux
        0x6165_676c, // pstore
        0xde5e_81e4, // efivarfs
    ];
    #[allow(clippy::unnecessary_cast, trivial_numeric_casts)]
    let kind = fstatfs(file)?.f_type as i64 & 0xffff_ffff;
    Ok(SHOWING.contains(&kind))
}

/// Carries up to `most` bytes between a pipe and a file within the kernel. `INVAL` where this file
/// system, or a file that is appended to, has no such way.
pub(in crate::files) fn carry(from: &OwnedFd, to: &OwnedFd, most: usize) -> Result<usize, Errno> {
    splice(from, None, to, None, most, SpliceFlags::NONBLOCK | SpliceFlags::MOVE)
}
