//! Runs bubblewrap by itself, before there is a runner: for its version, and to try a launch.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use cofferdam_launcher::Launch;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

/// How long bubblewrap may take to answer. It needs milliseconds; a loaded machine needs more, and
/// what takes this long hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// How much of an answer is kept: enough for any message.
const LONGEST: usize = 64 * 1024;

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    /// The exit code; `None` for a death by signal, or where the host's own handling took the end.
    pub(crate) code: Option<i32>,
    /// Whether it had to be killed because it did not end.
    pub(crate) hung: bool,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// What it wrote to the status pipe.
    pub(crate) status: Vec<u8>,
}

/// Spawns a launch with an empty environment and no input, and reads its answers to their ends. What
/// has not ended after `patience` is killed.
///
/// `std::process::Command` cannot hand over descriptors without marking them as inheritable in this
/// process, where another thread may be spawning; `posix_spawn(3)` marks them in the child.
pub(crate) fn run(mut launch: Launch, patience: Duration) -> io::Result<Ran> {
    let (stdout, stdout_end) = io::pipe()?;
    let (stderr, stderr_end) = io::pipe()?;
    let null = File::open("/dev/null")?;
    let mut actions = PosixSpawnFileActions::init()?;
    actions.add_dup2(null.as_raw_fd(), 0)?;
    actions.add_dup2(stdout_end.as_raw_fd(), 1)?;
    actions.add_dup2(stderr_end.as_raw_fd(), 2)?;
    for fd in launch.kept() {
        // Onto itself: that only takes the close-on-exec flag away.
        actions.add_dup2(fd.as_raw_fd(), fd.as_raw_fd())?;
    }
    let argv = launch.argv().iter().map(|arg| CString::new(arg.as_bytes()));
    let argv = argv.collect::<Result<Vec<_>, _>>()?;
    let environment: [CString; 0] = [];
    let child = posix_spawn(launch.program(), &actions, &attributes()?, &argv, &environment)?;
    let status = launch.take_status().map(PipeReader::from);
    // The writing ends: while they are open here, no pipe ends.
    drop((launch, stdout_end, stderr_end));
    Ok(watch(child, [Some(stdout), Some(stderr), status], patience))
}

/// Default signals and a group of its own, so that a signal to the host's group does not end it.
fn attributes() -> io::Result<PosixSpawnAttr> {
    let mut attributes = PosixSpawnAttr::init()?;
    attributes.set_flags(
        PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK
            | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF
            | PosixSpawnFlags::POSIX_SPAWN_SETPGROUP,
    )?;
    attributes.set_sigmask(&SigSet::empty())?;
    attributes.set_sigdefault(&SigSet::all())?;
    Ok(attributes)
}

fn watch(child: Pid, mut pipes: [Option<PipeReader>; 3], patience: Duration) -> Ran {
    let mut texts = [const { Vec::new() }; 3];
    let hung = !read_to_ends(&mut pipes, &mut texts, Instant::now() + patience);
    if hung {
        // The group as well: a script has children that keep the pipes open.
        let _ = kill(Pid::from_raw(-child.as_raw()), Signal::SIGKILL);
        let _ = kill(child, Signal::SIGKILL);
    }
    let code = match waitpid(child, None) {
        Ok(WaitStatus::Exited(_, code)) => Some(code),
        _ => None,
    };
    let [stdout, stderr, status] = texts;
    Ran { code, hung, stdout, stderr, status }
}

/// Reads all pipes until each has ended. `false` when the time was up before.
fn read_to_ends(
    pipes: &mut [Option<PipeReader>],
    texts: &mut [Vec<u8>],
    deadline: Instant,
) -> bool {
    while pipes.iter().any(Option::is_some) {
        let Some(ready) = wait_for_any(pipes, deadline) else {
            return false;
        };
        for index in ready {
            if let Some(reader) = &mut pipes[index]
                && !read_some(reader, &mut texts[index])
            {
                pipes[index] = None;
            }
        }
    }
    true
}

/// The pipes that can be read. `None` when the time is up.
fn wait_for_any(pipes: &[Option<PipeReader>], deadline: Instant) -> Option<Vec<usize>> {
    let open = pipes.iter().enumerate();
    let open: Vec<_> = open.filter_map(|(index, pipe)| Some((index, pipe.as_ref()?))).collect();
    let mut waiting: Vec<_> =
        open.iter().map(|(_, pipe)| PollFd::new(pipe.as_fd(), PollFlags::POLLIN)).collect();
    let left = deadline.saturating_duration_since(Instant::now());
    match poll(&mut waiting, PollTimeout::try_from(left).ok()?) {
        Ok(0) => None,
        Ok(_) => {
            let ready = open.iter().zip(&waiting);
            let ready = ready.filter(|(_, fd)| fd.any() == Some(true));
            Some(ready.map(|((index, _), _)| *index).collect())
        }
        Err(Errno::EINTR) => Some(Vec::new()),
        Err(_) => None,
    }
}

/// Reads what is there. `false` at the end of the pipe, or when there is more than anyone will read.
fn read_some(reader: &mut PipeReader, text: &mut Vec<u8>) -> bool {
    let mut chunk = [0; 4096];
    match reader.read(&mut chunk) {
        Ok(0) => false,
        Ok(count) => {
            text.extend_from_slice(&chunk[..count]);
            text.len() < LONGEST
        }
        Err(error) => error.kind() == io::ErrorKind::Interrupted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, patience: Duration) -> Ran {
        run(Launch::wrapper("/bin/sh").args(["-c", script]), patience).unwrap()
    }

    #[test]
    fn both_streams_and_the_code_come_back() {
        let ran = sh("echo out; echo err >&2; exit 3", PATIENCE);
        assert_eq!((ran.code, ran.hung), (Some(3), false));
        assert_eq!((&*ran.stdout, &*ran.stderr), (&b"out\n"[..], &b"err\n"[..]));
    }

    #[test]
    fn what_does_not_end_is_killed_with_its_children() {
        let ran = sh("echo begun; sleep 1000 & sleep 1000", Duration::from_millis(500));
        assert!(ran.hung);
        assert_eq!(ran.code, None);
    }

    #[test]
    fn an_endless_answer_is_cut() {
        let ran = sh("yes", PATIENCE);
        assert!(!ran.hung && ran.stdout.len() < 2 * LONGEST);
    }

    #[test]
    fn a_kept_descriptor_arrives_and_a_status_pipe_is_read() {
        let (reader, writer) = io::pipe().unwrap();
        let script = format!("echo told >&{}", writer.as_raw_fd());
        let launch = Launch::wrapper("/bin/sh").args(["-c", &script]);
        let ran = run(launch.keep(writer.into()).status(reader.into()), PATIENCE).unwrap();
        assert_eq!(ran.status, b"told\n");
    }

    #[test]
    fn a_program_that_cannot_be_started_is_an_error() {
        assert!(run(Launch::wrapper("/no/such/program"), PATIENCE).is_err());
    }
}
