//! System calls with types. The error is the error number.

use core::ffi::CStr;
use core::sync::atomic::{AtomicU32, Ordering};

use crate::entry::call;
use crate::numbers;
use crate::protocol::Identity;

pub(crate) const ENOENT: u32 = 2;
pub(crate) const EEXIST: u32 = 17;
pub(crate) const ENOTDIR: u32 = 20;
pub(crate) const EINTR: u32 = 4;
pub(crate) const EINVAL: u32 = 22;
pub(crate) const ETXTBSY: u32 = 26;
pub(crate) const ESTALE: u32 = 116;
pub(crate) const ESRCH: u32 = 3;
pub(crate) const EPERM: u32 = 1;

/// `AT_FDCWD`: a relative path is one of the working directory.
pub(crate) const HERE: i32 = -100;
const AT_EMPTY_PATH: usize = 0x1000;
const AT_RECURSIVE: usize = 0x8000;

const O_WRONLY: usize = 1;
const O_CREAT: usize = 0o100;
const O_EXCL: usize = 0o200;
const O_NOCTTY: usize = 0o400;
const O_NONBLOCK: usize = 0o4000;
const O_CLOEXEC: usize = 0o2000000;
const O_PATH: usize = 0o10000000;

/// What a file is, of `statx(2)`.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub(crate) identity: Identity,
    pub(crate) mode: u32,
    pub(crate) size: u64,
}

impl Found {
    pub(crate) fn is_folder(&self) -> bool {
        self.mode & 0o170000 == 0o040000
    }

    pub(crate) fn is_file(&self) -> bool {
        self.mode & 0o170000 == 0o100000
    }
}

/// An open descriptor, closed at its end.
pub(crate) struct Descriptor(i32);

impl Descriptor {
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
    // SAFETY: every caller in this file passes numbers, or pointers to values that it holds and that
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

pub(crate) fn exit(code: i32) -> ! {
    loop {
        let _ = plain(numbers::EXIT_GROUP, [code as usize, 0, 0, 0, 0, 0]);
    }
}

/// Opens a file to be named only. No link is followed, at any component.
pub(crate) fn open_physical(folder: i32, at: &CStr) -> Result<Descriptor, u32> {
    open_without_links(folder, at, O_PATH | O_CLOEXEC)
}

/// Opens a file for reading, without waiting for anybody. No link is followed, at any component.
pub(crate) fn open_to_read(folder: i32, at: &CStr) -> Result<Descriptor, u32> {
    open_without_links(folder, at, O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
}

fn open_without_links(folder: i32, at: &CStr, flags: usize) -> Result<Descriptor, u32> {
    const RESOLVE_NO_SYMLINKS: u64 = 4;
    let how: [u64; 3] = [flags as u64, 0, RESOLVE_NO_SYMLINKS];
    let args = [folder as usize, path(at), &raw const how as usize, size_of_val(&how), 0, 0];
    plain(numbers::OPENAT2, args).map(|fd| Descriptor(fd as i32))
}

/// Opens what a path of our own making leads to, to be named only.
pub(crate) fn open_path(folder: i32, at: &CStr) -> Result<Descriptor, u32> {
    let args = [folder as usize, path(at), O_PATH | O_CLOEXEC, 0, 0, 0];
    plain(numbers::OPENAT, args).map(|fd| Descriptor(fd as i32))
}

/// Opens an existing file for writing.
pub(crate) fn open_to_write(at: &CStr) -> Result<Descriptor, u32> {
    let args = [HERE as usize, path(at), O_WRONLY | O_CLOEXEC, 0, 0, 0];
    plain(numbers::OPENAT, args).map(|fd| Descriptor(fd as i32))
}

/// Makes a file.
pub(crate) fn create(folder: i32, at: &CStr, mode: u32) -> Result<Descriptor, u32> {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    let args = [folder as usize, path(at), flags, mode as usize, 0, 0];
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

/// Reads until `buffer` is full or the file ends.
pub(crate) fn read_all(fd: &Descriptor, buffer: &mut [u8]) -> Result<usize, u32> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..)
        && !rest.is_empty()
    {
        let args = [fd.0 as usize, rest.as_mut_ptr() as usize, rest.len(), 0, 0, 0];
        // SAFETY: the kernel writes at most `rest.len()` bytes into `rest`.
        match unsafe { call(numbers::READ, args) }? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
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
    let at =
        unsafe { call(numbers::MMAP, [0, length, PROT_READ, MAP_PRIVATE, fd as usize, 0]) }?;
    // SAFETY: `length` bytes are mapped there for as long as the process lives, and nobody has the
    // file open for writing but the launcher, which has written all it will.
    Ok(unsafe { core::slice::from_raw_parts(at as *const u8, length) })
}

/// What a descriptor stands for; `at` may be empty.
pub(crate) fn look(folder: i32, at: &CStr) -> Result<Found, u32> {
    const STATX_BASIC_STATS: usize = 0x7ff;
    // `struct statx` has 256 bytes: mode at 28, inode at 32, size at 40, the device at 136 and 140.
    let mut buffer = [0_u64; 32];
    let to = &raw mut buffer as usize;
    let args = [folder as usize, path(at), AT_EMPTY_PATH, STATX_BASIC_STATS, to, 0];
    // SAFETY: the kernel writes 256 bytes, which is what `buffer` has.
    unsafe { call(numbers::STATX, args) }?;
    let (major, minor) = (buffer[17] as u32, (buffer[17] >> 32) as u32);
    Ok(Found {
        identity: Identity { major, minor, inode: buffer[4] },
        mode: (buffer[3] >> 32) as u32 & 0xffff,
        size: buffer[5],
    })
}

pub(crate) fn change_folder(at: &CStr) -> Result<(), u32> {
    plain(numbers::CHDIR, [path(at), 0, 0, 0, 0, 0]).map(drop)
}

pub(crate) fn change_folder_to(fd: &Descriptor) -> Result<(), u32> {
    plain(numbers::FCHDIR, [fd.0 as usize, 0, 0, 0, 0, 0]).map(drop)
}

/// Sets the mask for new files and returns the old one.
pub(crate) fn mask(mask: u32) -> u32 {
    plain(numbers::UMASK, [mask as usize, 0, 0, 0, 0, 0]).unwrap_or(0o022) as u32
}

pub(crate) fn user() -> u32 {
    plain(numbers::GETEUID, [0; 6]).unwrap_or(0) as u32
}

pub(crate) fn group() -> u32 {
    plain(numbers::GETEGID, [0; 6]).unwrap_or(0) as u32
}

pub(crate) fn own_pid() -> usize {
    plain(numbers::GETPID, [0; 6]).unwrap_or(0)
}

pub(crate) fn prctl(option: usize, argument: usize) -> Result<usize, u32> {
    plain(numbers::PRCTL, [option, argument, 0, 0, 0, 0])
}

pub(crate) fn unshare(flags: u32) -> Result<(), u32> {
    plain(numbers::UNSHARE, [flags as usize, 0, 0, 0, 0, 0]).map(drop)
}

/// Joins a namespace of another process.
pub(crate) fn join(process: &Descriptor, namespace: u32) -> Result<(), u32> {
    plain(numbers::SETNS, [process.0 as usize, namespace as usize, 0, 0, 0, 0]).map(drop)
}

/// Waits until a word in memory is not 0.
pub(crate) fn wait_for_word(word: &AtomicU32) {
    const FUTEX_WAIT_PRIVATE: usize = 128;
    while word.load(Ordering::Acquire) == 0 {
        let at = word.as_ptr() as usize;
        let _ = plain(numbers::FUTEX, [at, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0]);
    }
}

/// Sets a word in memory to 1 and wakes who waits for it.
pub(crate) fn set_word(word: &AtomicU32) {
    const FUTEX_WAKE_PRIVATE: usize = 129;
    word.store(1, Ordering::Release);
    let _ = plain(numbers::FUTEX, [word.as_ptr() as usize, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0]);
}

/// `mount(2)`.
pub(crate) fn mount(
    source: &CStr,
    at: &CStr,
    kind: Option<&CStr>,
    flags: usize,
    data: Option<&CStr>,
) -> Result<(), u32> {
    let or_null = |text: Option<&CStr>| text.map_or(0, path);
    let args = [path(source), path(at), or_null(kind), flags, or_null(data), 0];
    plain(numbers::MOUNT, args).map(drop)
}

/// Takes the mount at `at` and all below it away; what still uses it keeps it.
pub(crate) fn unmount(at: &CStr) -> Result<(), u32> {
    const MNT_DETACH: usize = 2;
    plain(numbers::UMOUNT2, [path(at), MNT_DETACH, 0, 0, 0, 0]).map(drop)
}

pub(crate) fn pivot_root(new: &CStr, old: &CStr) -> Result<(), u32> {
    plain(numbers::PIVOT_ROOT, [path(new), path(old), 0, 0, 0, 0]).map(drop)
}

/// A copy of the mount that a descriptor is in, from there down, with all mounts below.
pub(crate) fn clone_tree(fd: &Descriptor) -> Result<Descriptor, u32> {
    const OPEN_TREE_CLONE: usize = 1;
    let flags = OPEN_TREE_CLONE | AT_RECURSIVE | AT_EMPTY_PATH | O_CLOEXEC;
    plain(numbers::OPEN_TREE, [fd.0 as usize, path(c""), flags, 0, 0, 0])
        .map(|fd| Descriptor(fd as i32))
}

/// Adds properties (`MOUNT_ATTR_`) to a mount, with `all` to those below it as well.
pub(crate) fn restrict_mount(
    folder: i32,
    at: &CStr,
    properties: u64,
    all: bool,
) -> Result<(), u32> {
    let attributes: [u64; 4] = [properties, 0, 0, 0];
    let flags = AT_EMPTY_PATH | if all { AT_RECURSIVE } else { 0 };
    let (from, size) = (&raw const attributes as usize, size_of_val(&attributes));
    plain(numbers::MOUNT_SETATTR, [folder as usize, path(at), flags, from, size, 0]).map(drop)
}

/// Puts a copied mount onto what `to` stands for, or onto the path `at` below it.
pub(crate) fn put_mount(tree: &Descriptor, to: i32, at: &CStr) -> Result<(), u32> {
    const FROM_EMPTY_PATH: usize = 4;
    const TO_EMPTY_PATH: usize = 0x40;
    let flags = FROM_EMPTY_PATH | TO_EMPTY_PATH;
    let args = [tree.0 as usize, path(c""), to as usize, path(at), flags, 0];
    plain(numbers::MOVE_MOUNT, args).map(drop)
}

/// A folder in memory with these permission bits, mounted nowhere yet.
pub(crate) fn memory(mode: &CStr, properties: u64) -> Result<Descriptor, u32> {
    const CLOSE_ON_EXEC: usize = 1;
    const SET_STRING: usize = 1;
    const CREATE: usize = 6;
    let fd = plain(numbers::FSOPEN, [path(c"tmpfs"), CLOSE_ON_EXEC, 0, 0, 0, 0])?;
    let context = Descriptor(fd as i32);
    plain(numbers::FSCONFIG, [fd, SET_STRING, path(c"mode"), path(mode), 0, 0])?;
    plain(numbers::FSCONFIG, [fd, CREATE, 0, 0, 0, 0])?;
    let mounted = plain(numbers::FSMOUNT, [fd, CLOSE_ON_EXEC, properties as usize, 0, 0, 0])?;
    drop(context);
    Ok(Descriptor(mounted as i32))
}

/// Waits for any child and returns its process id and wait status.
pub(crate) fn wait(pid: isize) -> Result<(usize, u32), u32> {
    const ALL_KINDS: usize = 0x4000_0000;
    let mut status = 0_u32;
    let args = [pid as usize, &raw mut status as usize, ALL_KINDS, 0, 0, 0];
    // SAFETY: the kernel writes the status, which lives here.
    let pid = unsafe { call(numbers::WAIT4, args) }?;
    Ok((pid, status))
}

/// A socket of a family and type.
pub(crate) fn socket(family: usize, kind: usize) -> Result<Descriptor, u32> {
    plain(numbers::SOCKET, [family, kind, 0, 0, 0, 0]).map(|fd| Descriptor(fd as i32))
}

/// A descriptor of a process.
pub(crate) fn open_process(pid: usize) -> Result<Descriptor, u32> {
    plain(numbers::PIDFD_OPEN, [pid, 0, 0, 0, 0, 0]).map(|fd| Descriptor(fd as i32))
}

/// Whether a descriptor can be read right now.
pub(crate) fn is_ready(fd: &Descriptor) -> Result<bool, u32> {
    #[repr(C)]
    struct Poll {
        fd: i32,
        events: u16,
        revents: u16,
    }
    let mut poll = Poll { fd: fd.0, events: 1, revents: 0 };
    let now = [0_u64; 2];
    let args = [&raw mut poll as usize, 1, &raw const now as usize, 0, 0, 0];
    // SAFETY: the kernel writes to `poll`, which lives here, and reads the time.
    unsafe { call(numbers::PPOLL, args) }.map(|ready| ready > 0)
}

/// Sends a signal to the calling process.
pub(crate) fn signal_self(signal: u32) {
    let _ = plain(numbers::KILL, [own_pid(), signal as usize, 0, 0, 0, 0]);
}

/// Replaces the set of blocked signals and returns the old one.
pub(crate) fn block_signals(set: u64) -> u64 {
    const SIG_SETMASK: usize = 2;
    let mut old = 0_u64;
    let args = [SIG_SETMASK, &raw const set as usize, &raw mut old as usize, 8, 0, 0];
    // SAFETY: the kernel reads `set` and writes `old`, eight bytes each.
    let _ = unsafe { call(numbers::RT_SIGPROCMASK, args) };
    old
}

/// Sleeps for some milliseconds, fewer than a thousand.
pub(crate) fn sleep(milliseconds: u64) {
    let time = [0, milliseconds * 1_000_000];
    let _ = plain(numbers::NANOSLEEP, [&raw const time as usize, 0, 0, 0, 0, 0]);
}
