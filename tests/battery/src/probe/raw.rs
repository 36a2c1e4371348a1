//! The calls that have no safe face in a crate that is kept well. The probe has one thread wherever
//! one of these is made, and ends soon after.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal};

use super::surface::Call;

fn checked(value: libc::c_long) -> io::Result<libc::c_long> {
    match value {
        -1 => Err(io::Error::last_os_error()),
        value => Ok(value),
    }
}

/// Makes one of the calls of the table.
pub(super) fn call(call: &Call) -> io::Result<libc::c_long> {
    let [a, b, c, d, e, f] = call.args;
    // SAFETY: the table holds calls that write no memory with their arguments: every pointer in it
    // is null or points where nothing is mapped, so the kernel answers EFAULT.
    checked(unsafe { libc::syscall(call.number, a, b, c, d, e, f) })
}

/// `getpid` with the bit of the x32 interface.
pub(super) fn process_id_by_x32_number() -> io::Result<libc::c_long> {
    const X32: libc::c_long = 0x4000_0000;
    // SAFETY: without arguments; an unknown number answers ENOSYS.
    checked(unsafe { libc::syscall(X32 | libc::SYS_getpid) })
}

/// A new process: its id in the parent, `None` in the child.
pub(super) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: the probe has one thread here, so the child may do whatever the parent may.
    let pid = checked(unsafe { libc::fork() }.into())?;
    Ok(Pid::from_raw(pid as libc::pid_t))
}

/// A new process in new namespaces, which ends at once.
pub(super) fn clone_with(flags: libc::c_int) -> io::Result<()> {
    let flags = i64::from(flags) | i64::from(libc::SIGCHLD);
    // SAFETY: without CLONE_VM and with a null stack this is `fork`; the probe has one thread, and
    // the child calls nothing but `_exit`.
    let pid = checked(unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) })?;
    if pid == 0 {
        // SAFETY: ends the process.
        unsafe { libc::_exit(0) };
    }
    // SAFETY: a null status is not written.
    checked(unsafe { libc::waitpid(pid as libc::pid_t, std::ptr::null_mut(), 0) }.into()).map(drop)
}

/// `tgkill(2)` for the first thread of a process.
pub(super) fn kill_thread(pid: Pid, signal: Signal) -> io::Result<()> {
    let pid = pid.as_raw_nonzero().get();
    // SAFETY: numbers only.
    checked(unsafe { libc::syscall(libc::SYS_tgkill, pid, pid, signal.as_raw()) }).map(drop)
}

/// `sigqueue(3)`.
pub(super) fn queue_signal(pid: Pid, signal: Signal) -> io::Result<()> {
    let value = libc::sigval { sival_ptr: std::ptr::null_mut() };
    // SAFETY: the value is handed on, not looked into.
    let done = unsafe { libc::sigqueue(pid.as_raw_nonzero().get(), signal.as_raw(), value) };
    checked(done.into()).map(drop)
}

/// Has the kernel send this signal to that process when the descriptor becomes ready.
pub(super) fn signal_when_ready(fd: BorrowedFd<'_>, pid: Pid, signal: Signal) -> io::Result<()> {
    /// `fcntl(2)`; the libc crate has no name for it.
    const F_SETSIG: libc::c_int = 10;
    let (fd, pid) = (fd.as_raw_fd(), pid.as_raw_nonzero().get());
    for (command, value) in [
        (libc::F_SETOWN, pid),
        (F_SETSIG, signal.as_raw()),
        (libc::F_SETFL, libc::O_ASYNC | libc::O_NONBLOCK),
    ] {
        // SAFETY: these commands take numbers.
        checked(unsafe { libc::fcntl(fd, command, value) }.into())?;
    }
    Ok(())
}

/// `kcmp(2)`: whether two processes share their descriptors.
pub(super) fn compare(one: Pid, other: Pid) -> io::Result<()> {
    const KCMP_FILES: libc::c_int = 2;
    let (one, other) = (one.as_raw_nonzero().get(), other.as_raw_nonzero().get());
    // SAFETY: numbers only.
    checked(unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_FILES, 0, 0) }).map(drop)
}

/// Puts one character into a terminal's input, as if it was typed. `high` is or-ed into the request,
/// above the bits that the kernel looks at.
pub(super) fn type_into(terminal: BorrowedFd<'_>, key: u8, high: u64) -> io::Result<()> {
    let request = libc::TIOCSTI | high;
    // SAFETY: the kernel reads one byte.
    checked(unsafe {
        libc::syscall(libc::SYS_ioctl, terminal.as_raw_fd(), request, &raw const key)
    })
    .map(drop)
}

/// Asks for the state of the shift keys, the most harmless of what this request does.
pub(super) fn ask_console(terminal: BorrowedFd<'_>) -> io::Result<()> {
    const TIOCLINUX: u64 = 0x541c;
    const SHIFT_STATE: u8 = 6;
    let mut argument = SHIFT_STATE;
    // SAFETY: the kernel reads and writes one byte.
    let done = unsafe {
        libc::syscall(libc::SYS_ioctl, terminal.as_raw_fd(), TIOCLINUX, &raw mut argument)
    };
    checked(done).map(drop)
}

/// How large the segments and queues of the probe are, in bytes.
const SIZE: usize = 4096;

/// System V shared memory of this key: what stands in it, after `text` was written where that is not
/// empty. Made where it is missing and `make` says so.
pub(super) fn shared_memory(key: i32, make: bool, text: &[u8]) -> io::Result<Vec<u8>> {
    let flags = if make { libc::IPC_CREAT | 0o666 } else { 0 };
    // SAFETY: numbers only.
    let id = checked(unsafe { libc::shmget(key, SIZE, flags) }.into())? as libc::c_int;
    // SAFETY: the kernel chooses a free place.
    let place = unsafe { libc::shmat(id, std::ptr::null(), 0) };
    if place as isize == -1 {
        return Err(io::Error::last_os_error());
    }
    let place = place.cast::<u8>();
    let count = text.len().min(SIZE);
    // SAFETY: the segment has SIZE bytes at least, or shmget had failed, and nothing else in this
    // process knows it.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), place, count) };
    // SAFETY: as above; the bytes are copied out before the segment is left.
    let seen = unsafe { std::slice::from_raw_parts(place, SIZE) }.to_vec();
    // SAFETY: no reference into the segment is left.
    unsafe { libc::shmdt(place.cast()) };
    Ok(seen)
}

/// Removes System V objects of this key; those that are not there are fine.
pub(crate) fn remove_keyed(key: i32) {
    // SAFETY: IPC_RMID takes no buffer.
    unsafe {
        libc::shmctl(libc::shmget(key, 0, 0), libc::IPC_RMID, std::ptr::null_mut());
        libc::msgctl(libc::msgget(key, 0), libc::IPC_RMID, std::ptr::null_mut());
        libc::semctl(libc::semget(key, 0, 0), 0, libc::IPC_RMID);
    }
}

/// A System V message.
#[repr(C)]
struct Message {
    kind: libc::c_long,
    text: [u8; 64],
}

/// Sends a message to the System V queue of this key, made where `make` says so.
pub(super) fn send_message(key: i32, make: bool, text: &[u8]) -> io::Result<()> {
    let flags = if make { libc::IPC_CREAT | 0o666 } else { 0 };
    // SAFETY: numbers only.
    let id = checked(unsafe { libc::msgget(key, flags) }.into())? as libc::c_int;
    let mut message = Message { kind: 1, text: [0; 64] };
    let count = text.len().min(message.text.len());
    message.text[..count].copy_from_slice(&text[..count]);
    let size = message.text.len();
    // SAFETY: the kernel reads the kind and `size` bytes after it.
    let sent = unsafe { libc::msgsnd(id, (&raw const message).cast(), size, libc::IPC_NOWAIT) };
    checked(sent.into()).map(drop)
}

/// Takes a message out of the System V queue of this key.
pub(super) fn receive_message(key: i32) -> io::Result<Vec<u8>> {
    // SAFETY: numbers only.
    let id = checked(unsafe { libc::msgget(key, 0) }.into())? as libc::c_int;
    let mut message = Message { kind: 0, text: [0; 64] };
    let size = message.text.len();
    // SAFETY: the kernel writes the kind and at most `size` bytes after it.
    let got = unsafe { libc::msgrcv(id, (&raw mut message).cast(), size, 0, libc::IPC_NOWAIT) };
    checked(got as libc::c_long)?;
    Ok(message.text.to_vec())
}

/// The value of the System V semaphore of this key, after it was set where `value` is given.
pub(super) fn keyed_semaphore(key: i32, make: bool, value: Option<i32>) -> io::Result<i32> {
    let flags = if make { libc::IPC_CREAT | 0o666 } else { 0 };
    // SAFETY: numbers only.
    let id = checked(unsafe { libc::semget(key, 1, flags) }.into())? as libc::c_int;
    if let Some(value) = value {
        // SAFETY: SETVAL takes a number.
        checked(unsafe { libc::semctl(id, 0, libc::SETVAL, value) }.into())?;
    }
    // SAFETY: GETVAL takes nothing.
    Ok(checked(unsafe { libc::semctl(id, 0, libc::GETVAL) }.into())? as i32)
}

/// A POSIX semaphore with a name, on which one process waits until another posts.
pub(super) fn named_semaphore(name: &CStr) -> io::Result<()> {
    // SAFETY: a valid name, and the mode and value that O_CREAT asks for.
    let semaphore = unsafe { libc::sem_open(name.as_ptr(), libc::O_CREAT, 0o600, 0) };
    if semaphore == libc::SEM_FAILED {
        return Err(io::Error::last_os_error());
    }
    match fork()? {
        None => {
            // SAFETY: the semaphore is mapped in the child too.
            let posted = unsafe { libc::sem_post(semaphore) };
            // SAFETY: ends the process.
            unsafe { libc::_exit(posted) }
        }
        Some(_) => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            let end = now.unwrap_or_default() + Duration::from_secs(20);
            let end = libc::timespec { tv_sec: end.as_secs() as i64, tv_nsec: 0 };
            // SAFETY: both live for the length of the call.
            checked(unsafe { libc::sem_timedwait(semaphore, &raw const end) }.into())?;
            // SAFETY: a valid name.
            checked(unsafe { libc::sem_unlink(name.as_ptr()) }.into()).map(drop)
        }
    }
}

/// Adds a key to one of the process's keyrings (`-3`: that of the session, `-4`: the user's), and
/// gives its number.
pub(super) fn add_key(ring: i32, name: &str, text: &str) -> io::Result<libc::c_long> {
    let (name, text) = (CString::new(name)?, text.as_bytes());
    // SAFETY: two strings that end in NUL, and a buffer with its length.
    checked(unsafe {
        libc::syscall(
            libc::SYS_add_key,
            c"user".as_ptr(),
            name.as_ptr(),
            text.as_ptr(),
            text.len(),
            ring,
        )
    })
}

/// What a key of this name in the process's keyrings says.
pub(super) fn read_key(name: &str) -> io::Result<Vec<u8>> {
    const KEYCTL_READ: i32 = 11;
    let name = CString::new(name)?;
    let none = std::ptr::null::<libc::c_char>();
    // SAFETY: strings that end in NUL; null means that no helper is started.
    let key = checked(unsafe {
        libc::syscall(libc::SYS_request_key, c"user".as_ptr(), name.as_ptr(), none, 0)
    })?;
    let mut text = vec![0_u8; 256];
    // SAFETY: the kernel writes at most the buffer's length.
    let count = checked(unsafe {
        libc::syscall(libc::SYS_keyctl, KEYCTL_READ, key, text.as_mut_ptr(), text.len())
    })?;
    text.truncate(count as usize);
    Ok(text)
}

/// Takes a key off one of the process's keyrings.
pub(super) fn unlink_key(ring: i32, key: libc::c_long) -> io::Result<()> {
    const KEYCTL_UNLINK: i32 = 9;
    // SAFETY: numbers only.
    checked(unsafe { libc::syscall(libc::SYS_keyctl, KEYCTL_UNLINK, key, ring) }).map(drop)
}

/// A ring of io_uring.
pub(super) fn make_ring() -> io::Result<()> {
    // `struct io_uring_params` has 120 bytes, all of which may be zero.
    let mut parameters = [0_u64; 16];
    // SAFETY: the kernel reads and writes 120 bytes.
    let ring =
        checked(unsafe { libc::syscall(libc::SYS_io_uring_setup, 4, parameters.as_mut_ptr()) })?;
    // SAFETY: a descriptor that was just made.
    unsafe { libc::close(ring as libc::c_int) };
    Ok(())
}

/// Reads a file by the 32-bit entry of the kernel, whose numbers mean other calls.
#[cfg(target_arch = "x86_64")]
pub(super) fn read_by_32_bit_entry(path: &Path) -> io::Result<String> {
    const OPEN: u32 = 5;
    const READ: u32 = 3;
    let path = CString::new(path.as_os_str().as_bytes())?;
    let name = path.as_bytes_with_nul();
    // SAFETY: a new mapping at a place that the kernel chooses, below 4 GiB so that 32 bits name it.
    let low = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            2 * SIZE,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_32BIT,
            -1,
            0,
        )
    };
    if low == libc::MAP_FAILED || name.len() > SIZE {
        return Err(io::Error::last_os_error());
    }
    let (low, buffer) = (low.cast::<u8>(), low.cast::<u8>().wrapping_add(SIZE));
    // SAFETY: the name fits in the first half of the mapping.
    unsafe { std::ptr::copy_nonoverlapping(name.as_ptr(), low, name.len()) };
    let file = by_32_bit_entry(OPEN, [low as u32, 0, 0])?;
    let count = by_32_bit_entry(READ, [file, buffer as u32, SIZE as u32])?;
    // SAFETY: the second half of the mapping, of which the kernel has written `count` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(buffer, (count as usize).min(SIZE)) };
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(target_arch = "x86_64")]
fn by_32_bit_entry(number: u32, args: [u32; 3]) -> io::Result<u32> {
    let [first, second, third] = args;
    let answer: i32;
    // SAFETY: the interrupt keeps every register but the answer's and, since some kernels clear them,
    // r8 to r11; the compiler reserves rbx, so its value is swapped in and out. The callers pass
    // pointers into a mapping that nothing else uses.
    unsafe {
        std::arch::asm!(
            "xchg {first:r}, rbx",
            "int 0x80",
            "xchg {first:r}, rbx",
            first = inout(reg) u64::from(first) => _,
            inlateout("eax") number as i32 => answer,
            in("ecx") second,
            in("edx") third,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    match answer {
        error @ -4095..=-1 => Err(io::Error::from_raw_os_error(-error)),
        value => Ok(value as u32),
    }
}

/// Other architectures have no such entry in a 64-bit process.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn read_by_32_bit_entry(_: &Path) -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A page that is written and then made executable, as a compiler at run time does.
pub(super) fn map_writable_then_executable() -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let writable = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at a place that the kernel chooses.
    let page = unsafe { libc::mmap(std::ptr::null_mut(), SIZE, writable, flags, -1, 0) };
    if page == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the page was just mapped writable, and nothing else knows it.
    unsafe { page.cast::<u8>().write(0xc3) };
    // SAFETY: the same page; no reference into it is left.
    let done = unsafe { libc::mprotect(page, SIZE, libc::PROT_READ | libc::PROT_EXEC) };
    checked(done.into()).map(drop)
}
