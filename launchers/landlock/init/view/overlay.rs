//! Folders of the host in which it may keep sockets and named pipes.
//!
//! A read-only mount stops neither `connect()` nor writing to a pipe. In an overlay every file has an
//! inode of its own: a socket there is one on which nobody listens, a pipe one that nobody else has
//! opened (`af_unix` and `fifo` go by the inode that they find, since Linux 4.19). Files and folders
//! read as ever.

use core::ffi::CStr;

use super::paths::{if_there, make_mount_point, relative};
use super::{ATTR_NODEV, ATTR_NOSUID, ATTR_RDONLY, View};
use crate::protocol::{header, step};
use crate::system::{self, HERE};

/// The empty layer beneath the folder, in the new root, and gone from there before the command runs.
pub(super) const BLANK_LAYER: &CStr = c"/.blank-layer";
/// The working directory over the blank layer.
const LAYERS: &CStr = c".:/.blank-layer";

impl View {
    pub(super) fn overlay(&mut self, from: &CStr, to: &CStr, flags: u32) -> Result<(), u32> {
        if self.plan.has(header::WHOLE) {
            // There is no place for the blank layer, and the launcher asks for none.
            return Err(system::EINVAL);
        }
        let opened = system::open_physical(self.host.number(), relative(from));
        let Some(source) = if_there(opened, flags)? else { return Ok(()) };
        if !core::mem::replace(&mut self.has_blank_layer, true) {
            // A file system of its own, which lives on with the overlay: a folder that is removed
            // beneath it could not be listed, and then nothing could.
            system::make_folder(HERE, BLANK_LAYER, 0o555)?;
            let blank = system::memory(c"0555", ATTR_NOSUID | ATTR_NODEV)?;
            system::put_mount(&blank, HERE, BLANK_LAYER)?;
        }
        system::change_folder_to(&source)?;
        let tree = system::overlay(LAYERS, ATTR_RDONLY | ATTR_NOSUID | ATTR_NODEV);
        system::change_folder(c"/")?;
        let tree = tree?;
        if flags & step::OVER != 0 {
            return system::put_mount(&tree, system::open_physical(HERE, to)?.number(), c"");
        }
        make_mount_point(to, true)?;
        system::put_mount(&tree, HERE, to)
    }
}
