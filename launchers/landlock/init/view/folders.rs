//! The folders of the host in which the things to be shown lie.

use core::ffi::CStr;

use super::paths::LONGEST;
use crate::system::{self, Descriptor, ENOENT};

/// Remembers the folder that was opened last: what a policy names lies side by side.
#[derive(Default)]
pub(crate) struct Folders {
    last: Option<Folder>,
}

struct Folder {
    path: &'static [u8],
    fd: Descriptor,
}

impl Folders {
    /// The folder of the host at an absolute path with a slash at its end. No link is followed.
    pub(crate) fn open(
        &mut self,
        host: &Descriptor,
        path: &'static [u8],
    ) -> Result<&Descriptor, u32> {
        let folder = match self.last.take().filter(|last| last.path == path) {
            Some(folder) => folder,
            None => Folder { path, fd: open(host, path)? },
        };
        Ok(&self.last.insert(folder).fd)
    }
}

fn open(host: &Descriptor, path: &[u8]) -> Result<Descriptor, u32> {
    let mut buffer = [0; LONGEST];
    let own = path.get(1..).unwrap_or_default();
    let Some(place) = buffer.get_mut(..own.len()) else { return Err(ENOENT) };
    place.copy_from_slice(own);
    let Ok(own) = CStr::from_bytes_until_nul(&buffer) else { return Err(ENOENT) };
    system::open_physical(host.number(), if own.is_empty() { c"." } else { own })
}

/// The folder around an absolute path, with the slash at its end, and the name in it.
pub(crate) fn split(path: &'static CStr) -> Result<(&'static [u8], &'static CStr), u32> {
    let bytes = path.to_bytes_with_nul();
    let slash = bytes.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    let (folder, name) = bytes.split_at_checked(slash + 1).unwrap_or((bytes, b""));
    match CStr::from_bytes_with_nul(name) {
        Ok(name) => Ok((folder, name)),
        Err(_) => Err(ENOENT),
    }
}
