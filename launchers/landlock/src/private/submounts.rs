//! The mounts of this process, as far as they lie below folders of a policy.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Whether a mount lies below one of these folders, the folders themselves not counted. Where the
/// list of mounts cannot be read, one may.
pub(crate) fn lie_below(folders: &[PathBuf]) -> bool {
    match fs::read("/proc/self/mountinfo") {
        Ok(list) => points(&list).any(|point| is_below(&point, folders)),
        Err(_) => true,
    }
}

fn is_below(point: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| point != folder && point.starts_with(folder))
}

/// The mount points: the fifth word of every line (`proc_pid_mountinfo(5)`).
fn points(list: &[u8]) -> impl Iterator<Item = PathBuf> {
    let fifth = |line: &[u8]| line.split(|byte| *byte == b' ').nth(4).map(unescaped);
    list.split(|byte| *byte == b'\n').filter_map(fifth)
}

/// Blanks and backslashes stand as three octal digits after a backslash.
fn unescaped(word: &[u8]) -> PathBuf {
    let mut path = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((byte, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|_| *byte == b'\\');
        let code = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|code| u8::from_str_radix(code, 8).ok()) {
            Some(code) => {
                path.push(code);
                rest = &after[3..];
            }
            None => {
                path.push(*byte);
                rest = after;
            }
        }
    }
    PathBuf::from(OsString::from_vec(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &[u8] = b"22 27 0:20 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n\
                          31 27 0:27 / /srv/a\\040b/c rw - tmpfs t rw\n";

    fn lies_below(folder: &str) -> bool {
        points(LIST).any(|point| is_below(&point, &[PathBuf::from(folder)]))
    }

    #[test]
    fn mounts_below_a_folder_are_found_by_whole_names() {
        assert!(lies_below("/srv") && lies_below("/srv/a b") && lies_below("/"));
        assert!(!lies_below("/srv/a") && !lies_below("/sr"));
    }

    #[test]
    fn a_mount_at_the_folder_itself_is_none_below_it() {
        assert!(!lies_below("/sys") && !lies_below("/srv/a b/c"));
    }
}
