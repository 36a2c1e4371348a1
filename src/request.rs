//! What a caller asks for. Nothing in it has been checked.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::files::StreamFiles;
use crate::pipeline::{Stage, StagePlace};

/// One command that a caller wants to run, or several that are connected by pipes.
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
    pub(crate) first: Stage,
    pub(crate) further: Vec<Stage>,
    /// Whether it was asked for as a pipeline, if only one of one stage.
    pub(crate) is_pipeline: bool,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) stdin: Option<Vec<u8>>,
    pub(crate) files: StreamFiles,
    pub(crate) timeout: Option<Duration>,
    pub(crate) tool: Option<String>,
}

impl Request {
    /// A request for one program: a bare name that the child's `PATH` resolves, or a path. A path
    /// that is not absolute is relative to the run's directory.
    pub fn new(command: impl Into<OsString>) -> Self {
        Request {
            first: Stage::new(command.into()),
            further: Vec::new(),
            is_pipeline: false,
            cwd: None,
            stdin: None,
            files: StreamFiles::default(),
            timeout: None,
            tool: None,
        }
    }

    /// Adds one argument to the program that was named last. It reaches the program byte for byte:
    /// there is no shell.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.last_mut().args.push(arg.into());
        self
    }

    /// Adds arguments to the program that was named last, in order.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.last_mut().args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Another program, which reads what the one before it writes. All of them run at once, each in a
    /// sandbox of its own, with pipes of the kernel between them; there are at most 16.
    ///
    /// The first reads the request's standard input, the last writes the outcome's standard output, and
    /// the standard errors of all are one stream. The run is over when all of them have ended. Its exit
    /// is that of the last; [`Outcome::stages`](crate::Outcome::stages) has them all.
    ///
    /// ```
    /// use cofferdam::{Request, Runner};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let dir = tempfile::tempdir()?;
    /// let runner = Runner::builder().allow(["yes", "head"]).workspace(dir.path()).build()?;
    /// let request = Request::new("yes").pipe("head").args(["-n", "1"]);
    /// let outcome = runner.run_blocking(request)?;
    /// assert_eq!(outcome.stdout_bytes(), b"y\n");
    /// // `yes` was ended by SIGPIPE, signal 13.
    /// assert_eq!(outcome.payload().stages, [Some(141), Some(0)]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn pipe(mut self, command: impl Into<OsString>) -> Self {
        self.further.push(Stage::new(command.into()));
        self.is_pipeline = true;
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

    /// The file that the program reads as its standard input, in place of [`Request::stdin`].
    ///
    /// It lies in the run's directory or below it: the path is relative to that directory, or absolute
    /// and below it. No symbolic link is followed, it is a regular file, and the policy lets a run read
    /// it. The program reads a pipe, and never holds a descriptor of the file.
    #[must_use]
    pub fn stdin_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.stdin = Some(path.into());
        self
    }

    /// The file that takes the program's standard output, in place of what it holds.
    ///
    /// As for [`Request::stdin_file`]; the policy lets a run write it, it has no other names (hard
    /// links), and it does not lie in a `.git` folder. One that is not there is made, with mode 0644 less
    /// the umask. It keeps what it holds until the program has written something, or has ended, and for
    /// good where the run does not start. It does not grow beyond
    /// [`RunnerBuilder::max_file_bytes`](crate::RunnerBuilder::max_file_bytes).
    ///
    /// ```
    /// use cofferdam::{Request, Runner};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let dir = tempfile::tempdir()?;
    /// # let dir = dir.path();
    /// let runner = Runner::builder().allow_any().workspace(dir).build()?;
    /// std::fs::write(dir.join("in.txt"), "b\na\n")?;
    /// let request = Request::new("sort").stdin_file("in.txt").stdout_file("out.txt");
    /// let outcome = runner.run_blocking(request)?;
    /// assert_eq!(outcome.payload().stdout_bytes, Some(4));
    /// assert_eq!(std::fs::read_to_string(dir.join("out.txt"))?, "a\nb\n");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn stdout_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.stdout = Some(path.into());
        self
    }

    /// The file behind whose end the program's standard output goes. As [`Request::stdout_file`], with
    /// which it cannot be combined.
    #[must_use]
    pub fn stdout_append(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.append = Some(path.into());
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

    /// The programs in their order, each with its place where it is one of a pipeline.
    pub(crate) fn stages(&self) -> impl DoubleEndedIterator<Item = (Option<StagePlace>, &Stage)> {
        let of = 1 + self.further.len();
        let place = move |number| self.is_pipeline.then(|| StagePlace::new(number, of));
        let further = self.further.iter().enumerate();
        std::iter::once((place(1), &self.first))
            .chain(further.map(move |(index, stage)| (place(index + 2), stage)))
    }

    /// The programs without their arguments, for lists and messages: `git | grep | wc`.
    pub(crate) fn label(&self) -> String {
        let names = self.stages().map(|(_, stage)| stage.command.to_string_lossy());
        names.collect::<Vec<_>>().join(" | ")
    }

    fn last_mut(&mut self) -> &mut Stage {
        self.further.last_mut().unwrap_or(&mut self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_belong_to_the_program_before_them() {
        let request = Request::new("git").arg("log").pipe("grep").args(["-c", "fix"]).pipe("cat");
        let stages: Vec<_> = request.stages().map(|(_, stage)| stage.args.clone()).collect();
        assert_eq!(stages, [vec!["log"], vec!["-c", "fix"], vec![]]);
        assert_eq!(request.label(), "git | grep | cat");
        let places: Vec<_> = request.stages().filter_map(|(place, _)| place).collect();
        assert_eq!(places.last().unwrap().to_string(), "stage 3 of 3");
    }

    #[test]
    fn a_single_command_has_no_place() {
        assert!(Request::new("git").arg("log").stages().all(|(place, _)| place.is_none()));
    }
}
