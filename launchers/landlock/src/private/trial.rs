//! Starts the init by itself, where there is no runner: to find out what works here, and to make a
//! template.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::init;
use super::layout::{Draft, Particulars};
use super::protocol::{Identity, stage};
use super::status::{Failure, Status};

/// How long it may take. It needs milliseconds; a loaded machine needs more, and what takes this long
/// hangs, in a network mount for example.
const PATIENCE: Duration = Duration::from_secs(20);
/// The plan comes as the standard input, records go to the standard output, and a template comes as
/// the standard error: these are descriptors that the standard library can hand to one child.
const PLAN: &str = "0";
const STATUS: u32 = 1;
const TEMPLATE: u32 = 2;

/// Runs a plan that is a trial, on a template if there is one.
pub(crate) fn run(plan: &Draft, template: Option<&OwnedFd>) -> Result<Status, Failure> {
    let told = Trial::start(plan, template).and_then(|mut trial| {
        let status = trial.listen(|_| false);
        let exit = trial.end()?;
        Ok((status?, exit))
    });
    let (status, exit) = told.map_err(cannot_start)?;
    match (&status.failure, status.ended) {
        (Some(failure), _) => Err(failure.clone()),
        (None, true) => Ok(status),
        // A filter around the host that kills for what the init does.
        (None, false) if exit.signal() == Some(libc::SIGSYS) => {
            Err(cannot_start(io::ErrorKind::Unsupported.into()))
        }
        (None, false) => Err(cannot_start(io::ErrorKind::Other.into())),
    }
}

/// A template that stands.
#[derive(Debug)]
pub(crate) struct Offered {
    /// Its mount namespace.
    pub(crate) namespace: OwnedFd,
    /// What it shows, in the order of its steps: identities as the init tells them.
    pub(crate) sources: Vec<u8>,
}

/// Runs a plan that makes a template, and takes hold of it. The processes that have made it end.
pub(crate) fn offer(plan: &Draft) -> io::Result<Offered> {
    let mut trial = Trial::start(plan, None)?;
    let wanted = size_of::<Identity>() * (1 + plan.sources());
    let status =
        trial.listen(|status| status.shown.as_ref().is_some_and(|all| all.len() >= wanted));
    let offered = status.and_then(|status| take_hold(&status));
    trial.end()?;
    offered
}

/// Opens the mount namespace of the process that has told of its template.
fn take_hold(status: &Status) -> io::Result<Offered> {
    let (Some(process), Some(shown)) = (status.process, &status.shown) else {
        return Err(io::ErrorKind::Other.into());
    };
    let (own, sources) = shown.split_at_checked(size_of::<Identity>()).unwrap_or_default();
    let namespace = File::open(format!("/proc/{process}/ns/mnt"))?;
    let found = namespace.metadata()?;
    // Where `/proc` is that of other processes, the number means another one.
    let words = [libc::major(found.dev()), libc::minor(found.dev())].map(u32::to_ne_bytes).concat();
    match own == [&words[..], &found.ino().to_ne_bytes()].concat() {
        true => Ok(Offered { namespace: namespace.into(), sources: sources.to_vec() }),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

fn cannot_start(error: io::Error) -> Failure {
    let errno = error.raw_os_error().unwrap_or(match error.kind() {
        io::ErrorKind::TimedOut => libc::ETIMEDOUT,
        io::ErrorKind::Unsupported => libc::ENOSYS,
        _ => libc::EIO,
    });
    Failure { stage: stage::PLAN, errno, path: "".into() }
}

/// An init that was started.
struct Trial {
    child: Child,
    records: Option<ChildStdout>,
}

impl Trial {
    fn start(plan: &Draft, template: Option<&OwnedFd>) -> io::Result<Trial> {
        let number = if template.is_some() { TEMPLATE } else { 0 };
        let particulars =
            Particulars { status: STATUS, template: number, ..Particulars::default() };
        let (program, path) = init::program()?;
        let mut child = Command::new(path)
            .args([PLAN, "trial", "trial"])
            .env_clear()
            .stdin(Stdio::from(init::memory(&plan.bytes(&particulars))?))
            .stdout(Stdio::piped())
            .stderr(match template {
                Some(template) => Stdio::from(template.try_clone()?),
                None => Stdio::null(),
            })
            .spawn()?;
        drop(program);
        Ok(Trial { records: child.stdout.take(), child })
    }

    /// Reads what the init tells, to its end or until that is enough. What hangs is killed.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] for that, and what the system says about the records.
    fn listen(&mut self, is_enough: impl Fn(&Status) -> bool) -> io::Result<Status> {
        let deadline = Instant::now() + PATIENCE;
        let (mut told, mut chunk) = (Vec::new(), [0; 4096]);
        let Some(records) = &mut self.records else { return Ok(Status::default()) };
        loop {
            let status = Status::parse(&told);
            if is_enough(&status) {
                return Ok(status);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            let left = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
            match poll(&mut [PollFd::new(records.as_fd(), PollFlags::POLLIN)], left) {
                Err(nix::errno::Errno::EINTR) => continue,
                Ok(ready) if ready > 0 => {}
                _ => {
                    let _ = self.child.kill();
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
            match records.read(&mut chunk) {
                Ok(0) => return Ok(status),
                Ok(count) => told.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Stops listening, which ends an init that offers a template, and waits for its end.
    fn end(mut self) -> io::Result<ExitStatus> {
        self.records = None;
        self.child.wait()
    }
}
