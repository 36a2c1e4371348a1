//! Starts the init by itself, before there is a runner, to find out what works here.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::init;
use super::protocol::stage;
use super::status::{Failure, Status};

/// How long it may take. It needs milliseconds; a loaded machine needs more, and what takes this long
/// hangs, in a network mount for example.
const PATIENCE: Duration = Duration::from_secs(20);
/// The plan comes as the standard input and records go to the standard output: these are descriptors
/// that the standard library can hand to one child.
const PLAN: &str = "0";
const STATUS: u32 = 1;

/// Runs a plan that is a trial. `plan` makes it for the number of the status descriptor.
pub(crate) fn run(plan: impl FnOnce(u32) -> Vec<u8>) -> Result<(), Failure> {
    let status = start(&plan(STATUS)).map_err(|error| Failure {
        stage: stage::PLAN,
        errno: error.raw_os_error().unwrap_or(libc::EIO),
        path: "".into(),
    })?;
    match (status.failure, status.ended) {
        (Some(failure), _) => Err(failure),
        (None, true) => Ok(()),
        (None, false) => Err(Failure { stage: stage::PLAN, errno: libc::EIO, path: "".into() }),
    }
}

fn start(plan: &[u8]) -> io::Result<Status> {
    let (program, path) = init::program()?;
    let mut child = Command::new(path)
        .args([PLAN, "trial", "trial"])
        .env_clear()
        .stdin(Stdio::from(init::memory(plan)?))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    drop(program);
    let told = child.stdout.take().map(|stdout| listen(&mut child, stdout)).unwrap_or_default();
    child.wait()?;
    Ok(Status::parse(&told))
}

/// Reads what the init tells, to its end. What hangs is killed.
fn listen(child: &mut Child, mut stdout: ChildStdout) -> Vec<u8> {
    let deadline = Instant::now() + PATIENCE;
    let (mut told, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
        match poll(&mut [PollFd::new(stdout.as_fd(), PollFlags::POLLIN)], left) {
            Err(nix::errno::Errno::EINTR) => continue,
            Ok(ready) if ready > 0 => {}
            _ => {
                let _ = child.kill();
                return told;
            }
        }
        match stdout.read(&mut chunk) {
            Ok(0) => return told,
            Ok(count) => told.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return told,
        }
    }
}
