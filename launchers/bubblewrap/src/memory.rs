//! Files in memory, by which bubblewrap gets what must not stand on its command line.

use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::OwnedFd;

use cofferdam_launcher::LaunchError;
use nix::sys::memfd::{MFdFlags, memfd_create};

/// A file in memory that holds `bytes` and is read from its start. See `memfd_create(2)`.
///
/// A pipe would do for short texts only: nobody reads it before bubblewrap runs, so a text longer
/// than its buffer would block. Each run has its own, because duplicates share one position.
pub(crate) fn file(name: &str, bytes: &[u8]) -> Result<OwnedFd, LaunchError> {
    let fail = |source| LaunchError::System { stage: "make a file in memory", source };
    let fd = memfd_create(name, MFdFlags::MFD_CLOEXEC).map_err(|errno| fail(errno.into()))?;
    let mut file = File::from(fd);
    file.write_all(bytes).and_then(|()| file.rewind()).map_err(fail)?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_file_in_memory_is_read_from_its_start() {
        let bytes = vec![7; 100_000];
        let mut read = Vec::new();
        File::from(file("test", &bytes).unwrap()).read_to_end(&mut read).unwrap();
        assert_eq!(read, bytes);
    }
}
