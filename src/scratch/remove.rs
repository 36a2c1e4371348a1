//! Removal of a tree that a hostile program has filled: any depth, any modes, links to anywhere.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, fchmod, openat, unlinkat};
use rustix::io::Errno;
use rustix::path::Arg;

/// Removes `root` and all below it, as far as that is possible. It follows no link, and works from
/// descriptors, so that nothing that is moved meanwhile leads it elsewhere.
///
/// A deep tree is made flat instead of being recursed into: a directory within a directory is moved
/// up to the root, so neither the stack nor the number of open descriptors grows with the depth.
pub(super) fn tree(root: &Path) {
    let Ok(top) = open_dir(CWD, root) else { return };
    let mut next = 0_u64;
    // Each round empties the directories that lie directly in the root, and moves up what they hold.
    // It ends, because every round removes at least one of them; the bound is against surprises.
    const MOST_ROUNDS: u32 = 1_000_000;
    for _ in 0..MOST_ROUNDS {
        let entries = names(top.as_fd());
        let mut removed = false;
        for entry in &entries {
            removed |= remove_entry(top.as_fd(), entry, &mut next);
        }
        if entries.is_empty() || !removed {
            break;
        }
    }
    let _ = unlinkat(CWD, root, AtFlags::REMOVEDIR);
}

/// Removes one entry of the root, or moves its directories up. Says whether anything changed.
fn remove_entry(top: BorrowedFd<'_>, entry: &CString, next: &mut u64) -> bool {
    if unlinkat(top, entry, AtFlags::empty()).is_ok() {
        return true;
    }
    if let Ok(dir) = open_dir(top, entry) {
        for below in names(dir.as_fd()) {
            if unlinkat(&dir, &below, AtFlags::empty()).is_err() {
                move_up(dir.as_fd(), &below, top, next);
            }
        }
    }
    unlinkat(top, entry, AtFlags::REMOVEDIR).is_ok()
}

fn move_up(dir: BorrowedFd<'_>, name: &CString, top: BorrowedFd<'_>, next: &mut u64) {
    // Moving a directory changes its `..`, for which it must be writable.
    let _ = open_up(dir, name);
    for _ in 0..64 {
        *next += 1;
        let free = format!("{next:x}.moved");
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(dir, name, top, free, flags) {
            Err(Errno::EXIST) => {}
            _ => return,
        }
    }
}

/// Opens a directory for listing and emptying, whatever its mode was.
fn open_dir<P: Arg + Copy>(at: BorrowedFd<'_>, name: P) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = match openat(at, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            open_up(at, name)?;
            openat(at, name, flags, Mode::empty())?
        }
        opened => opened?,
    };
    let _ = fchmod(&dir, Mode::RWXU);
    Ok(dir)
}

/// Lets its owner do all with a directory. A link that was put there meanwhile is not followed: for
/// that, `fchmodat(2)` needs a descriptor on Linux, and `/proc` leads to what that one is.
#[cfg(target_os = "linux")]
fn open_up<P: Arg>(at: BorrowedFd<'_>, name: P) -> Result<(), Errno> {
    use std::os::fd::AsRawFd;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let place = openat(at, name, flags, Mode::empty())?;
    let path = format!("/proc/self/fd/{}", place.as_raw_fd());
    chmodat(CWD, path, Mode::RWXU, AtFlags::empty())
}

/// Lets its owner do all with a directory. A link that was put there meanwhile is not followed.
#[cfg(target_os = "macos")]
fn open_up<P: Arg>(at: BorrowedFd<'_>, name: P) -> Result<(), Errno> {
    chmodat(at, name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)
}

/// The entries of a directory, read to the end before anything is changed.
fn names(dir: BorrowedFd<'_>) -> Vec<CString> {
    let Ok(listing) = Dir::read_from(dir) else { return Vec::new() };
    listing
        .flatten()
        .filter(|entry| {
            let dots = matches!(entry.file_name().to_bytes(), b"." | b"..");
            !(dots && matches!(entry.file_type(), FileType::Directory | FileType::Unknown))
        })
        .map(|entry| entry.file_name().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_tree_deeper_than_any_path_is_removed() {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().join("root");
        fs::create_dir(&root).unwrap();
        let mut dir = open_dir(CWD, root.as_path()).unwrap();
        for _ in 0..1_000 {
            rustix::fs::mkdirat(&dir, "deeper", Mode::RWXU).unwrap();
            dir = open_dir(dir.as_fd(), "deeper").unwrap();
        }
        drop(dir);
        tree(&root);
        assert!(!root.exists());
    }

    #[test]
    fn modes_do_not_stop_it_and_links_do_not_lead_it_away() {
        let base = tempfile::tempdir().unwrap();
        let canary = base.path().join("canary");
        fs::create_dir(&canary).unwrap();
        fs::write(canary.join("file"), "alive").unwrap();
        let root = base.path().join("root");
        fs::create_dir_all(root.join("locked/inner")).unwrap();
        fs::write(root.join("locked/inner/file"), "x").unwrap();
        symlink(&canary, root.join("link")).unwrap();
        symlink(&canary, root.join("locked/link")).unwrap();
        fs::set_permissions(root.join("locked/inner"), fs::Permissions::from_mode(0o0)).unwrap();
        fs::set_permissions(root.join("locked"), fs::Permissions::from_mode(0o0)).unwrap();
        tree(&root);
        assert!(!root.exists());
        assert_eq!(fs::read_to_string(canary.join("file")).unwrap(), "alive");
    }

    #[test]
    fn a_link_in_the_place_of_a_folder_is_not_opened_up() {
        let base = tempfile::tempdir().unwrap();
        let outside = base.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::set_permissions(&outside, fs::Permissions::from_mode(0o500)).unwrap();
        symlink(&outside, base.path().join("link")).unwrap();
        let top = open_dir(CWD, base.path()).unwrap();
        assert!(open_up(top.as_fd(), "link").is_err());
        assert_eq!(fs::metadata(&outside).unwrap().permissions().mode() & 0o777, 0o500);
    }
}
