//! Mounts. See `mount(2)`, and `open_tree`, `move_mount` and `mount_setattr` beside it.

use core::ffi::CStr;

use super::{AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, Descriptor, O_CLOEXEC, path, plain};
use crate::numbers;

const AT_RECURSIVE: usize = 0x8000;
const OPEN_TREE_CLONE: usize = 1;

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
    let flags = OPEN_TREE_CLONE | AT_RECURSIVE | AT_EMPTY_PATH | O_CLOEXEC;
    plain(numbers::OPEN_TREE, [fd.0 as usize, path(c""), flags, 0, 0, 0])
        .map(|fd| Descriptor(fd as i32))
}

/// A copy of the mount at a name in a folder; of a folder with all mounts below. A link is not
/// followed.
pub(crate) fn clone_named(
    around: &Descriptor,
    name: &CStr,
    is_folder: bool,
) -> Result<Descriptor, u32> {
    let all = if is_folder { AT_RECURSIVE } else { 0 };
    let flags = OPEN_TREE_CLONE | AT_SYMLINK_NOFOLLOW | O_CLOEXEC | all;
    plain(numbers::OPEN_TREE, [around.0 as usize, path(name), flags, 0, 0, 0])
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
    file_system(c"tmpfs", &[(c"mode", Some(mode))], properties)
}

/// A folder seen through an overlay that nobody can write to, mounted nowhere yet. `blank` is the path
/// of an empty folder: an overlay that is only looked through has two layers at least.
///
/// The folder is the working directory, since the option takes paths, and in a path of somebody
/// else's a colon or a backslash would mean something.
pub(crate) fn overlay(blank: &CStr, properties: u64) -> Result<Descriptor, u32> {
    // A user namespace may mount one since Linux 5.11, with this option.
    file_system(c"overlay", &[(c"userxattr", None), (c"lowerdir", Some(blank))], properties)
}

/// A new file system with these options, mounted nowhere yet. An option without a value is a flag.
fn file_system(
    kind: &CStr,
    options: &[(&CStr, Option<&CStr>)],
    properties: u64,
) -> Result<Descriptor, u32> {
    const CLOSE_ON_EXEC: usize = 1;
    const SET_FLAG: usize = 0;
    const SET_STRING: usize = 1;
    const CREATE: usize = 6;
    let fd = plain(numbers::FSOPEN, [path(kind), CLOSE_ON_EXEC, 0, 0, 0, 0])?;
    let context = Descriptor(fd as i32);
    for (name, value) in options {
        let (command, value) = match value {
            Some(value) => (SET_STRING, path(value)),
            None => (SET_FLAG, 0),
        };
        plain(numbers::FSCONFIG, [fd, command, path(name), value, 0, 0])?;
    }
    plain(numbers::FSCONFIG, [fd, CREATE, 0, 0, 0, 0])?;
    let mounted = plain(numbers::FSMOUNT, [fd, CLOSE_ON_EXEC, properties as usize, 0, 0, 0])?;
    drop(context);
    Ok(Descriptor(mounted as i32))
}
