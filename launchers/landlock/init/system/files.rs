//! Files and folders.

use core::ffi::CStr;

use super::{AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, Descriptor, EINVAL, HERE, O_CLOEXEC, path, plain};
use crate::entry::call;
use crate::numbers;
use crate::protocol::Identity;

const O_WRONLY: usize = 1;
const O_PATH: usize = 0o10000000;

/// What a file is, of `statx(2)`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) identity: Identity,
    pub(crate) mode: u32,
}

impl Found {
    pub(crate) fn is_folder(&self) -> bool {
        self.mode & 0o170000 == 0o040000
    }

    pub(crate) fn is_link(&self) -> bool {
        self.mode & 0o170000 == 0o120000
    }
}

/// Opens a file to be named only. No link is followed, at any component.
pub(crate) fn open_physical(folder: i32, at: &CStr) -> Result<Descriptor, u32> {
    const RESOLVE_NO_SYMLINKS: u64 = 4;
    let how: [u64; 3] = [(O_PATH | O_CLOEXEC) as u64, 0, RESOLVE_NO_SYMLINKS];
    let args = [folder as usize, path(at), &raw const how as usize, size_of_val(&how), 0, 0];
    plain(numbers::OPENAT2, args).map(|fd| Descriptor(fd as i32))
}

/// Opens what a path of our own making leads to, to be named only.
pub(crate) fn open_path(folder: i32, at: &CStr) -> Result<Descriptor, u32> {
    let args = [folder as usize, path(at), O_PATH | O_CLOEXEC, 0, 0, 0];
    plain(numbers::OPENAT, args).map(|fd| Descriptor(fd as i32))
}

/// Opens an existing file for writing.
pub(crate) fn open_to_write(folder: i32, at: &CStr) -> Result<Descriptor, u32> {
    let args = [folder as usize, path(at), O_WRONLY | O_CLOEXEC, 0, 0, 0];
    plain(numbers::OPENAT, args).map(|fd| Descriptor(fd as i32))
}

/// Makes an empty file without opening it.
pub(crate) fn make_file(folder: i32, at: &CStr, mode: u32) -> Result<(), u32> {
    const S_IFREG: usize = 0o100000;
    let args = [folder as usize, path(at), S_IFREG | mode as usize, 0, 0, 0];
    plain(numbers::MKNODAT, args).map(drop)
}

pub(crate) fn make_folder(folder: i32, at: &CStr, mode: u32) -> Result<(), u32> {
    plain(numbers::MKDIRAT, [folder as usize, path(at), mode as usize, 0, 0, 0]).map(drop)
}

pub(crate) fn make_link(target: &CStr, at: &CStr) -> Result<(), u32> {
    plain(numbers::SYMLINKAT, [path(target), HERE as usize, path(at), 0, 0, 0]).map(drop)
}

pub(crate) fn remove_file(folder: i32, at: &CStr) -> Result<(), u32> {
    plain(numbers::UNLINKAT, [folder as usize, path(at), 0, 0, 0, 0]).map(drop)
}

pub(crate) fn remove_folder(folder: i32, at: &CStr) -> Result<(), u32> {
    const AT_REMOVEDIR: usize = 0x200;
    plain(numbers::UNLINKAT, [folder as usize, path(at), AT_REMOVEDIR, 0, 0, 0]).map(drop)
}

/// Writes all of `bytes`.
pub(crate) fn write_all(fd: i32, bytes: &[u8]) -> Result<(), u32> {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..)
        && !rest.is_empty()
    {
        let args = [fd as usize, rest.as_ptr() as usize, rest.len(), 0, 0, 0];
        written += plain(numbers::WRITE, args)?;
    }
    Ok(())
}

/// The length of a file.
pub(crate) fn length(fd: i32) -> Result<usize, u32> {
    const SEEK_END: usize = 2;
    plain(numbers::LSEEK, [fd as usize, 0, SEEK_END, 0, 0, 0])
}

/// Maps a whole file to be read.
pub(crate) fn map(fd: i32, length: usize) -> Result<&'static [u8], u32> {
    const PROT_READ: usize = 1;
    const MAP_PRIVATE: usize = 2;
    // SAFETY: a new mapping at an address that the kernel chooses.
    let at = unsafe { call(numbers::MMAP, [0, length, PROT_READ, MAP_PRIVATE, fd as usize, 0]) }?;
    // SAFETY: `length` bytes are mapped there for as long as the process lives, and nobody has the
    // file open for writing but the launcher, which has written all it will.
    Ok(unsafe { core::slice::from_raw_parts(at as *const u8, length) })
}

/// What a descriptor stands for; `at` may be empty. A link at its end is followed.
pub(crate) fn look(folder: i32, at: &CStr) -> Result<Found, u32> {
    look_with(folder, at, AT_EMPTY_PATH)
}

/// What is at a name in a folder, be it a link.
pub(crate) fn look_at_name(folder: &Descriptor, name: &CStr) -> Result<Found, u32> {
    look_with(folder.number(), name, AT_SYMLINK_NOFOLLOW)
}

fn look_with(folder: i32, at: &CStr, flags: usize) -> Result<Found, u32> {
    const STATX_BASIC_STATS: usize = 0x7ff;
    // `struct statx` has 256 bytes: mode at 28, inode at 32, size at 40, the device at 136 and 140.
    let mut buffer = [0_u64; 32];
    let to = &raw mut buffer as usize;
    let args = [folder as usize, path(at), flags, STATX_BASIC_STATS, to, 0];
    // SAFETY: the kernel writes 256 bytes, which is what `buffer` has.
    unsafe { call(numbers::STATX, args) }?;
    let (major, minor) = (buffer[17] as u32, (buffer[17] >> 32) as u32);
    Ok(Found {
        identity: Identity { major, minor, inode: buffer[4] },
        mode: (buffer[3] >> 32) as u32 & 0xffff,
    })
}

pub(crate) fn change_folder(at: &CStr) -> Result<(), u32> {
    plain(numbers::CHDIR, [path(at), 0, 0, 0, 0, 0]).map(drop)
}

pub(crate) fn change_folder_to(fd: &Descriptor) -> Result<(), u32> {
    plain(numbers::FCHDIR, [fd.0 as usize, 0, 0, 0, 0, 0]).map(drop)
}

/// What a link leads to.
pub(crate) fn read_link<'a>(at: &CStr, buffer: &'a mut [u8]) -> Result<&'a CStr, u32> {
    let (to, room) = (buffer.as_mut_ptr() as usize, buffer.len().saturating_sub(1));
    // SAFETY: the kernel writes `room` bytes at most, and `buffer` has one more.
    let length = unsafe { call(numbers::READLINKAT, [HERE as usize, path(at), to, room, 0, 0]) }?;
    if let Some(end) = buffer.get_mut(length) {
        *end = 0;
    }
    CStr::from_bytes_until_nul(buffer).map_err(|_| EINVAL)
}

/// Whether a descriptor is a terminal.
pub(crate) fn is_terminal(fd: i32) -> bool {
    const TCGETS: usize = 0x5401;
    // `struct termios` of the kernel has 36 bytes.
    let mut settings = [0_u64; 8];
    let args = [fd as usize, TCGETS, &raw mut settings as usize, 0, 0, 0];
    // SAFETY: the kernel writes its settings, which `settings` has room for.
    unsafe { call(numbers::IOCTL, args) }.is_ok()
}

/// Has a descriptor closed at the next exec.
pub(crate) fn close_on_exec(fd: i32) -> Result<(), u32> {
    const F_SETFD: usize = 2;
    const FD_CLOEXEC: usize = 1;
    plain(numbers::FCNTL, [fd as usize, F_SETFD, FD_CLOEXEC, 0, 0, 0]).map(drop)
}

/// Sends a descriptor over a connected Unix socket, beside a byte (`unix(7)`, SCM_RIGHTS).
pub(crate) fn send_descriptor(socket: u32, descriptor: usize) -> Result<(), u32> {
    const SOL_SOCKET: u32 = 1;
    const SCM_RIGHTS: u32 = 1;
    const MSG_NOSIGNAL: usize = 0x4000;
    // `struct cmsghdr` and what follows it, padded as the kernel reads it.
    #[repr(C)]
    struct Rights {
        length: usize,
        level: u32,
        kind: u32,
        descriptor: u32,
        padding: u32,
    }
    let (length, descriptor) = (core::mem::offset_of!(Rights, padding), descriptor as u32);
    let rights = Rights { length, level: SOL_SOCKET, kind: SCM_RIGHTS, descriptor, padding: 0 };
    let byte = 0_u8;
    let vector = [&raw const byte as usize, 1];
    let (control, room) = (&raw const rights as usize, size_of::<Rights>());
    // `struct user_msghdr`: name, its length, vectors, their count, control, its length, flags.
    let message = [0, 0, &raw const vector as usize, 1, control, room, 0];
    let args = [socket as usize, &raw const message as usize, MSG_NOSIGNAL, 0, 0, 0];
    plain(numbers::SENDMSG, args).map(drop)
}

/// Sets the mask for new files and returns the old one.
pub(crate) fn mask(mask: u32) -> u32 {
    plain(numbers::UMASK, [mask as usize, 0, 0, 0, 0, 0]).unwrap_or(0o022) as u32
}
