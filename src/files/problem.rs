//! Why a file cannot stand in place of a stream.

use std::io;
use std::path::PathBuf;

/// Why a file cannot stand in place of a standard stream. Nothing was run, and nothing was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// It names no file below the run's directory.
    #[error(
        "it must name a file below `{}`, the run's directory: a relative path, or an absolute one \
         below it, without `..`",
        dir.display()
    )]
    Outside {
        /// The run's directory.
        dir: PathBuf,
    },
    /// There is a symbolic link on the way, or at the end of it.
    #[error("`{}` is a symbolic link, and none is followed", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// It is a directory, a device, a pipe or a socket.
    #[error("it is no regular file")]
    NotRegular,
    /// The kernel makes it up, as under `/proc`.
    #[error("it is no file of a disk, but one that the kernel makes up")]
    KernelMade,
    /// It has other names, by which it may be something that a run must not write.
    #[error("it has {names} names (hard links), and a file is written only where it has one")]
    ManyNames {
        /// How many.
        names: u64,
    },
    /// It lies in a `.git` folder, where files make git run programs.
    #[error("nothing is written into a `.git` folder, whose files make git run programs")]
    Git,
    /// It is one of Cofferdam's own files.
    #[error("it is a file of Cofferdam's own")]
    Own,
    /// The profile does not open it.
    #[error(
        "the profile `{profile}` does not let a run {what} it{}",
        if roots.is_empty() { String::new() } else { format!("; it may write in {}", list(roots)) }
    )]
    Closed {
        /// The profile in force.
        profile: String,
        /// `read` or `write`.
        what: &'static str,
        /// Where runs may write; empty where it is about reading.
        roots: Vec<PathBuf>,
    },
    /// It is another name for what the profile denies or protects.
    #[error("it leads to `{}`, which the profile `{profile}` keeps closed", path.display())]
    OtherName {
        /// The path of the rule.
        path: PathBuf,
        /// The profile in force.
        profile: String,
    },
    /// Input and output are one file.
    #[error("it is the file of `stdin-file` too")]
    Same,
    /// The system refuses it.
    #[error("{}", because(source))]
    System {
        /// What it says.
        #[source]
        source: io::Error,
    },
}

impl From<rustix::io::Errno> for FileProblem {
    fn from(errno: rustix::io::Errno) -> Self {
        FileProblem::System { source: errno.into() }
    }
}

fn because(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::NotADirectory => "a part of its path is no folder".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ")
}
