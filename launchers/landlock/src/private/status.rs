//! What the init has told on its status pipe.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use cofferdam_launcher::LaunchError;

use super::blame;
use super::protocol::{Record, stage, tell};

/// All that the init has told so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Status {
    /// The first process of the namespaces, as the host numbers it.
    pub(crate) process: Option<u32>,
    /// The command ran and has ended.
    pub(crate) ended: bool,
    /// The command never ran.
    pub(crate) failure: Option<Failure>,
    /// The run found its template outdated.
    pub(crate) anew: bool,
    /// What a template shows, once it stands: identities as the init tells them.
    pub(crate) shown: Option<Vec<u8>>,
}

/// What failed before the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// One of the protocol's stages.
    pub(crate) stage: u32,
    pub(crate) errno: i32,
    /// The path that it was about; empty where it was about none.
    pub(crate) path: PathBuf,
}

impl Failure {
    /// The preparation of a trial failed, in the host.
    pub(crate) fn of_preparation(error: &LaunchError) -> Failure {
        match error {
            LaunchError::Path { path, source } => Failure {
                stage: stage::STEP,
                errno: source.raw_os_error().unwrap_or(libc::EIO),
                path: path.clone(),
            },
            _ => Failure { stage: stage::PLAN, errno: libc::EIO, path: PathBuf::new() },
        }
    }

    /// Whether this says that the system does not permit the namespaces, and not that something is
    /// wrong with a path of the policy, or with the moment: what may be there the next time is not
    /// done without.
    pub(crate) fn is_lack_of_namespaces(&self) -> bool {
        const PASSING: [i32; 6] =
            [libc::EAGAIN, libc::EIO, libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::ETIMEDOUT];
        let own = [Path::new("/proc"), Path::new("/dev")];
        match self.stage {
            _ if PASSING.contains(&self.errno) => false,
            stage::PLAN
            | stage::UNSHARE
            | stage::IDS
            | stage::LOOPBACK
            | stage::FORK
            | stage::NETWORK
            | stage::ROOT
            | stage::LEAVE => true,
            // Where a filter around the host refuses to mount, or the kernel is older than the calls.
            stage::STEP => {
                own.contains(&self.path.as_path())
                    || [libc::ENOSYS, libc::EPERM].contains(&self.errno)
            }
            _ => false,
        }
    }

    /// As an error of the check.
    pub(crate) fn at_start(&self) -> LaunchError {
        let remedy = match self.stage {
            stage::STEP | stage::RULE => "change the rule, or the path that it names",
            stage::PLAN => {
                "try again; where it stays, use `namespaces = \"off\"` or another launcher"
            }
            _ => "use `namespaces = \"off\"` or another launcher",
        };
        LaunchError::unsupported(blame::describe(self), remedy)
    }
}

impl Status {
    /// Reads what has arrived. A record that is not complete yet is left out.
    pub(crate) fn parse(bytes: &[u8]) -> Status {
        let mut status = Status::default();
        let (mut rest, size) = (bytes, size_of::<Record>());
        while let Some((record, after)) = rest.split_at_checked(size) {
            let word = |at: usize| {
                record
                    .get(at..at + 4)
                    .and_then(|four| four.try_into().ok())
                    .map_or(0, u32::from_ne_bytes)
            };
            match word(0) {
                tell::PROCESS => status.process = Some(word(4)),
                tell::ENDED => status.ended = true,
                tell::ANEW => status.anew = true,
                tell::READY => {
                    status.shown = Some(after.to_vec());
                    break;
                }
                tell::FAILED => {
                    let path = PathBuf::from(OsStr::from_bytes(after));
                    let errno = word(8) as i32;
                    status.failure = Some(Failure { stage: word(4), errno, path });
                    break;
                }
                _ => break,
            }
            rest = after;
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(words: [u32; 4]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn records_are_read_in_their_order() {
        let begun = record([tell::PROCESS, 42, 0, 0]);
        assert_eq!(Status::parse(&begun).process, Some(42));
        assert!(!Status::parse(&begun).ended);
        let all = [begun, record([tell::ENDED, 9, 0, 0])].concat();
        assert!(Status::parse(&all).ended);
        assert!(!Status::parse(&all[..31]).ended);
    }

    #[test]
    fn a_failure_is_told_with_its_path() {
        let bytes = [record([tell::FAILED, 8, 2, 0]), b"/a b".to_vec()].concat();
        let failure = Status::parse(&bytes).failure.unwrap();
        assert_eq!(failure, Failure { stage: 8, errno: 2, path: "/a b".into() });
    }

    #[test]
    fn rubbish_is_no_record() {
        for bytes in [&b""[..], b"started", b"{\"child-pid\": 12 }\n{ \"exit-code\": 1 }\n"] {
            assert_eq!(Status::parse(bytes), Status::default());
        }
    }
}
