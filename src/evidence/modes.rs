//! Whether the mode of a file explains a refusal by itself. Only for what the policy shows.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Whether this user could not read it in any case. Inside there are no capabilities, so root has no
/// more than its owner's bits.
pub(super) fn forbid_reading(path: &Path) -> bool {
    match path.metadata() {
        Ok(found) if found.is_dir() => bits(&found) & 0o5 != 0o5,
        Ok(found) => bits(&found) & 0o4 == 0,
        Err(error) => error.kind() == std::io::ErrorKind::PermissionDenied,
    }
}

/// Whether it is a file that this user cannot execute in any case.
pub(super) fn forbid_executing(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && bits(&found) & 0o1 == 0)
}

/// The bits of the mode that count for this user.
fn bits(found: &Metadata) -> u32 {
    let (user, group) = (nix::unistd::geteuid().as_raw(), nix::unistd::getegid().as_raw());
    let shift = match () {
        () if found.uid() == user => 6,
        () if found.gid() == group => 3,
        () => 0,
    };
    found.mode() >> shift & 0o7
}
