//! The listener of a filter: which calls it passes on, and their refusal (`seccomp_unotify(2)`).

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};

use cofferdam_launcher::FilteredCall;
use nix::errno::Errno;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

use crate::spawn::{Heard, Received};

/// Takes the listener that a child sends before its exec, without waiting for it.
pub(crate) fn receive_listener(socket: BorrowedFd<'_>) -> Received {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    match recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, flags) {
        Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Received::NotYet,
        Err(_) => Received::Never,
        Ok(_) => {
            let mut descriptors = control.drain().filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
                _ => None,
            });
            descriptors.next().map_or(Received::Never, Received::Listener)
        }
    }
}

/// A call that waits for its answer.
#[derive(Debug)]
pub(crate) struct WaitingCall {
    id: u64,
    pub(crate) call: FilteredCall,
}

/// Takes the next call that waits for an answer, without waiting for one.
pub(crate) fn next_call(listener: &OwnedFd) -> Heard {
    const NOW: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
    loop {
        // Taking a call waits for one. But once one is there it never does: it was counted, even if
        // its process is killed meanwhile, and nobody else takes any.
        let mut ready = [PollFd::new(listener, PollFlags::IN)];
        match poll(&mut ready, Some(&NOW)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Heard::Nothing,
            Ok(_) if ready[0].revents().contains(PollFlags::IN) => {}
            // Nobody is under the filter any more.
            _ => return Heard::Over,
        }
        // SAFETY: plain numbers, all of which may be zero, and must be for this call.
        let mut told: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel writes one such structure, whose size is a part of the request's number.
        match unsafe { ioctl::receive(listener.as_raw_fd(), &mut told) } {
            Ok(_) => {
                let data = told.data;
                let call = FilteredCall {
                    number: data.nr.cast_unsigned(),
                    architecture: data.arch,
                    args: data.args,
                };
                return Heard::Call(WaitingCall { id: told.id, call });
            }
            // It was killed, or a signal came first.
            Err(Errno::ENOENT | Errno::EINTR) => {}
            Err(_) => return Heard::Over,
        }
    }
}

/// Has a call fail with an error number, which must be above 0. One that waits no more is no error.
pub(crate) fn refuse_call(listener: &OwnedFd, waiting: WaitingCall, errno: i32) {
    let mut answer = libc::seccomp_notif_resp { id: waiting.id, val: 0, error: -errno, flags: 0 };
    // SAFETY: the kernel reads one such structure. No flag is set, so the call does not go on.
    let _ = unsafe { ioctl::send(listener.as_raw_fd(), &mut answer) };
}

/// The requests of `linux/seccomp.h`.
mod ioctl {
    nix::ioctl_readwrite!(receive, b'!', 0, libc::seccomp_notif);
    nix::ioctl_readwrite!(send, b'!', 1, libc::seccomp_notif_resp);
}
