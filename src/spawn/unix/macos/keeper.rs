//! Ends a child when its host has gone: what Linux does by a parent-death signal.
//!
//! A keeper is a process of its own, made from a copy of the host like the child, because only something
//! that outlives the host can act on its end. It holds no descriptor of the host's, waits for the first of
//! two ends, and never runs any other code. A host that is stopped or killed cannot prevent it.

use std::io;

use super::descriptors::Descriptors;
use super::process::kill_and_reap;

/// A keeper, which goes when this is dropped.
#[derive(Debug)]
pub(super) struct Keeper {
    pid: i32,
}

impl Keeper {
    /// Watches over this child, and over its process group where it leads one.
    pub(super) fn start(child: i32, leads: bool) -> io::Result<Self> {
        let mut open = Descriptors::look()?;
        // SAFETY: takes nothing.
        let host = unsafe { libc::getpid() };
        // SAFETY: the keeper calls `watch`, which never returns and makes only calls that may be made
        // after a fork, on values that were prepared before.
        match unsafe { libc::fork() } {
            0 => watch(host, child, leads, &mut open),
            pid if pid < 0 => Err(io::Error::last_os_error()),
            pid => Ok(Keeper { pid }),
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        kill_and_reap(self.pid);
    }
}

/// The keeper's whole life.
fn watch(host: i32, child: i32, leads: bool, open: &mut Descriptors) -> ! {
    // SAFETY: takes nothing. A session of its own: no signal of a terminal is meant for it.
    unsafe { libc::setsid() };
    // Its copies would keep pipes open that the host waits to see closed.
    for standard in 0..3 {
        close(standard);
    }
    open.each(close);
    let host_has_gone = first_end(host, child) != Some(child);
    if host_has_gone {
        // SAFETY: numbers. The child has not been reaped: its parent was the host, until just now.
        unsafe {
            if leads {
                libc::kill(-child, libc::SIGKILL);
            }
            libc::kill(child, libc::SIGKILL);
        }
    }
    // SAFETY: ends this process without the host's handlers of exits.
    unsafe { libc::_exit(0) }
}

fn close(fd: i32) {
    // SAFETY: nothing in this process uses any descriptor that it did not open itself.
    unsafe { libc::close(fd) };
}

/// Which of the two ended first. `None` where that cannot be told: then the child goes, as it would
/// when nobody watched over it.
fn first_end(host: i32, child: i32) -> Option<i32> {
    // SAFETY: two zeroed events are valid ones, and both lists live on this stack. A host that has gone
    // already has another parent for us, which `getppid` tells.
    unsafe {
        let queue = libc::kqueue();
        let mut events: [libc::kevent; 2] = std::mem::zeroed();
        for (event, pid) in events.iter_mut().zip([host, child]) {
            event.ident = pid as libc::uintptr_t;
            event.filter = libc::EVFILT_PROC;
            event.flags = libc::EV_ADD;
            event.fflags = libc::NOTE_EXIT;
        }
        for event in &events {
            let added = libc::kevent(queue, event, 1, std::ptr::null_mut(), 0, std::ptr::null());
            if added < 0 {
                // It has ended already.
                return (event.ident == child as libc::uintptr_t).then_some(child);
            }
        }
        if libc::getppid() != host {
            return Some(host);
        }
        let mut ended: libc::kevent = std::mem::zeroed();
        loop {
            match libc::kevent(queue, std::ptr::null(), 0, &mut ended, 1, std::ptr::null()) {
                1 => return i32::try_from(ended.ident).ok(),
                _ if *libc::__error() == libc::EINTR => {}
                _ => return None,
            }
        }
    }
}
