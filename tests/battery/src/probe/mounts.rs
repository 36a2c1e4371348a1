//! Tries to change what paths mean. Where it can, it makes a mount namespace of its own first, so
//! that nothing of this is left when it works without a sandbox.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, setns, unshare};
use rustix::fs::CWD;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, UnmountFlags, fsconfig_create, fsmount, fsopen, mount, mount_bind, mount_change,
    mount_remount, move_mount, open_tree, unmount,
};
use rustix::process::{PidfdFlags, getgid, getuid, pidfd_open};

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;
use super::raw;

pub(super) const WORDS: &[Word] = &[
    ("make-namespace", make_namespace),
    ("clone-namespace", clone_namespace),
    ("enter-namespace", enter_namespace),
    ("enter-namespace-by-pidfd", enter_by_pidfd),
    ("mount-tmpfs", mount_tmpfs),
    ("mount-over-and-read", bind_and_read),
    ("mount-proc", mount_proc),
    ("unmount-and-read", unmount_and_read),
    ("remount-and-write", remount_and_write),
    ("new-mount", new_mount),
    ("clone-tree", clone_tree),
    ("pivot", pivot),
    ("change-root-and-leave", change_root_and_leave),
];

/// A mount namespace of its own, if that can be had: as root, or as root of a user namespace.
fn own_namespace() {
    let made = unshare(CloneFlags::CLONE_NEWNS).is_ok() || {
        let (user, group) = (getuid(), getgid());
        let nested = unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS).is_ok();
        // A refusal shows in what comes after.
        let _ = fs::write("/proc/self/setgroups", "deny");
        let _ = fs::write("/proc/self/uid_map", format!("0 {} 1", user.as_raw()));
        let _ = fs::write("/proc/self/gid_map", format!("0 {} 1", group.as_raw()));
        nested
    };
    if made {
        let flags = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        let _ = mount_change("/", flags);
    }
}

fn flags(name: &str) -> Result<CloneFlags, Refused> {
    Ok(match name {
        "user" => CloneFlags::CLONE_NEWUSER,
        "mount" => CloneFlags::CLONE_NEWNS,
        "net" => CloneFlags::CLONE_NEWNET,
        "pid" => CloneFlags::CLONE_NEWPID,
        "ipc" => CloneFlags::CLONE_NEWIPC,
        "uts" => CloneFlags::CLONE_NEWUTS,
        "cgroup" => CloneFlags::CLONE_NEWCGROUP,
        "time" => CloneFlags::from_bits_retain(0x80),
        _ => return Err(Refused::unable("no such namespace")),
    })
}

fn make_namespace(words: &mut Arguments<'_>) -> Answer {
    unshare(flags(&words.text()?)?).step("unshare")?;
    Ok("made".to_owned())
}

fn clone_namespace(words: &mut Arguments<'_>) -> Answer {
    raw::clone_with(flags(&words.text()?)?.bits()).step("clone")?;
    Ok("made".to_owned())
}

/// Of a process, by the file of its namespace.
fn enter_namespace(words: &mut Arguments<'_>) -> Answer {
    let (process, kind) = (words.process()?, words.text()?);
    let path = format!("/proc/{}/ns/{kind}", process.as_raw_nonzero());
    let namespace = File::open(path).step("open the namespace")?;
    setns(namespace, CloneFlags::empty()).step("setns")?;
    Ok("entered".to_owned())
}

fn enter_by_pidfd(words: &mut Arguments<'_>) -> Answer {
    let process = pidfd_open(words.process()?, PidfdFlags::empty()).step("pidfd_open")?;
    setns(process, CloneFlags::CLONE_NEWNET).step("setns")?;
    Ok("entered".to_owned())
}

fn mount_tmpfs(words: &mut Arguments<'_>) -> Answer {
    own_namespace();
    mount("none", words.path()?, "tmpfs", MountFlags::empty(), None).step("mount")?;
    Ok("mounted".to_owned())
}

fn bind_and_read(words: &mut Arguments<'_>) -> Answer {
    let (source, file) = (words.path()?, words.path()?);
    own_namespace();
    fs::create_dir_all("point").step("mkdir")?;
    mount_bind(source, "point").step("mount")?;
    fs::read_to_string(Path::new("point").join(file)).step("read")
}

/// A view of the processes that is not the sandbox's own.
fn mount_proc(_: &mut Arguments<'_>) -> Answer {
    own_namespace();
    fs::create_dir_all("point").step("mkdir")?;
    mount("proc", "point", "proc", MountFlags::empty(), None).step("mount")?;
    Ok("mounted".to_owned())
}

/// Takes off whatever hides a path, as far up as there is something, and reads it.
fn unmount_and_read(words: &mut Arguments<'_>) -> Answer {
    let path = words.path()?;
    own_namespace();
    for place in path.ancestors() {
        let _ = unmount(place, UnmountFlags::DETACH);
    }
    let text = fs::read_to_string(&path).step("read")?;
    match text.is_empty() {
        true => Err(Refused::otherwise("it is empty")),
        false => Ok(text),
    }
}

fn remount_and_write(words: &mut Arguments<'_>) -> Answer {
    let path = words.path()?;
    own_namespace();
    for place in path.ancestors() {
        let _ = mount_remount(place, MountFlags::BIND, "");
        let _ = mount_remount(place, MountFlags::empty(), "");
    }
    fs::write(path, "written by the probe").step("write")?;
    Ok("wrote".to_owned())
}

/// By `fsopen`, `fsmount` and `move_mount`, which a filter may have forgotten.
fn new_mount(words: &mut Arguments<'_>) -> Answer {
    own_namespace();
    let context = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC).step("fsopen")?;
    fsconfig_create(&context).step("fsconfig")?;
    let made = fsmount(context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty());
    let made = made.step("fsmount")?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    move_mount(made, "", CWD, words.path()?, flags).step("move_mount")?;
    Ok("mounted".to_owned())
}

fn clone_tree(words: &mut Arguments<'_>) -> Answer {
    own_namespace();
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    open_tree(CWD, words.path()?, flags).step("open_tree")?;
    Ok("cloned".to_owned())
}

fn pivot(_: &mut Arguments<'_>) -> Answer {
    own_namespace();
    fs::create_dir_all("root").step("mkdir")?;
    mount("none", "root", "tmpfs", MountFlags::empty(), None).step("mount")?;
    fs::create_dir_all("root/old").step("mkdir")?;
    rustix::process::pivot_root("root", "root/old").step("pivot_root")?;
    Ok("the root is another".to_owned())
}

/// The old way out of a root: keep a place above it, make another root below, and climb.
fn change_root_and_leave(words: &mut Arguments<'_>) -> Answer {
    let secret = words.path()?;
    fs::create_dir_all("root").step("mkdir")?;
    rustix::process::chroot("root").step("chroot")?;
    let up = PathBuf::from("../".repeat(64));
    let below = secret.strip_prefix("/").unwrap_or(&secret);
    fs::read_to_string(up.join(below)).step("read")
}
