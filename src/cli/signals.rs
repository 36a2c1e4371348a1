//! The signals that cofferdam receives while a command runs. They are read from a descriptor, so that
//! nothing is done in a handler: a `signalfd(2)`, or a kqueue where there is none.

#[cfg_attr(target_os = "linux", path = "signals/linux.rs")]
#[cfg_attr(target_os = "macos", path = "signals/macos.rs")]
mod source;

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::signal::{SigSet, Signal, raise};

use source::{Source, ignored};

/// Passed on to the command.
const FORWARDED: [Signal; 6] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
];

/// These end a program by default. The command is ended, the terminal restored, and then cofferdam
/// ends.
const FATAL: &[Signal] = &[
    Signal::SIGALRM,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGIO,
    #[cfg(target_os = "linux")]
    Signal::SIGPWR,
    Signal::SIGXCPU,
    Signal::SIGXFSZ,
];

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Pass it on to the command.
    Forward(rustix::process::Signal),
    /// Stop, and the command with it.
    Stop,
    /// Go on after a stop.
    Continue,
    /// The terminal has another size.
    Resize,
    /// End.
    End(rustix::process::Signal),
}

/// Signals that no longer interrupt, but can be read.
#[derive(Debug)]
pub(super) struct Signals(Source);

impl Signals {
    /// From here on the signals are read, in the calling thread and in those that it starts. For
    /// good: after the command's end there is little left to do, and the terminal's state depends on
    /// it being done.
    pub(super) fn block() -> io::Result<Self> {
        let ignored = ignored();
        let mut set = SigSet::empty();
        let others = [Signal::SIGTSTP, Signal::SIGCONT, Signal::SIGWINCH];
        for signal in FORWARDED.iter().chain(FATAL).chain(&others) {
            // `nohup`, and `&` in a script, mean that a signal is not for this program. Blocked it
            // would be delivered all the same.
            if !ignored.contains(*signal) {
                set.add(*signal);
            }
        }
        set.thread_block()?;
        Ok(Signals(Source::new(&set)?))
    }

    /// The next one, if there is one.
    pub(super) fn next(&self) -> Option<Asked> {
        meaning(self.0.next()?)
    }

    /// Stops this process as its shell expects it, and returns when it goes on. In a process group
    /// that nobody could wake up again, the kernel does not stop it.
    pub(super) fn stop() {
        let mut stop = SigSet::empty();
        stop.add(Signal::SIGTSTP);
        let _ = raise(Signal::SIGTSTP);
        // It is delivered now.
        let _ = stop.thread_unblock();
        let _ = stop.thread_block();
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn meaning(signal: Signal) -> Option<Asked> {
    let named = rustix::process::Signal::from_named_raw(signal as i32)?;
    Some(match signal {
        Signal::SIGTSTP => Asked::Stop,
        Signal::SIGCONT => Asked::Continue,
        Signal::SIGWINCH => Asked::Resize,
        signal if FATAL.contains(&signal) => Asked::End(named),
        _ => Asked::Forward(named),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_has_one_meaning() {
        use rustix::process::Signal as Named;
        assert_eq!(meaning(Signal::SIGINT), Some(Asked::Forward(Named::INT)));
        assert_eq!(meaning(Signal::SIGTSTP), Some(Asked::Stop));
        assert_eq!(meaning(Signal::SIGALRM), Some(Asked::End(Named::ALARM)));
        assert!(FORWARDED.iter().all(|signal| !FATAL.contains(signal)));
        assert!(FORWARDED.iter().chain(FATAL).all(|signal| meaning(*signal).is_some()));
    }
}
