//! Paths, and making things at them.

use core::ffi::CStr;

use crate::protocol::step;
use crate::system::{self, ENOENT, ENOTDIR, HERE};

/// The longest path that the kernel takes (`PATH_MAX`).
pub(super) const LONGEST: usize = 4096;

pub(super) fn make_mount_point(at: &CStr, is_folder: bool) -> Result<(), u32> {
    match is_folder {
        true => make(at, |at| system::make_folder(HERE, at, 0o755)),
        false => make(at, |at| system::make_file(HERE, at, 0o444)),
    }
}

/// Makes something at a path of the new root, and the folders on the way to it. What is there already
/// is left as it is.
pub(super) fn make(at: &CStr, mut one: impl FnMut(&CStr) -> Result<(), u32>) -> Result<(), u32> {
    match one(at) {
        Err(system::EEXIST) => return Ok(()),
        Err(ENOENT) => {}
        made => return made,
    }
    let mut folder = [0_u8; LONGEST];
    for (position, byte) in at.to_bytes().iter().enumerate().take(LONGEST - 1) {
        if *byte == b'/' && position > 0 {
            let Ok(path) = CStr::from_bytes_until_nul(&folder) else { return Err(ENOENT) };
            match system::make_folder(HERE, path, 0o755) {
                Ok(()) | Err(system::EEXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        folder[position] = *byte;
    }
    match one(at) {
        Err(system::EEXIST) => Ok(()),
        made => made,
    }
}

/// `None` for something optional that is not there.
pub(super) fn if_there<T>(opened: Result<T, u32>, flags: u32) -> Result<Option<T>, u32> {
    match opened {
        Ok(fd) => Ok(Some(fd)),
        Err(ENOENT | ENOTDIR) if flags & step::OPTIONAL != 0 => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// A path without the slash at its start.
pub(super) fn relative(path: &CStr) -> &CStr {
    let bytes = path.to_bytes_with_nul();
    match CStr::from_bytes_with_nul(bytes.get(1..).unwrap_or_default()) {
        Ok(path) if !path.is_empty() => path,
        _ => c".",
    }
}
