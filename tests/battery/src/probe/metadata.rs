//! Looks at and changes what files are like, not what they hold.

use std::fs::{self, File, Permissions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use rustix::fs::{
    Access, AtFlags, CWD, FlockOperation, IFlags, Mode, OFlags, Timespec, Timestamps, XattrFlags,
    access, flock, fsetxattr, ioctl_getflags, ioctl_setflags, setxattr, statx, utimensat,
};

use super::Word;
use super::answer::{Answer, Step};
use super::argument::Arguments;

pub(super) const WORDS: &[Word] = &[
    ("change-mode", change_mode),
    ("change-mode-by-descriptor", change_mode_by_descriptor),
    ("change-mode-by-path-descriptor", change_mode_by_path_descriptor),
    ("change-owner", change_owner),
    ("change-times", change_times),
    ("change-times-by-descriptor", change_times_by_descriptor),
    ("change-attribute", change_attribute),
    ("change-attribute-by-descriptor", change_attribute_by_descriptor),
    ("change-flags", change_flags),
    ("look-at", look_at),
    ("look-at-link", look_at_link),
    ("look-by-statx", look_by_statx),
    ("ask-access", ask_access),
    ("watch", watch),
    ("lock", lock),
    ("enter", enter),
];

/// The mode that is set: none that a file is made with.
const MODE: u32 = 0o604;

fn done(what: &str) -> Answer {
    Ok(what.to_owned())
}

fn change_mode(words: &mut Arguments<'_>) -> Answer {
    fs::set_permissions(words.path()?, Permissions::from_mode(MODE)).step("chmod")?;
    done("changed")
}

fn change_mode_by_descriptor(words: &mut Arguments<'_>) -> Answer {
    let file = File::open(words.path()?).step("open for reading")?;
    file.set_permissions(Permissions::from_mode(MODE)).step("fchmod")?;
    done("changed")
}

fn change_mode_by_path_descriptor(words: &mut Arguments<'_>) -> Answer {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let held = rustix::fs::open(words.path()?, flags, Mode::empty()).step("open with O_PATH")?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
    fs::set_permissions(path, Permissions::from_mode(MODE)).step("chmod")?;
    done("changed")
}

/// To another user where that is root, else to itself, which changes the time of the change.
fn change_owner(words: &mut Arguments<'_>) -> Answer {
    let (path, id) = (words.path()?, words.number()?);
    std::os::unix::fs::chown(path, Some(id), None).step("chown")?;
    done("changed")
}

/// A time long ago.
fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(86400)
}

fn change_times(words: &mut Arguments<'_>) -> Answer {
    let old = Timespec { tv_sec: 86400, tv_nsec: 0 };
    let times = Timestamps { last_access: old, last_modification: old };
    utimensat(CWD, words.path()?, &times, AtFlags::empty()).step("utimensat")?;
    done("changed")
}

fn change_times_by_descriptor(words: &mut Arguments<'_>) -> Answer {
    let file = File::open(words.path()?).step("open for reading")?;
    file.set_modified(long_ago()).step("futimens")?;
    done("changed")
}

fn change_attribute(words: &mut Arguments<'_>) -> Answer {
    let path = words.path()?;
    setxattr(path, "user.probe", b"x", XattrFlags::empty()).step("setxattr")?;
    done("set")
}

fn change_attribute_by_descriptor(words: &mut Arguments<'_>) -> Answer {
    let file = File::open(words.path()?).step("open for reading")?;
    fsetxattr(file, "user.probe", b"x", XattrFlags::empty()).step("fsetxattr")?;
    done("set")
}

/// `chattr +d`, which every owner may do.
fn change_flags(words: &mut Arguments<'_>) -> Answer {
    let file = File::open(words.path()?).step("open for reading")?;
    let flags = ioctl_getflags(&file).step("read the flags")?;
    ioctl_setflags(&file, flags | IFlags::NODUMP).step("set the flags")?;
    done("set")
}

fn look_at(words: &mut Arguments<'_>) -> Answer {
    let metadata = fs::metadata(words.path()?).step("stat")?;
    Ok(format!("{} bytes", metadata.len()))
}

fn look_at_link(words: &mut Arguments<'_>) -> Answer {
    Ok(fs::read_link(words.path()?).step("readlink")?.display().to_string())
}

fn look_by_statx(words: &mut Arguments<'_>) -> Answer {
    use rustix::fs::StatxFlags;
    let seen =
        statx(CWD, words.path()?, AtFlags::empty(), StatxFlags::BASIC_STATS).step("statx")?;
    Ok(format!("{} bytes", seen.stx_size))
}

fn ask_access(words: &mut Arguments<'_>) -> Answer {
    access(words.path()?, Access::EXISTS).step("access")?;
    done("is there")
}

fn watch(words: &mut Arguments<'_>) -> Answer {
    let inotify = Inotify::init(InitFlags::IN_CLOEXEC).step("inotify_init")?;
    let path = words.path()?;
    inotify.add_watch(&path, AddWatchFlags::IN_ALL_EVENTS).step("inotify_add_watch")?;
    done("watches")
}

fn lock(words: &mut Arguments<'_>) -> Answer {
    let file = File::open(words.path()?).step("open for reading")?;
    flock(file, FlockOperation::NonBlockingLockExclusive).step("flock")?;
    done("locked")
}

fn enter(words: &mut Arguments<'_>) -> Answer {
    std::env::set_current_dir(words.path()?).step("chdir")?;
    done("entered")
}
