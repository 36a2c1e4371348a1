//! Spawns what a launcher returned, as a runner does, and waits for its end.

use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::io::{PipeReader, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cofferdam_launcher::{Ended, Launch, Launcher, WrapperEnd};
use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, posix_spawn};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

/// A run that has begun.
pub(crate) struct Live {
    /// The wrapper: what was exec'd.
    pub(crate) process: Pid,
    stdout: PipeReader,
    stderr: PipeReader,
    status: PipeReader,
}

impl Live {
    /// Spawns `argv` with the descriptors of the launch, and with these.
    pub(crate) fn start(
        program: &Path,
        argv: &[OsString],
        environment: &[CString],
        mut launch: Launch,
        stdin: File,
        inherited: &[RawFd],
    ) -> Live {
        let (stdout, stdout_end) = std::io::pipe().unwrap();
        let (stderr, stderr_end) = std::io::pipe().unwrap();
        let mut actions = PosixSpawnFileActions::init().unwrap();
        actions.add_dup2(stdin.as_raw_fd(), 0).unwrap();
        actions.add_dup2(stdout_end.as_raw_fd(), 1).unwrap();
        actions.add_dup2(stderr_end.as_raw_fd(), 2).unwrap();
        for fd in launch.kept() {
            actions.add_dup2(fd.as_raw_fd(), fd.as_raw_fd()).unwrap();
        }
        // A runner closes every other descriptor; the test's own parent may have left some open.
        let kept: Vec<_> = launch.kept().iter().map(AsRawFd::as_raw_fd).collect();
        for fd in open_descriptors() {
            if fd > 2 && !kept.contains(&fd) && !inherited.contains(&fd) {
                actions.add_close(fd).unwrap();
            }
        }
        let argv: Vec<_> = argv.iter().map(|arg| CString::new(arg.as_bytes()).unwrap()).collect();
        let attributes = PosixSpawnAttr::init().unwrap();
        let process = posix_spawn(program, &actions, &attributes, &argv, environment).unwrap();
        let status = launch.take_status().unwrap().into();
        Live { process, stdout, stderr, status }
    }

    /// Waits until the command writes a line, and returns it.
    pub(crate) fn next_line(&mut self) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        while !line.ends_with(b"\n") && self.stdout.read(&mut byte).unwrap() == 1 {
            line.extend(byte);
        }
        String::from_utf8(line).unwrap()
    }

    /// What the wrapper has told so far. The first record is there before the command is.
    pub(crate) fn records_so_far(&mut self) -> Vec<u8> {
        let mut bytes = vec![0; 4096];
        let count = self.status.read(&mut bytes).unwrap();
        bytes.truncate(count);
        bytes
    }

    /// Waits until all of it has ended: everything inside holds the pipes open.
    pub(crate) fn finish(mut self, launcher: &dyn Launcher) -> Ran {
        let stderr = std::thread::spawn(move || text(&mut self.stderr));
        let stdout = text(&mut self.stdout);
        let stderr = stderr.join().unwrap();
        let mut records = Vec::new();
        self.status.read_to_end(&mut records).unwrap();
        let ended = match waitpid(self.process, None).unwrap() {
            WaitStatus::Exited(_, code) => Ended::Exited(code),
            WaitStatus::Signaled(_, signal, _) => Ended::Signaled(signal as i32),
            other => panic!("{other:?}"),
        };
        let end = WrapperEnd { ended, status: &records, stderr: stderr.as_bytes() };
        let blame = launcher.blame(&end).map(|error| error.to_string());
        Ran { ended, stdout, stderr, blame }
    }
}

impl Ran {
    /// The output of a command that ran and succeeded.
    #[track_caller]
    pub(crate) fn succeeded(&self) -> &str {
        assert_eq!(self.blame, None, "{self:?}");
        assert_eq!(self.ended, Ended::Exited(0), "{self:?}");
        &self.stdout
    }

    /// The command ran and failed with this code.
    #[track_caller]
    pub(crate) fn failed_with(&self, code: i32) -> &Self {
        assert_eq!(self.blame, None, "{self:?}");
        assert_eq!(self.ended, Ended::Exited(code), "{self:?}");
        self
    }

    /// The command ran and failed.
    #[track_caller]
    pub(crate) fn failed(&self) -> &Self {
        assert_eq!(self.blame, None, "{self:?}");
        assert_ne!(self.ended, Ended::Exited(0), "{self:?}");
        self
    }

    /// The command did not run, and this is why.
    #[track_caller]
    pub(crate) fn not_started(&self) -> &str {
        match &self.blame {
            Some(reason) => reason,
            None => panic!("the command ran: {self:?}"),
        }
    }
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) ended: Ended,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// What the launcher says about it.
    pub(crate) blame: Option<String>,
}

fn text(pipe: &mut PipeReader) -> String {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn open_descriptors() -> impl Iterator<Item = i32> {
    let entries: Vec<_> = fs::read_dir("/proc/self/fd").unwrap().map(Result::unwrap).collect();
    entries.into_iter().map(|entry| entry.file_name().to_str().unwrap().parse().unwrap())
}
