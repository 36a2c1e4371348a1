//! What is the run's own: memory, devices, processes.

use core::ffi::CStr;

use super::paths::{LONGEST, make, relative};
use super::shown::{pin, restricted};
use super::{MS_NODEV, MS_NOSUID, View};
use crate::protocol::{header, step};
use crate::system::{self, ENODEV, ENOENT, HERE};

const MS_RDONLY: usize = 1;
const MS_NOEXEC: usize = 8;
const MS_BIND: usize = 4096;

/// Devices of the host, by relative paths from its root, and where they go.
const DEVICES: [(&CStr, &CStr); 6] = [
    (c"dev/null", c"/dev/null"),
    (c"dev/zero", c"/dev/zero"),
    (c"dev/full", c"/dev/full"),
    (c"dev/random", c"/dev/random"),
    (c"dev/urandom", c"/dev/urandom"),
    (c"dev/tty", c"/dev/tty"),
];

const LINKS: [(&CStr, &CStr); 6] = [
    (c"/proc/self/fd", c"/dev/fd"),
    (c"/proc/self/fd/0", c"/dev/stdin"),
    (c"/proc/self/fd/1", c"/dev/stdout"),
    (c"/proc/self/fd/2", c"/dev/stderr"),
    (c"/proc/kcore", c"/dev/core"),
    (c"pts/ptmx", c"/dev/ptmx"),
];

impl View {
    /// A folder in memory: one of the root itself where that is in memory, as a mount of its own that
    /// stays writable, since a file system costs ten times as much.
    pub(super) fn memory(&self, to: &CStr, mode: u32) -> Result<(), u32> {
        if !self.plan.has(header::WHOLE) {
            make(to, |to| system::make_folder(HERE, to, mode))?;
            return pin(to, 0);
        }
        match self.has_ground(to)? {
            false => Ok(()),
            true => mount_memory(to, mode_option(mode)),
        }
    }

    /// A file system in memory, for what no two runs may share. On a template blank files are made
    /// in it.
    pub(super) fn fresh(&mut self, to: &CStr, mode: u32) -> Result<(), u32> {
        mount_memory(to, mode_option(mode))?;
        if self.blanks.is_none() {
            self.blanks = Some(system::open_path(HERE, to)?);
        }
        Ok(())
    }

    /// `/dev`. Everything stands in the new root, or where that is the host's own, in a folder in
    /// memory, which is then writable like `/tmp`.
    pub(super) fn devices(&self, to: &CStr, flags: u32) -> Result<(), u32> {
        if !self.has_ground(to)? {
            return Ok(());
        }
        if self.plan.has(header::WHOLE) {
            mount_memory(to, c"mode=0755")?;
        }
        system::change_folder_to(&self.host)?;
        for (from, to) in DEVICES {
            system::make_file(HERE, to, 0o666)?;
            match system::mount(from, to, None, MS_BIND, None) {
                Err(ENOENT) => system::remove_file(HERE, to)?,
                mounted => mounted?,
            }
        }
        for (target, at) in LINKS {
            system::make_link(target, at)?;
        }
        system::make_folder(HERE, c"/dev/pts", 0o755)?;
        system::make_folder(HERE, c"/dev/shm", 0o1777)?;
        system::make_folder(HERE, c"/dev/mqueue", 0o1777)?;
        if flags & step::COMMON != 0 {
            return Ok(());
        }
        mount_terminals(c"/dev/pts")?;
        mount_queues(c"/dev/mqueue")?;
        pin(c"/dev/shm", 0)?;
        self.terminal()
    }

    /// `/dev/console`: the run's own terminal, if its input is one. The host's `/dev/pts` is not in the
    /// view, so programs that ask for the terminal's name would not find it (`ttyname(3)`).
    fn terminal(&self) -> Result<(), u32> {
        if !system::is_terminal(0) {
            return Ok(());
        }
        // The working directory is the host's root, and its `/proc` knows this process too.
        let mut name = [0; LONGEST];
        let Ok(path) = system::read_link(c"proc/self/fd/0", &mut name) else { return Ok(()) };
        let Ok(terminal) = system::open_physical(self.host.number(), relative(path)) else {
            return Ok(());
        };
        let is_same = system::look(terminal.number(), c"")? == system::look(0, c"")?;
        if !is_same {
            return Ok(());
        }
        system::make_file(HERE, c"/dev/console", 0o600)?;
        let tree = restricted(&terminal, step::DEVICE)?;
        system::put_mount(&tree, HERE, c"/dev/console")
    }

    /// A fresh `/proc`. It is read-only as a whole: user 0 of the host may write to the kernel's
    /// switches without any capability.
    pub(super) fn processes(&self, to: &CStr) -> Result<(), u32> {
        if !self.has_ground(to)? {
            return Ok(());
        }
        let flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
        system::mount(c"proc", to, Some(c"proc"), flags, None)
    }

    /// Makes a folder to mount something of the run's own on. Among the host's files nothing is made,
    /// and what is no folder there is left alone.
    pub(super) fn has_ground(&self, to: &CStr) -> Result<bool, u32> {
        if !self.plan.has(header::WHOLE) {
            return make(to, |to| system::make_folder(HERE, to, 0o755)).map(|()| true);
        }
        match system::open_physical(HERE, to) {
            Ok(place) => Ok(system::look(place.number(), c"")?.is_folder()),
            Err(_) => Ok(false),
        }
    }
}

pub(super) fn mount_terminals(at: &CStr) -> Result<(), u32> {
    let options = Some(c"newinstance,ptmxmode=0666,mode=620");
    system::mount(c"devpts", at, Some(c"devpts"), MS_NOSUID | MS_NOEXEC, options)
}

/// The queues of the run's namespace (`mq_overview(7)`). They are opened by name and not by path; still
/// Landlock refuses what no rule is for, and a rule needs a path.
pub(super) fn mount_queues(at: &CStr) -> Result<(), u32> {
    let flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    match system::mount(c"mqueue", at, Some(c"mqueue"), flags, None) {
        // This kernel has none.
        Err(ENODEV) => Ok(()),
        mounted => mounted,
    }
}

fn mode_option(mode: u32) -> &'static CStr {
    if mode == 0o1777 { c"mode=1777" } else { c"mode=0755" }
}

pub(super) fn mount_memory(at: &CStr, options: &CStr) -> Result<(), u32> {
    system::mount(c"tmpfs", at, Some(c"tmpfs"), MS_NOSUID | MS_NODEV, Some(options))
}
