//! Starting a [`Launch`]. What is common to every launcher is done here: the clean environment, the
//! session, the standard streams, the descriptors, the signals, the death with the host.
//!
//! [`unix`] makes the child, with a way of its own for each system; [`pool`] owns the threads that may
//! do it, [`group`] ends what was made; [`isolation`] tries once whether children really are kept from
//! the host's terminal; [`listener`] is about what a filter refuses.

mod error;
mod group;
mod isolation;
mod listener;
mod pool;
#[expect(unsafe_code, reason = "the one place of the runner for it: see the module")]
mod unix;

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::time::Duration;

use cofferdam_launcher::Launch;
use rustix::fs::OFlags;

pub(crate) use error::SpawnError;
pub(crate) use group::{Child, Ended};
pub(crate) use isolation::verify as verify_isolation;
pub(crate) use listener::{Heard, Received};
#[cfg(feature = "cli")]
pub(crate) use pool::here;
pub(crate) use pool::{Spawner, block_signals, submit};
#[cfg(all(feature = "cli", target_os = "macos"))]
pub(crate) use unix::is_ignored;
pub(crate) use unix::{Pending, in_reactor, next_call, receive_listener, refuse_call, widen_pipe};

use unix::{CloneError, Process, Recipe};

/// The session that a child gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Session {
    /// A new one without a terminal: `/dev/tty` cannot be opened.
    Isolated,
    /// A new one whose controlling terminal is the child's standard input.
    WithTerminal,
    /// The host's. Only the direct child can be killed.
    Inherited,
}

/// A standard stream of a child.
#[derive(Debug)]
pub(crate) enum Stream {
    /// The host's own.
    Inherited,
    /// This one.
    Given(OwnedFd),
}

impl Stream {
    /// The same stream, for another child.
    pub(crate) fn try_clone(&self) -> io::Result<Stream> {
        Ok(match self {
            Stream::Inherited => Stream::Inherited,
            Stream::Given(fd) => Stream::Given(fd.try_clone()?),
        })
    }
}

/// How a folder is opened that a child enters.
#[cfg(target_os = "linux")]
pub(crate) const TO_ENTER: OFlags = OFlags::PATH;
/// macOS enters only what was opened to be read.
#[cfg(target_os = "macos")]
pub(crate) const TO_ENTER: OFlags = OFlags::RDONLY;

/// What surrounds a launch; the launcher has no say in it.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// `NAME=value`, each once.
    pub(crate) env: Arc<[CString]>,
    /// The working directory, opened when it was checked.
    pub(crate) dir: OwnedFd,
    /// The cgroup in which the child is made; the host's own without one.
    pub(crate) group: Option<Arc<OwnedFd>>,
    /// Standard input, output and error.
    pub(crate) streams: [Stream; 3],
    /// The session.
    pub(crate) session: Session,
}

impl Spawner {
    /// Starts the child and returns when it has exec'd. What surrounds it stays open here until the
    /// caller drops it.
    pub(crate) fn spawn(
        &mut self,
        mut launch: Launch,
        around: &Surroundings,
        pending: &Pending,
    ) -> Result<Child, SpawnError> {
        let program = c_string(launch.program().as_os_str())?;
        if !launch.program().is_absolute() {
            return Err(SpawnError::Shape("its program is not an absolute path"));
        }
        let argv = launch.argv().iter().map(|arg| c_string(arg)).collect::<Result<Vec<_>, _>>()?;
        let keep: Vec<RawFd> = launch.kept().iter().map(|fd| fd.as_raw_fd()).collect();
        if keep.iter().any(|fd| *fd <= 2) {
            return Err(SpawnError::Shape("it keeps a descriptor of a standard stream"));
        }
        let moved = above_standard(&around.streams)?;
        let recipe = Recipe {
            program: &program,
            argv: &argv,
            env: &around.env,
            dir: around.dir.as_fd(),
            group: around.group.as_ref().map(|group| group.as_fd()),
            stdio: std::array::from_fn(|target| match (&moved[target], &around.streams[target]) {
                (Some(fd), _) | (None, Stream::Given(fd)) => fd.as_raw_fd(),
                (None, Stream::Inherited) => target as RawFd,
            }),
            keep: &keep,
            session: around.session,
            step: launch.child_step(),
        };
        let started = self.start_unless_busy(&recipe, pending).map_err(|error| match error {
            CloneError::Clone(source) => SpawnError::Clone(source),
            CloneError::Child(failure) => SpawnError::of(failure, launch.program()),
        })?;
        let (status, refusals) = (launch.take_status(), launch.take_refusals());
        let leads = around.session != Session::Inherited;
        Ok(Child::new(started, leads, status, refusals))
    }

    /// A program that was just written is "busy" while any process has it open for writing, and a
    /// child that another thread is just making has a copy of every descriptor until its exec. So
    /// this one error is worth a few tries; a file that stays open stays an error.
    fn start_unless_busy(
        &mut self,
        recipe: &Recipe<'_>,
        pending: &Pending,
    ) -> Result<Process, CloneError> {
        const LONGEST_WAIT: Duration = Duration::from_millis(256);
        let mut wait = Duration::from_millis(1);
        loop {
            match self.start(recipe, pending) {
                Err(CloneError::Child(failure))
                    if failure.errno == libc::ETXTBSY && wait <= LONGEST_WAIT =>
                {
                    std::thread::sleep(wait);
                    wait *= 2;
                }
                result => return result,
            }
        }
    }
}

fn c_string(text: &std::ffi::OsStr) -> Result<CString, SpawnError> {
    CString::new(text.as_bytes()).map_err(|_| SpawnError::Shape("an argument holds a NUL byte"))
}

/// A host may have its own standard streams closed, and then a pipe of ours has the number of one.
/// Of such a descriptor a higher copy is used, so that setting up one stream cannot overwrite another.
fn above_standard(streams: &[Stream; 3]) -> Result<[Option<OwnedFd>; 3], SpawnError> {
    let mut moved = [None, None, None];
    for (stream, moved) in streams.iter().zip(&mut moved) {
        if let Stream::Given(fd) = stream
            && fd.as_raw_fd() <= 2
        {
            let higher = rustix::io::fcntl_dupfd_cloexec(fd, 3);
            *moved = Some(higher.map_err(|errno| SpawnError::Clone(errno.into()))?);
        }
    }
    Ok(moved)
}
