//! The options of bubblewrap, in the order in which it carries them out. Pure text.
//!
//! See `bwrap(1)`. Later mounts lie over earlier ones, so the mounts come from the outside in, and
//! what must stay as it is becomes read-only at the end, when every mount point has been made.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::mount::{Access, Memory, Mount, Source, What};

/// One option with its operands.
pub(crate) type Words = Vec<OsString>;

/// What the options say beside the mounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// Whether the run gets a network of its own, with nothing but the loopback.
    pub(crate) private_network: bool,
    /// Whether the run may make user namespaces.
    pub(crate) nested: bool,
    /// Whether the host's whole file tree is the ground of the view.
    pub(crate) whole: bool,
    /// The working directory; `None` leaves `/`.
    pub(crate) dir: Option<&'a Path>,
    /// From where it reads the system call filter.
    pub(crate) filter: RawFd,
    /// Where it tells how it fares.
    pub(crate) status: RawFd,
}

/// All options.
pub(crate) fn options(frame: &Frame<'_>, mounts: &[Mount]) -> Vec<Words> {
    let mut options = namespaces(frame);
    options.extend(mounts.iter().map(mount));
    for mount in mounts {
        if is_sealed(&mount.what) {
            options.push(words("--remount-ro", [mount.at.as_os_str()]));
        }
    }
    if !frame.whole {
        // The folders that were made on the way to the places lie in memory.
        options.push(words("--remount-ro", ["/"]));
    }
    if let Some(dir) = frame.dir {
        options.push(words("--chdir", [dir.as_os_str()]));
    }
    options.push(words("--seccomp", [frame.filter.to_string()]));
    options.push(words("--json-status-fd", [frame.status.to_string()]));
    options
}

/// The options as bubblewrap reads them from `--args`: each word ends with a NUL.
pub(crate) fn encode(options: &[Words]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in options.iter().flatten() {
        bytes.extend_from_slice(word.as_bytes());
        bytes.push(0);
    }
    bytes
}

/// Namespaces and everything else that does not name a file.
fn namespaces(frame: &Frame<'_>) -> Vec<Words> {
    let mut flags = vec![
        // Not `--unshare-all`: there the user namespace is only tried, and root goes on without it.
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ];
    if frame.private_network {
        flags.push("--unshare-net");
    }
    if !frame.nested {
        flags.push("--disable-userns");
    }
    // No `--new-session`: the session is the run's already, made by the runner, and with one of its
    // own the command would have no terminal that controls it.
    flags.push("--die-with-parent");
    let mut options: Vec<Words> = flags.into_iter().map(|flag| vec![flag.into()]).collect();
    // Root keeps all capabilities of the new namespace otherwise, and could unmount every mask.
    options.push(words("--cap-drop", ["ALL"]));
    options
}

fn mount(mount: &Mount) -> Words {
    let at = mount.at.as_os_str();
    match &mount.what {
        What::Bind { from, access } => bind(from, *access, at),
        What::Copy { from, mode } => {
            let (fd, mode) = (from.as_raw_fd().to_string(), format!("{mode:04o}"));
            words("--perms", [&*mode, "--file", &fd]).with(at)
        }
        What::HiddenFolder { search: false } => words("--perms", ["0000", "--tmpfs"]).with(at),
        What::HiddenFolder { search: true } => words("--perms", ["0111", "--tmpfs"]).with(at),
        What::HiddenFile { empty } => {
            let fd = empty.as_raw_fd().to_string();
            words("--perms", ["0000", "--ro-bind-data", &fd]).with(at)
        }
        What::Link { target } => words("--symlink", [target.as_os_str(), at]),
        What::Memory(Memory::Temporary) => words("--perms", ["1777", "--tmpfs"]).with(at),
        What::Memory(Memory::Empty) => words("--perms", ["0755", "--tmpfs"]).with(at),
        What::Proc => words("--proc", [at]),
        What::Dev => words("--dev", [at]),
        What::Queues => words("--mqueue", [at]),
    }
}

fn bind(from: &Source, access: Access, at: &OsStr) -> Words {
    match from {
        // There is no `--dev-bind-fd`. Devices lie where no run can write.
        Source::Descriptor { path, .. } if access == Access::Device => {
            words("--dev-bind", [path.as_os_str(), at])
        }
        Source::Descriptor { fd, .. } => {
            let option = match access {
                Access::Read => "--ro-bind-fd",
                Access::Write | Access::Device => "--bind-fd",
            };
            words(option, [fd.as_raw_fd().to_string()]).with(at)
        }
        Source::Path(path) => {
            let option = match access {
                Access::Read => "--ro-bind",
                Access::Write => "--bind",
                Access::Device => "--dev-bind",
            };
            words(option, [path.as_os_str(), at])
        }
    }
}

/// Whether nothing may be made, changed or renamed in it once the view is complete. For `/proc` this
/// covers `sys`, `sysrq-trigger` and whatever a later kernel adds: user 0 of the host may write
/// there without any capability.
fn is_sealed(what: &What) -> bool {
    matches!(what, What::HiddenFolder { .. } | What::Memory(Memory::Empty) | What::Proc)
}

fn words<W: AsRef<OsStr>>(option: &str, operands: impl IntoIterator<Item = W>) -> Words {
    let operands = operands.into_iter().map(|word| word.as_ref().to_owned());
    std::iter::once(option.into()).chain(operands).collect()
}

/// Adds an operand of another type.
trait With {
    fn with(self, operand: &OsStr) -> Self;
}

impl With for Words {
    fn with(mut self, operand: &OsStr) -> Self {
        self.push(operand.to_owned());
        self
    }
}

#[cfg(test)]
mod tests;
