//! What counts as delegated: a cgroup that its owner has handed to this process, to make others in.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;
use rustix::fs::{Access, AtFlags, CWD, accessat, getxattr};

/// Marks by which systemd says so of the cgroups of units with `Delegate=`.
const MARKS: [&str; 2] = ["user.delegate", "trusted.delegate"];

/// Whether a cgroup is delegated to this process.
///
/// That it can be written is not enough: root may write all of them, and a user those of every program in
/// the session, which belong to the user's service manager. So it must be marked, or it is the topmost one
/// of an ordinary user (`cgroups(7)`, "Cgroups delegation").
pub(super) fn is_delegated(cgroup: &Path) -> bool {
    is_open(cgroup) && (is_marked(cgroup) || is_topmost(cgroup))
}

/// Whether cgroups can be made in it, processes moved into them, and controllers given to them.
fn is_open(cgroup: &Path) -> bool {
    let may = |path: PathBuf| accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS).is_ok();
    ["", "cgroup.procs", "cgroup.subtree_control"].into_iter().all(|name| may(cgroup.join(name)))
}

fn is_marked(cgroup: &Path) -> bool {
    let mut value = [0_u8; 8];
    MARKS.into_iter().any(|mark| {
        let length = getxattr(cgroup, mark, &mut value[..]);
        length.is_ok_and(|length| value[..length] == *b"1")
    })
}

fn is_topmost(cgroup: &Path) -> bool {
    let owner = |path: &Path| fs::metadata(path).map(|metadata| metadata.uid()).ok();
    let own = Some(geteuid().as_raw());
    let above = cgroup.parent().and_then(owner);
    !geteuid().is_root() && owner(cgroup) == own && above.is_some() && above != own
}

/// The folder of this process's cgroup, from the texts of `/proc/self/cgroup` and `/proc/self/mountinfo`
/// (`proc(5)`). None where it is in none of version 2, or where that is not mounted.
pub(super) fn folder(cgroups: &str, mounts: &str) -> Option<PathBuf> {
    let own = Path::new(cgroups.lines().find_map(|line| line.strip_prefix("0::"))?);
    mounts.lines().find_map(|line| {
        let (mount, about) = line.split_once(" - ")?;
        if about.split(' ').next() != Some("cgroup2") {
            return None;
        }
        let mut fields = mount.split(' ').skip(3);
        let (root, at) = (fields.next()?, fields.next()?);
        // Signs that cannot stand in the list are escaped; nobody has such a mount.
        let is_plain = !root.contains('\\') && !at.contains('\\');
        // A process outside of its namespace's root is in `/../x`, which leads nowhere.
        let is_inside = !own.components().any(|part| part.as_os_str() == "..");
        let below = own.strip_prefix(root).ok().filter(|_| is_plain && is_inside)?;
        Some(Path::new(at).join(below)).map(|path| path.components().collect())
    })
}

/// Marks a folder as systemd does, unless its file system keeps no marks.
#[cfg(test)]
#[expect(clippy::print_stdout, reason = "a test that is ignored says why")]
pub(super) fn mark(folder: &Path) -> bool {
    let marked = rustix::fs::setxattr(folder, MARKS[0], b"1", rustix::fs::XattrFlags::empty());
    if marked == Err(rustix::io::Errno::NOTSUP) {
        println!("ignored, because the file system of temporary folders keeps no attributes");
        return false;
    }
    marked.unwrap();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "24 30 0:22 / /proc rw,nosuid shared:12 - proc proc rw\n\
                          35 30 0:29 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    fn found(cgroups: &str, mounts: &str) -> Option<String> {
        folder(cgroups, mounts).map(|path| path.display().to_string())
    }

    #[test]
    fn the_cgroup_is_a_folder_below_the_mount() {
        let own = "1:name=systemd:/x\n0::/system.slice/a.service\n";
        let expected = "/sys/fs/cgroup/system.slice/a.service";
        assert_eq!(found(own, MOUNTS).as_deref(), Some(expected));
        assert_eq!(found("0::/\n", MOUNTS).as_deref(), Some("/sys/fs/cgroup"));
    }

    #[test]
    fn a_mount_of_a_part_shows_what_is_below_that() {
        let mounts = "35 30 0:29 /pod/a /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        assert_eq!(found("0::/pod/a/b\n", mounts).as_deref(), Some("/sys/fs/cgroup/b"));
        assert_eq!(found("0::/pod/ab\n", mounts), None);
    }

    #[test]
    fn without_version_2_there_is_none() {
        assert_eq!(found("4:memory:/x\n", MOUNTS), None);
        assert_eq!(found("0::/\n", "24 30 0:22 / /proc rw - proc proc rw\n"), None);
        assert_eq!(found("0::/../x\n", MOUNTS), None);
    }

    #[test]
    fn a_folder_that_can_be_written_is_not_delegated_by_that_alone() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("own");
        fs::create_dir(&own).unwrap();
        assert!(!is_delegated(&own), "without the files of a cgroup");
        for file in ["cgroup.procs", "cgroup.subtree_control"] {
            fs::write(own.join(file), "").unwrap();
        }
        assert!(!is_delegated(&own), "the folder above belongs to the same user");
        assert!(!mark(&own) || is_delegated(&own));
    }
}
