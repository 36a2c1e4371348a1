//! An external program as a validator: it reads the plan as JSON, exits with 0 to allow it, and
//! otherwise prints the reason.

use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use cofferdam_launcher::Launch;
use rustix::fs::{Mode, OFlags};

use super::ask::Asked;
use super::{Proposal, Validator};
use crate::config::ValidatorSettings;
use crate::outcome::chain;
use crate::spawn::{Child, Pending, Session, SpawnError, Stream, Surroundings, TO_ENTER, submit};

/// A program that is asked about each command. It runs unconfined, in the root directory, with the
/// host's environment and away from its terminal.
#[derive(Debug)]
pub(crate) struct ProgramValidator {
    program: PathBuf,
    args: Vec<OsString>,
    timeout: Duration,
    env: Arc<[CString]>,
}

impl ProgramValidator {
    /// Finds the program, now, on the host's `PATH` or where its path says.
    pub(crate) fn find(settings: &ValidatorSettings) -> Result<Self, which::Error> {
        let (name, args) =
            settings.command.split_first().ok_or(which::Error::CannotFindBinaryPath)?;
        let env = std::env::vars_os().filter_map(|(name, value)| {
            let pair = [name.as_bytes(), b"=", value.as_bytes()].concat();
            CString::new(pair).ok()
        });
        Ok(ProgramValidator {
            program: which::which(name)?,
            args: args.iter().map(OsString::from).collect(),
            timeout: settings.timeout,
            env: env.collect(),
        })
    }

    fn ask(&self, question: &[u8], pending: &Pending) -> Result<(), String> {
        let deadline = Instant::now() + self.timeout;
        let asked = self.start(deadline)?;
        let answer = asked.answer(question, deadline, pending);
        answer.map_err(|error| format!("the validator cannot be listened to: {error}"))?.verdict()
    }

    fn start(&self, deadline: Instant) -> Result<Asked, String> {
        let unusable = |error: io::Error| format!("the validator cannot be asked: {error}");
        let (theirs_in, stdin) = pipe().map_err(unusable)?;
        let (stdout, theirs_out) = pipe().map_err(unusable)?;
        for fd in [&stdin, &stdout] {
            rustix::io::ioctl_fionbio(fd, true).map_err(|errno| unusable(errno.into()))?;
        }
        // Of what it complains nothing is read, and a pipe of the host would be held open by it.
        let null = rustix::fs::open("/dev/null", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|errno| unusable(errno.into()))?;
        let root = rustix::fs::open("/", TO_ENTER | OFlags::CLOEXEC, Mode::empty());
        let around = Surroundings {
            env: self.env.clone(),
            dir: root.map_err(|errno| unusable(errno.into()))?,
            group: None,
            streams: [Stream::Given(theirs_in), Stream::Given(theirs_out), Stream::Given(null)],
            session: Session::Isolated,
        };
        let launch = Launch::wrapper(&self.program).args(&self.args);
        let child = spawn(launch, around, deadline)?;
        Ok(Asked { child, stdin: Some(stdin), stdout: Some(stdout) })
    }
}

impl Validator for ProgramValidator {
    fn validate(&self, proposal: &Proposal<'_>) -> Result<(), String> {
        let question = serde_json::to_vec(proposal).map_err(|error| error.to_string())?;
        self.ask(&question, proposal.pending)
    }
}

/// On a spawning thread, which lives as long as the host. One that hangs, as on a dead network mount,
/// is not waited for.
fn spawn(launch: Launch, around: Surroundings, deadline: Instant) -> Result<Child, String> {
    let (told, started) = channel();
    let pending = Arc::new(Pending::new());
    let held = pending.clone();
    submit(move |spawner| {
        let started = spawner.and_then(|spawner| spawner.spawn(launch, &around, &held));
        // Its ends of the pipes are closed here before anybody reads them.
        drop(around);
        // When nobody waits any more the child comes back and is dropped, which kills it.
        let _ = told.send(started);
    });
    let left = deadline.saturating_duration_since(Instant::now());
    let started = started.recv_timeout(left).map_err(|_| {
        pending.kill();
        "the validator could not be started in time".to_owned()
    })?;
    let cannot = |error: SpawnError| format!("the validator cannot be started: {}", chain(&error));
    started.map_err(cannot)
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = io::pipe()?;
    Ok((read.into(), write.into()))
}
