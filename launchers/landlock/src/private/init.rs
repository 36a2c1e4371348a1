//! The init, in a file in memory.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::OnceLock;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};

/// The program, where `build.rs` could make it.
#[cfg(has_init)]
const BYTES: &[u8] = include_bytes!(env!("COFFERDAM_INIT"));
#[cfg(not(has_init))]
const BYTES: &[u8] = &[];

/// `MFD_EXEC` (Linux 6.3): this file is a program. Older kernels refuse the flag and need none.
const EXECUTABLE: MFdFlags = MFdFlags::from_bits_retain(0x10);

/// A descriptor of the init and the path by which a child that has it execs it.
///
/// The file is made once in a process, and sealed: nobody can change a program that others start.
/// A run has a descriptor of its own, since a wrapper that stands outside must be able to hand it on.
pub(crate) fn program() -> io::Result<(OwnedFd, PathBuf)> {
    static FILE: OnceLock<File> = OnceLock::new();
    let file = match FILE.get() {
        Some(file) => file,
        None => {
            let made = make()?;
            FILE.get_or_init(|| made)
        }
    };
    let fd: OwnedFd = file.try_clone()?.into();
    let path = PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()));
    Ok((fd, path))
}

fn make() -> io::Result<File> {
    if BYTES.is_empty() {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "this build has no init"));
    }
    let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
    let fd = match memfd_create("cofferdam-init", flags | EXECUTABLE) {
        Err(Errno::EINVAL) => memfd_create("cofferdam-init", flags),
        made => made,
    }?;
    let mut file = File::from(fd);
    file.write_all(BYTES)?;
    let seals = SealFlag::F_SEAL_WRITE
        | SealFlag::F_SEAL_GROW
        | SealFlag::F_SEAL_SHRINK
        | SealFlag::F_SEAL_SEAL;
    fcntl(&file, FcntlArg::F_ADD_SEALS(seals))?;
    Ok(file)
}

/// A file in memory that holds `bytes`.
pub(crate) fn memory(bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("cofferdam-plan", MFdFlags::MFD_CLOEXEC)?);
    file.write_all(bytes)?;
    Ok(file)
}
