//! The standard streams of a captured run: both ends of its pipes.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::outcome::Reason;
use crate::spawn::{Session, Stream};
use crate::start::Streams;
use crate::watch::Pipes;

/// The host's ends, not yet known to any event loop.
#[derive(Debug)]
pub(crate) struct HostEnds {
    stdin: Option<(OwnedFd, Vec<u8>)>,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

impl HostEnds {
    /// Registers the pipes with the event loop of the calling task.
    pub(crate) fn into_pipes(self) -> io::Result<Pipes> {
        let stdin = match self.stdin {
            Some((pipe, bytes)) => Some((Sender::from_owned_fd(pipe)?, bytes)),
            None => None,
        };
        Ok(Pipes {
            stdin,
            stdout: Receiver::from_owned_fd(self.stdout)?,
            stderr: Receiver::from_owned_fd(self.stderr)?,
        })
    }
}

/// Pipes for a run whose output is captured. Standard input: what was given; nothing, where an empty
/// value was given or the run is isolated (`/dev/null`, since an empty pipe breaks programs that test
/// for one); else the host's own.
pub(crate) fn captured(
    stdin: Option<Vec<u8>>,
    session: Session,
) -> Result<(Streams, HostEnds), Reason> {
    let setup =
        |stage| move |error: rustix::io::Errno| Reason::Setup { stage, source: error.into() };
    let pipe = || match io::pipe() {
        Ok((read, write)) => Ok((OwnedFd::from(read), OwnedFd::from(write))),
        Err(source) => Err(Reason::Setup { stage: "make a pipe", source }),
    };
    let (stdin, feed) = match stdin {
        Some(bytes) => {
            let (read, write) = pipe()?;
            (Stream::Given(read), Some((write, bytes)))
        }
        None if session == Session::Inherited => (Stream::Inherited, None),
        None => {
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            let null = rustix::fs::open("/dev/null", flags, Mode::empty());
            (Stream::Given(null.map_err(setup("open /dev/null"))?), None)
        }
    };
    let (stdout, out) = pipe()?;
    let (stderr, err) = pipe()?;
    let streams = Streams { streams: [stdin, Stream::Given(out), Stream::Given(err)], session };
    Ok((streams, HostEnds { stdin: feed, stdout, stderr }))
}
