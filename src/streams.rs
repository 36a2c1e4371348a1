//! The standard streams of a captured run: both ends of its pipes.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{Mode, OFlags};
use tokio::net::unix::pipe::{Receiver, Sender};

use crate::files::{Diverted, Drain, Feed};
use crate::outcome::Reason;
use crate::spawn::{Session, Stream};
use crate::start::{OpenFiles, Streams};
use crate::watch::{Input, Output, Pipes, feed};

/// The host's ends, not yet known to any event loop.
#[derive(Debug)]
pub(crate) struct HostEnds {
    stdin: Option<(OwnedFd, Source)>,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

/// What the first program reads.
#[derive(Debug)]
pub(crate) enum Source {
    Bytes(Vec<u8>),
    /// One that is opened when the run begins.
    File,
}

impl HostEnds {
    /// Registers the pipes with the event loop of the calling task, or gives them to those who carry
    /// between them and the files.
    pub(crate) fn into_pipes(self, files: OpenFiles, diverted: Arc<Diverted>) -> io::Result<Pipes> {
        let input = match (self.stdin, files.input) {
            (Some((pipe, _)), Some(file)) => Input::File(Feed::start(file, pipe)?),
            (Some((pipe, Source::Bytes(bytes))), None) => {
                Input::Bytes(feed(Sender::from_owned_fd(pipe)?, bytes))
            }
            (Some((_, Source::File)) | None, _) => Input::None,
        };
        let stdout = match files.output {
            Some(file) => Output::File(Drain::start(self.stdout, file, diverted)?),
            None => Output::Pipe(Receiver::from_owned_fd(self.stdout)?),
        };
        Ok(Pipes { input, stdout, stderr: Receiver::from_owned_fd(self.stderr)? })
    }
}

/// Pipes for a run whose output is captured. Standard input: what was given; nothing, where an empty
/// value was given or the run is isolated (`/dev/null`, since an empty pipe breaks programs that test
/// for one); else the host's own.
pub(crate) fn captured(
    stdin: Option<Source>,
    session: Session,
) -> Result<(Streams, HostEnds), Reason> {
    let setup =
        |stage| move |error: rustix::io::Errno| Reason::Setup { stage, source: error.into() };
    let pipe = || match io::pipe() {
        Ok((read, write)) => Ok((OwnedFd::from(read), OwnedFd::from(write))),
        Err(source) => Err(Reason::Setup { stage: "make a pipe", source }),
    };
    let (stdin, feed) = match stdin {
        Some(source) => {
            let (read, write) = pipe()?;
            (Stream::Given(read), Some((write, source)))
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
    let streams = [stdin, Stream::Given(out), Stream::Given(err)];
    let streams = Streams { streams, session, takes_refusals: true };
    Ok((streams, HostEnds { stdin: feed, stdout, stderr }))
}
