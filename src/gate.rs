//! Which requests may run. The gate decides by the name as it was written, and by nothing else: it is
//! a statement of intent. What holds a program is the launcher.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::files::{FileProblem, STDIN_FILE, STDOUT_APPEND, STDOUT_FILE};
use crate::guard::GuardRefusal;
use crate::pipeline::{MOST_STAGES, Stage, StagePlace};
use crate::quoted::quoted;
use crate::{AllowList, Request};

/// The decision about names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gate {
    /// Every name. The decision is made elsewhere, or the sandbox makes it harmless.
    Any,
    /// What a list admits.
    Only(AllowList),
}

/// The caller's mistake: nothing was run. An MCP tool answers with `isError`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The name is not on the list.
    #[error(
        "command {} is not on the allow list; allowed: {}{}",
        quoted(command),
        allowed,
        hint(command)
    )]
    NotAllowed {
        /// The name as it was written.
        command: OsString,
        /// What the list holds.
        allowed: AllowList,
    },
    /// The name is empty.
    #[error("`command` is empty; it must name one program")]
    NoCommand,
    /// A NUL byte would cut the value short.
    #[error("`{0}` holds a NUL byte, which no program can receive there")]
    Nul(String),
    /// The directory of the call cannot be used.
    #[error("`cwd` {} cannot be used: {}", quoted(dir.as_os_str()), because(source))]
    Directory {
        /// The directory.
        dir: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The directory of the call is outside of what the profile shows.
    #[error(
        "`cwd` {} is not under any directory that the profile `{profile}` opens: {}; a call cannot \
         widen it",
        quoted(dir.as_os_str()),
        paths(roots)
    )]
    DirectoryOutside {
        /// The directory, physical.
        dir: PathBuf,
        /// The profile in force.
        profile: String,
        /// The directories that it opens.
        roots: Vec<PathBuf>,
    },
    /// The arguments make something else of the program than was meant.
    #[error(transparent)]
    Guard(#[from] GuardRefusal),
    /// The validator does not allow it.
    #[error("the validator of this tool refuses it: {reason}")]
    Vetoed {
        /// Its reason.
        reason: String,
    },
    /// Nothing may run that cannot be recorded, and this cannot.
    #[error("nothing runs here that is not recorded, and the audit cannot be written: {why}")]
    NotRecorded {
        /// What is wrong with the audit, with its causes.
        why: String,
    },
    /// The timeout is zero.
    #[error("`timeout` must be a positive number of seconds")]
    Timeout,
    /// Two things that the request asks for exclude each other.
    #[error("`{0}` and `{1}` exclude each other: there is one stream, and one place for it")]
    Both(&'static str, &'static str),
    /// A file in place of a stream cannot be used.
    #[error("`{key}` {}: {problem}", quoted(path.as_os_str()))]
    File {
        /// `stdin-file`, `stdout-file` or `stdout-append`.
        key: &'static str,
        /// The path as it was written.
        path: PathBuf,
        /// Why not.
        #[source]
        problem: FileProblem,
    },
    /// The pipeline is too long.
    #[error("a pipeline has at most {MOST_STAGES} stages, and this one has {stages}")]
    TooManyStages {
        /// How many it has.
        stages: usize,
    },
    /// One stage of a pipeline is refused, and so all of it is.
    #[error("{stage}: {refusal}")]
    Stage {
        /// Which one.
        stage: StagePlace,
        /// Why.
        #[source]
        refusal: Box<Refusal>,
    },
}

impl Refusal {
    /// The same, about one stage where there are several.
    pub(crate) fn at(self, place: Option<StagePlace>) -> Refusal {
        match place {
            Some(stage) => Refusal::Stage { stage, refusal: Box::new(self) },
            None => self,
        }
    }
}

/// A request that may run.
#[derive(Debug)]
pub(crate) struct Admitted(Request);

impl Admitted {
    pub(crate) fn request(&self) -> &Request {
        &self.0
    }

    /// What its first program reads.
    pub(crate) fn take_stdin(&mut self) -> Option<Vec<u8>> {
        self.0.stdin.take()
    }

    pub(crate) fn into_request(self) -> Request {
        self.0
    }
}

impl Gate {
    /// Whether this very name is on a list.
    pub(crate) fn names(&self, command: &OsStr) -> bool {
        matches!(self, Gate::Only(allowed) if allowed.names().contains(command))
    }

    /// Whether a program of this name may run.
    pub(crate) fn admits(&self, command: &OsStr) -> bool {
        match self {
            Gate::Any => true,
            Gate::Only(allowed) => allowed.admits(command),
        }
    }

    /// Checks a request. The only way to an [`Admitted`].
    pub(crate) fn admit(&self, request: Request) -> Result<Admitted, Refusal> {
        let stages = 1 + request.further.len();
        if stages > MOST_STAGES {
            return Err(Refusal::TooManyStages { stages });
        }
        for (place, stage) in request.stages() {
            self.admit_stage(stage).map_err(|refusal| refusal.at(place))?;
        }
        if let Some(cwd) = &request.cwd {
            refuse_nul("cwd", cwd.as_os_str())?;
        }
        admit_files(&request)?;
        if request.timeout.is_some_and(|timeout| timeout.is_zero()) {
            return Err(Refusal::Timeout);
        }
        Ok(Admitted(request))
    }

    fn admit_stage(&self, stage: &Stage) -> Result<(), Refusal> {
        if stage.command.is_empty() {
            return Err(Refusal::NoCommand);
        }
        refuse_nul("command", &stage.command)?;
        if let Gate::Only(allowed) = self
            && !self.admits(&stage.command)
        {
            let command = stage.command.clone();
            return Err(Refusal::NotAllowed { command, allowed: allowed.clone() });
        }
        for (index, arg) in stage.args.iter().enumerate() {
            refuse_nul_in(arg, || format!("args[{index}]"))?;
        }
        Ok(())
    }
}

fn admit_files(request: &Request) -> Result<(), Refusal> {
    let files = &request.files;
    if request.stdin.is_some() && files.stdin.is_some() {
        return Err(Refusal::Both("stdin", STDIN_FILE));
    }
    if files.stdout.is_some() && files.append.is_some() {
        return Err(Refusal::Both(STDOUT_FILE, STDOUT_APPEND));
    }
    for (key, path) in files.all() {
        refuse_nul(key, path.as_os_str())?;
    }
    Ok(())
}

fn refuse_nul(field: &str, value: &OsStr) -> Result<(), Refusal> {
    refuse_nul_in(value, || field.to_owned())
}

fn refuse_nul_in(value: &OsStr, field: impl FnOnce() -> String) -> Result<(), Refusal> {
    match value.as_bytes().contains(&0) {
        true => Err(Refusal::Nul(field())),
        false => Ok(()),
    }
}

fn paths(roots: &[PathBuf]) -> String {
    let roots: Vec<_> = roots.iter().map(|root| quoted(root.as_os_str())).collect();
    roots.join(", ")
}

fn because(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such directory".to_owned(),
        io::ErrorKind::NotADirectory => "it is not a directory".to_owned(),
        io::ErrorKind::PermissionDenied => "it may not be entered (permission denied)".to_owned(),
        _ => error.to_string(),
    }
}

fn hint(command: &OsStr) -> String {
    shell_line(command).map_or_else(String::new, |hint| format!("; {hint}"))
}

/// The commonest mistake: a whole shell line as the name of one program.
pub(crate) fn shell_line(command: &OsStr) -> Option<String> {
    let text = command.to_string_lossy();
    let looks_so =
        text.chars().any(|sign| sign.is_whitespace() || "|&;<>$`*?(){}\"'".contains(sign));
    looks_so.then(|| {
        let pipes = if text.contains('|') { " (`pipeline` connects programs)" } else { "" };
        format!(
            "{} is not the name of a program: `command` is one program and `args` its arguments; \
             there is no shell{pipes}",
            quoted(command)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(names: &[&str]) -> Gate {
        Gate::Only(AllowList::new(names))
    }

    #[test]
    fn a_near_miss_of_an_allowed_name_is_refused_and_quoted() {
        let gate = only(&["git", "rg"]);
        assert!(gate.admit(Request::new("git")).is_ok());
        for near in ["./git", "/usr/bin/git", "git ", " git", "GIT", "git\n", "gitk"] {
            let refusal = gate.admit(Request::new(near)).unwrap_err().to_string();
            let name = near.escape_debug().to_string();
            assert!(refusal.contains(&format!("`{name}`")), "{refusal}");
            assert!(refusal.contains("allowed: git, rg"), "{refusal}");
        }
    }

    #[test]
    fn a_pattern_does_not_admit_what_only_begins_like_it() {
        let patterns = ["git.*".parse().unwrap()];
        let gate = Gate::Only(AllowList::new(["rg"]).with_patterns(patterns));
        assert!(gate.admit(Request::new("gitk")).is_ok());
        for near in ["xgit", "git\nrm", "./git"] {
            let refusal = gate.admit(Request::new(near)).unwrap_err().to_string();
            assert!(refusal.contains("allowed: rg, /git.*/"), "{refusal}");
        }
        assert!(matches!(gate.admit(Request::new("git\0")), Err(Refusal::Nul(_))));
    }

    #[test]
    fn a_nul_byte_is_refused_with_the_name_of_its_field() {
        let gate = Gate::Any;
        let message = |request| gate.admit(request).unwrap_err().to_string();
        assert!(message(Request::new("ec\0ho")).contains("`command`"));
        assert!(message(Request::new("echo").args(["a", "b\0"])).contains("`args[1]`"));
        assert!(message(Request::new("echo").cwd("/\0")).contains("`cwd`"));
    }

    #[test]
    fn every_stage_of_a_pipeline_must_be_allowed_and_the_refusal_names_the_one() {
        let gate = only(&["git", "wc"]);
        assert!(gate.admit(Request::new("git").pipe("wc").arg("|")).is_ok());
        let message = |request| gate.admit(request).unwrap_err().to_string();
        let refusal = message(Request::new("git").pipe("rm").pipe("wc"));
        assert!(refusal.starts_with("stage 2 of 3: command `rm` is not on the allow"), "{refusal}");
        let refusal = message(Request::new("git").pipe("wc").args(["-c", "\0"]));
        assert!(refusal.starts_with("stage 2 of 2: `args[1]` holds a NUL"), "{refusal}");
        let refusal = message(Request::new("git").pipe(""));
        assert!(refusal.starts_with("stage 2 of 2: `command` is empty"), "{refusal}");
    }

    #[test]
    fn a_pipeline_has_an_end() {
        let long = |count| (1..count).fold(Request::new("cat"), |so_far, _| so_far.pipe("cat"));
        assert!(Gate::Any.admit(long(16)).is_ok());
        let refusal = Gate::Any.admit(long(17)).unwrap_err().to_string();
        assert_eq!(refusal, "a pipeline has at most 16 stages, and this one has 17");
    }

    #[test]
    fn nul_bytes_are_welcome_on_standard_input() {
        assert!(Gate::Any.admit(Request::new("wc").stdin("a\0b")).is_ok());
    }

    #[test]
    fn a_stream_has_one_place() {
        let message = |request| Gate::Any.admit(request).unwrap_err().to_string();
        let text = message(Request::new("cat").stdin("").stdin_file("in"));
        assert!(text.starts_with("`stdin` and `stdin-file` exclude each other"), "{text}");
        let text = message(Request::new("cat").stdout_file("a").stdout_append("b"));
        assert!(text.starts_with("`stdout-file` and `stdout-append` exclude"), "{text}");
        let text = message(Request::new("cat").stdout_append("a\0b"));
        assert!(text.contains("`stdout-append` holds a NUL"), "{text}");
        assert!(Gate::Any.admit(Request::new("cat").stdin_file("a").stdout_file("b")).is_ok());
    }

    #[test]
    fn a_shell_line_is_explained() {
        let refusal = only(&["ls"]).admit(Request::new("ls -la | head")).unwrap_err().to_string();
        assert!(refusal.contains("there is no shell"), "{refusal}");
        assert!(shell_line(OsStr::new("ls")).is_none());
    }

    #[test]
    fn an_empty_name_is_no_program() {
        assert!(matches!(Gate::Any.admit(Request::new("")), Err(Refusal::NoCommand)));
    }
}
