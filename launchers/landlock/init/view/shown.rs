//! What is the host's: shown, kept in its place, or hidden.

use core::ffi::CStr;

use super::folders::split;
use super::paths::{if_there, make_mount_point, relative};
use super::{ATTR_NODEV, ATTR_NOSUID, ATTR_RDONLY, View};
use crate::protocol::step;
use crate::system::{self, Descriptor, ELOOP, ESTALE, HERE};

/// In the new root, and gone before the command runs.
pub(super) const BLANK_FILE: &CStr = c".blank-file";
pub(super) const BLANK_FOLDER: &CStr = c".blank-folder";

impl View {
    pub(super) fn bind(&self, from: &CStr, to: &CStr, flags: u32) -> Result<(), u32> {
        let opened = system::open_physical(self.host.number(), relative(from));
        let Some(source) = if_there(opened, flags)? else { return Ok(()) };
        let found = system::look(source.number(), c"")?;
        let tree = restricted(&source, flags)?;
        if flags & step::OVER == 0 {
            make_mount_point(to, found.is_folder())?;
            return system::put_mount(&tree, HERE, to);
        }
        // Somebody may be moving folders about in a place where runs write.
        let place = system::open_physical(HERE, to)?;
        let is_same = system::look(place.number(), c"")?.identity == found.identity;
        if flags & step::ON_OVERLAY == 0 && !is_same {
            return Err(ESTALE);
        }
        system::put_mount(&tree, place.number(), c"")
    }

    /// Policies name dozens of these, so they are put in their places with as few calls as can be: by
    /// the folder around them, which is opened once without following a link, and their name in it,
    /// which is not followed either: the kernel mounts no link.
    pub(super) fn read(&mut self, from: &'static CStr, to: &CStr, flags: u32) -> Result<(), u32> {
        let (folder, name) = split(from)?;
        let opened = self.folders.open(&self.host, folder);
        let Some(folder) = if_there(opened, flags)? else { return Ok(()) };
        let is_folder = flags & step::FOLDER != 0;
        let tree = system::clone_named(folder, name, is_folder);
        let Some(tree) = if_there(tree, flags)? else { return Ok(()) };
        let attributes = ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV;
        system::restrict_mount(tree.number(), c"", attributes, is_folder)?;
        make_mount_point(to, is_folder)?;
        system::put_mount(&tree, HERE, to).map_err(|errno| match system::look(tree.number(), c"") {
            Ok(found) if found.is_link() => ELOOP,
            // What was a file is a folder now, or the other way round.
            Ok(found) if found.is_folder() != is_folder => ESTALE,
            _ => errno,
        })
    }

    pub(super) fn hide(&mut self, to: &CStr, flags: u32) -> Result<(), u32> {
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
        let Some(blanks) = self.blanks.as_ref().map(Descriptor::number) else {
            return Err(system::EINVAL);
        };
        if !core::mem::replace(made, true) {
            match is_folder {
                true => system::make_folder(blanks, name, 0)?,
                false => system::make_file(blanks, name, 0)?,
            }
        }
        let blank = system::open_path(blanks, name)?;
        system::put_mount(&restricted(&blank, step::READ_ONLY)?, place.number(), c"")
    }
}

/// Makes what is at a path a mount of its own: a mount can be neither renamed nor removed.
pub(super) fn pin(to: &CStr, flags: u32) -> Result<(), u32> {
    let Some(place) = if_there(system::open_physical(HERE, to), flags)? else { return Ok(()) };
    system::put_mount(&restricted(&place, flags)?, place.number(), c"")
}

/// A copy of the mounts at a file, restricted as the flags say.
pub(super) fn restricted(source: &Descriptor, flags: u32) -> Result<Descriptor, u32> {
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
