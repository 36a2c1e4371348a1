//! What a caller asks for. Nothing in it has been checked.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// One command that a caller wants to run.
///
/// ```
/// use cofferdam::Request;
/// use std::time::Duration;
///
/// let request = Request::new("git")
///     .args(["log", "--grep", "fix the thing"])
///     .cwd("/srv/app")
///     .timeout(Duration::from_secs(5));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub(crate) command: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) stdin: Option<Vec<u8>>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) tool: Option<String>,
}

impl Request {
    /// A request for one program: a bare name that the child's `PATH` resolves, or a path. A path
    /// that is not absolute is relative to the run's directory.
    pub fn new(command: impl Into<OsString>) -> Self {
        Request {
            command: command.into(),
            args: Vec::new(),
            cwd: None,
            stdin: None,
            timeout: None,
            tool: None,
        }
    }

    /// Adds one argument. It reaches the program byte for byte: there is no shell.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments, in order.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The working directory, in place of the runner's. A relative path starts there. It moves the
    /// run and widens nothing.
    #[must_use]
    pub fn cwd(mut self, dir: impl Into<PathBuf>) -> Self {
        self.cwd = Some(dir.into());
        self
    }

    /// What the program reads from its standard input. Without it the program reads an immediate end
    /// of file, as it does with an empty value.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// After this time the run is killed, in place of the runner's timeout. Zero is refused.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The part of the host that asks, such as `sh_run`: for the audit and the validator, and for
    /// nothing else.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.tool = Some(name.into());
        self
    }
}
