//! Which descriptors are open. macOS has no call that closes a range, and the highest number can be in
//! the hundreds of thousands, so the kernel is asked for the list (`proc_pidinfo`).

use std::io;
use std::os::fd::RawFd;

/// Room for a list, made before the fork because it allocates.
#[derive(Debug)]
pub(super) struct Descriptors {
    list: Vec<libc::proc_fdinfo>,
    /// All numbers lie below.
    most: RawFd,
}

/// Descriptors that other threads may open between the look and the fork.
const SPARE: usize = 256;

impl Descriptors {
    /// Room for all that are open now, and some more.
    pub(super) fn look() -> io::Result<Self> {
        // SAFETY: no buffer is given, which asks for the size.
        let size = unsafe {
            libc::proc_pidinfo(libc::getpid(), libc::PROC_PIDLISTFDS, 0, std::ptr::null_mut(), 0)
        };
        if size < 0 {
            return Err(io::Error::last_os_error());
        }
        let count = size as usize / size_of::<libc::proc_fdinfo>() + SPARE;
        // SAFETY: takes and gives a number.
        let most = unsafe { libc::getdtablesize() };
        Ok(Descriptors {
            list: vec![libc::proc_fdinfo { proc_fd: 0, proc_fdtype: 0 }; count],
            most,
        })
    }

    /// In a child: does something with every open descriptor above 2. It allocates nothing.
    pub(super) fn each(&mut self, act: impl Fn(RawFd)) {
        let room = size_of_val(&self.list[..]);
        // SAFETY: the buffer is as large as is said.
        let filled = unsafe {
            let list = self.list.as_mut_ptr().cast();
            libc::proc_pidinfo(libc::getpid(), libc::PROC_PIDLISTFDS, 0, list, room as i32)
        };
        // A full list may not be the whole one.
        if filled <= 0 || filled as usize >= room {
            (3..self.most).for_each(act);
            return;
        }
        let count = filled as usize / size_of::<libc::proc_fdinfo>();
        let open = self.list[..count].iter().map(|info| info.proc_fd);
        open.filter(|fd| *fd > 2).for_each(act);
    }
}
