//! What a policy can be asked.

use std::fmt;
use std::path::PathBuf;

/// Something that a run may want to do. Paths are absolute; they may lead through links.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// Read a file, or list a directory.
    Read(PathBuf),
    /// Create, change or remove something.
    Write(PathBuf),
    /// Rename or remove a directory with all that is in it.
    Move(PathBuf),
    /// Execute a file.
    Execute(PathBuf),
    /// Connect to a host, or look up its name.
    Connect {
        /// Its name or address.
        host: String,
        /// The port; `None` where it does not matter.
        port: Option<u16>,
    },
    /// Listen on a port.
    Bind {
        /// The port; `None` for any.
        port: Option<u16>,
    },
    /// Connect to a Unix socket.
    Socket(PathBuf),
    /// Know a variable of the host's environment.
    Variable(String),
}

impl Question {
    /// One word for what is asked: `read`, `write` (also for a
    /// move), `exec`, `connect`, `bind`, `socket` or `env`.
    pub fn word(&self) -> &'static str {
        match self {
            Question::Read(_) => "read",
            Question::Write(_) | Question::Move(_) => "write",
            Question::Execute(_) => "exec",
            Question::Connect { .. } => "connect",
            Question::Bind { .. } => "bind",
            Question::Socket(_) => "socket",
            Question::Variable(_) => "env",
        }
    }

    /// What it is asked about, as text: a path, `HOST:PORT`, a name. Bytes that are no UTF-8 are
    /// replaced; control characters are as they were.
    pub fn target(&self) -> String {
        match self {
            Question::Read(path)
            | Question::Write(path)
            | Question::Move(path)
            | Question::Execute(path)
            | Question::Socket(path) => path.to_string_lossy().into_owned(),
            Question::Connect { host, port: Some(port) } if host.contains(':') => {
                format!("[{host}]:{port}")
            }
            Question::Connect { host, port: Some(port) } => format!("{host}:{port}"),
            Question::Connect { host, port: None } => host.clone(),
            Question::Bind { port: Some(port) } => format!("port {port}"),
            Question::Bind { port: None } => "any port".to_owned(),
            Question::Variable(name) => name.clone(),
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.word(), self.target().escape_debug())
    }
}
