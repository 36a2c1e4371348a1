//! Builds what the command sees of the host's files.

use core::ffi::CStr;

use crate::plan::Plan;
use crate::protocol::{Step, header, stage, step, what};
use crate::report::{Failure, Stage, at};
use crate::system::{self, Descriptor, ENOENT, ENOTDIR, ESTALE, Found, HERE};

const MS_RDONLY: usize = 1;
const MS_NOSUID: usize = 2;
const MS_NODEV: usize = 4;
const MS_NOEXEC: usize = 8;
const MS_BIND: usize = 4096;
const MS_REC: usize = 16384;
const MS_PRIVATE: usize = 1 << 18;

const ATTR_RDONLY: u64 = 1;
const ATTR_NOSUID: u64 = 2;
const ATTR_NODEV: u64 = 4;

/// Where the new root is put before it becomes the root. It is there, since the launcher starts this
/// program through it, and what it covers is uncovered again.
const BASE: &CStr = c"/proc";
/// In the new root, and gone before the command runs.
const BLANK_FILE: &CStr = c".blank-file";
const BLANK_FOLDER: &CStr = c".blank-folder";
/// The largest file that is copied, in bytes. The largest usual ones below `/etc` have some 100 KiB.
const SMALL: usize = 256 * 1024;

/// The view while it is being built.
pub(crate) struct View {
    plan: Plan,
    /// The root of the host's files.
    host: Descriptor,
    /// Where blank files and folders can be made.
    blanks: Descriptor,
    has_blank_file: bool,
    has_blank_folder: bool,
}

impl View {
    /// Makes the root and everything in it, and leaves the host's files.
    pub(crate) fn build(plan: Plan) -> Result<(), Failure> {
        let mut view = View::root(plan).stage(at(stage::ROOT))?;
        for step in plan.steps() {
            view.take(step).stage(at(stage::STEP).path(plan.text(step.at)))?;
        }
        view.leave().stage(at(stage::LEAVE))
    }

    /// Makes the new root the root. The old one stays mounted over it, where paths do not lead, until
    /// the view is complete.
    fn root(plan: Plan) -> Result<View, u32> {
        system::mount(c"", c"/", None, MS_REC | MS_PRIVATE, None)?;
        let host = system::open_path(HERE, c"/")?;
        let whole = plan.has(header::WHOLE);
        if whole {
            let tree = system::clone_tree(&host)?;
            let attributes = ATTR_NOSUID | ATTR_NODEV | closing(plan);
            system::restrict_mount(tree.number(), c"", attributes, true)?;
            system::put_mount(&tree, HERE, BASE)?;
        } else {
            mount_memory(BASE, c"mode=0755")?;
        }
        system::change_folder(BASE)?;
        system::pivot_root(c".", c".")?;
        let blanks = if whole {
            // There is no place for them in a root that is the host's.
            system::change_folder_to(&host)?;
            mount_memory(relative(BASE), c"mode=0755")?;
            system::open_path(HERE, relative(BASE))?
        } else {
            system::open_path(HERE, c"/")?
        };
        Ok(View { plan, host, blanks, has_blank_file: false, has_blank_folder: false })
    }

    fn take(&mut self, step: &Step) -> Result<(), u32> {
        let from = self.plan.text(step.from);
        let to = self.plan.text(step.at);
        match step.what {
            what::BIND => self.bind(from, to, step.flags),
            what::COPY => self.copy(from, to, step.flags),
            what::PIN => pin(to, step.flags),
            what::HIDE => self.hide(to, step.flags),
            what::LINK => make(to, |to| system::make_link(from, to)),
            what::MEMORY => self.memory(to, step.flags),
            what::DEVICES => self.devices(to),
            what::PROCESSES => self.processes(to),
            what::SEAL => system::restrict_mount(HERE, to, ATTR_RDONLY, false),
            _ => Err(system::EINVAL),
        }
    }

    fn bind(&self, from: &CStr, to: &CStr, flags: u32) -> Result<(), u32> {
        let opened = system::open_physical(self.host.number(), relative(from));
        let Some(source) = if_there(opened, flags)? else { return Ok(()) };
        let found = system::look(source.number(), c"")?;
        let tree = restricted(&source, flags)?;
        if flags & step::OVER == 0 {
            make_mount_point(to, found)?;
            return system::put_mount(&tree, HERE, to);
        }
        // Somebody may be moving folders about in a place where runs write.
        let place = system::open_physical(HERE, to)?;
        if system::look(place.number(), c"")?.identity != found.identity {
            return Err(ESTALE);
        }
        system::put_mount(&tree, place.number(), c"")
    }

    fn copy(&self, from: &CStr, to: &CStr, flags: u32) -> Result<(), u32> {
        let opened = system::open_to_read(self.host.number(), relative(from));
        // What this user may not read is bound like other files, and stays unreadable.
        let Ok(source) = opened else { return self.bind(from, to, flags) };
        let found = system::look(source.number(), c"")?;
        let is_program = found.mode & 0o111 != 0;
        if !found.is_file() || is_program || found.size > SMALL as u64 {
            return self.bind(from, to, flags);
        }
        let mut made = None;
        make(to, |to| system::create(HERE, to, found.mode & 0o777).map(|file| made = Some(file)))?;
        let Some(copy) = made else { return Ok(()) };
        let mut buffer = [0; 8192];
        loop {
            let count = system::read_all(&source, &mut buffer)?;
            system::write_all(copy.number(), buffer.get(..count).unwrap_or_default())?;
            if count < buffer.len() {
                return Ok(());
            }
        }
    }

    fn hide(&mut self, to: &CStr, flags: u32) -> Result<(), u32> {
        let opened = system::open_physical(HERE, to);
        let Some(place) = if_there(opened, step::OPTIONAL)? else { return Ok(()) };
        let is_folder = system::look(place.number(), c"")?.is_folder();
        if is_folder && flags & step::SEARCH != 0 {
            let memory = system::memory(c"0111", ATTR_NOSUID | ATTR_NODEV)?;
            return system::put_mount(&memory, place.number(), c"");
        }
        let (name, made) = match is_folder {
            true => (BLANK_FOLDER, &mut self.has_blank_folder),
            false => (BLANK_FILE, &mut self.has_blank_file),
        };
        let blanks = self.blanks.number();
        if !core::mem::replace(made, true) {
            match is_folder {
                true => system::make_folder(blanks, name, 0)?,
                false => system::make_file(blanks, name, 0)?,
            }
        }
        let blank = system::open_path(blanks, name)?;
        system::put_mount(&restricted(&blank, step::READ_ONLY)?, place.number(), c"")
    }

    /// A folder in memory: one of the root itself where that is in memory, as a mount of its own that
    /// stays writable, since a file system costs ten times as much.
    fn memory(&self, to: &CStr, mode: u32) -> Result<(), u32> {
        if !self.plan.has(header::WHOLE) {
            make(to, |to| system::make_folder(HERE, to, mode))?;
            return pin(to, 0);
        }
        match self.has_ground(to)? {
            false => Ok(()),
            true if mode == 0o1777 => mount_memory(to, c"mode=1777"),
            true => mount_memory(to, c"mode=0755"),
        }
    }

    /// `/dev`. Everything stands in the new root, or where that is the host's own, in a folder in
    /// memory, which is then writable like `/tmp`.
    fn devices(&self, to: &CStr) -> Result<(), u32> {
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
        let options = Some(c"newinstance,ptmxmode=0666,mode=620");
        system::mount(c"devpts", c"/dev/pts", Some(c"devpts"), MS_NOSUID | MS_NOEXEC, options)?;
        system::make_folder(HERE, c"/dev/shm", 0o1777)?;
        pin(c"/dev/shm", 0)
    }

    /// A fresh `/proc`. It is read-only as a whole: user 0 of the host may write to the kernel's
    /// switches without any capability.
    fn processes(&self, to: &CStr) -> Result<(), u32> {
        if !self.has_ground(to)? {
            return Ok(());
        }
        let flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
        system::mount(c"proc", to, Some(c"proc"), flags, None)
    }

    /// Makes a folder to mount something of the run's own on. Among the host's files nothing is made,
    /// and what is no folder there is left alone.
    fn has_ground(&self, to: &CStr) -> Result<bool, u32> {
        if !self.plan.has(header::WHOLE) {
            return make(to, |to| system::make_folder(HERE, to, 0o755)).map(|()| true);
        }
        match system::open_physical(HERE, to) {
            Ok(place) => Ok(system::look(place.number(), c"")?.is_folder()),
            Err(_) => Ok(false),
        }
    }

    /// Takes away all that was needed to build, and the host's files with it.
    fn leave(self) -> Result<(), u32> {
        if self.has_blank_file {
            system::remove_file(self.blanks.number(), BLANK_FILE)?;
        }
        if self.has_blank_folder {
            system::remove_folder(self.blanks.number(), BLANK_FOLDER)?;
        }
        system::restrict_mount(HERE, c"/", closing(self.plan), false)?;
        system::change_folder_to(&self.host)?;
        system::unmount(c".")?;
        system::change_folder(c"/")
    }
}

/// What makes the root read-only, unless the plan says otherwise.
fn closing(plan: Plan) -> u64 {
    if plan.has(header::WRITABLE) { 0 } else { ATTR_RDONLY }
}

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

/// Makes what is at a path a mount of its own: a mount can be neither renamed nor removed.
fn pin(to: &CStr, flags: u32) -> Result<(), u32> {
    let Some(place) = if_there(system::open_physical(HERE, to), flags)? else { return Ok(()) };
    system::put_mount(&restricted(&place, flags)?, place.number(), c"")
}

/// A copy of the mounts at a file, restricted as the flags say.
fn restricted(source: &Descriptor, flags: u32) -> Result<Descriptor, u32> {
    let tree = system::clone_tree(source)?;
    let mut attributes = ATTR_NOSUID;
    if flags & step::READ_ONLY != 0 {
        attributes |= ATTR_RDONLY;
    }
    if flags & step::DEVICE == 0 {
        attributes |= ATTR_NODEV;
    }
    system::restrict_mount(tree.number(), c"", attributes, true)?;
    Ok(tree)
}

fn mount_memory(at: &CStr, options: &CStr) -> Result<(), u32> {
    system::mount(c"tmpfs", at, Some(c"tmpfs"), MS_NOSUID | MS_NODEV, Some(options))
}

fn make_mount_point(at: &CStr, like: Found) -> Result<(), u32> {
    match like.is_folder() {
        true => make(at, |at| system::make_folder(HERE, at, 0o755)),
        false => make(at, |at| system::make_file(HERE, at, 0o444)),
    }
}

/// Makes something at a path of the new root, and the folders on the way to it. What is there already
/// is left as it is.
fn make(at: &CStr, mut one: impl FnMut(&CStr) -> Result<(), u32>) -> Result<(), u32> {
    match one(at) {
        Err(system::EEXIST) => return Ok(()),
        Err(ENOENT) => {}
        made => return made,
    }
    /// The longest path that the kernel takes (`PATH_MAX`).
    const LONGEST: usize = 4096;
    let mut folder = [0_u8; LONGEST];
    for (position, byte) in at.to_bytes().iter().enumerate().take(LONGEST - 1) {
        if *byte == b'/' && position > 0 {
            let Ok(path) = CStr::from_bytes_until_nul(&folder) else { return Err(ENOENT) };
            match system::make_folder(HERE, path, 0o755) {
                Ok(()) | Err(system::EEXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        folder[position] = *byte;
    }
    match one(at) {
        Err(system::EEXIST) => Ok(()),
        made => made,
    }
}

/// `None` for something optional that is not there.
fn if_there(
    opened: Result<Descriptor, u32>,
    flags: u32,
) -> Result<Option<Descriptor>, u32> {
    match opened {
        Ok(fd) => Ok(Some(fd)),
        Err(ENOENT | ENOTDIR) if flags & step::OPTIONAL != 0 => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// A path without the slash at its start.
fn relative(path: &CStr) -> &CStr {
    let bytes = path.to_bytes_with_nul();
    match CStr::from_bytes_with_nul(bytes.get(1..).unwrap_or_default()) {
        Ok(path) if !path.is_empty() => path,
        _ => c".",
    }
}
