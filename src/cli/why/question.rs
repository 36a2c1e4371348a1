//! What is asked, as it was written.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use cofferdam_profiles::{Answer, Inside, Policy, Question, Verdict};

use crate::cli::args::What;
use crate::cli::report::Failure;
use crate::resolve::resolve;

/// What is asked about.
pub(super) enum Asked {
    /// The policy knows.
    Policy(Question),
    /// The filter of system calls knows.
    Syscall(String),
}

/// Reads a question. A path is taken from the current directory, as those of the options are.
pub(super) fn read(what: What, target: &OsStr, policy: &Policy) -> Result<Asked, Failure> {
    let path = || Ok::<_, Failure>(env::current_dir()?.join(target));
    Ok(Asked::Policy(match what {
        What::Read => Question::Read(path()?),
        What::Write => Question::Write(path()?),
        What::Exec => Question::Execute(program(target, policy)?),
        What::Connect => connect(target)?,
        What::Bind => bind(&text(target, "a port")?)?,
        What::Env => Question::Variable(variable(target)?),
        What::Syscall => return Ok(Asked::Syscall(text(target, "the name of a system call")?)),
    }))
}

/// A name without a slash is looked up as `run` does, hidden programs too.
fn program(target: &OsStr, policy: &Policy) -> Result<PathBuf, Failure> {
    let dir = env::current_dir()?;
    if Path::new(target).components().count() > 1 || target.as_encoded_bytes().contains(&b'/') {
        return Ok(dir.join(target));
    }
    let environment = policy.environment.build(env::vars_os(), None);
    let search = environment.into_iter().find(|(name, _)| name == "PATH").unwrap_or_default().1;
    Ok(resolve(target, &dir, &search, None)?)
}

/// A host with its port, or the path of a socket.
fn connect(target: &OsStr) -> Result<Question, Failure> {
    let remedy = "name a host as `example.org:443`, or the path of a socket";
    let text = target.to_string_lossy();
    if let Some(path) = text.strip_prefix("unix:") {
        return Ok(Question::Socket(env::current_dir()?.join(path.trim_start_matches("//"))));
    }
    if text.contains("://") {
        return Err(Failure(format!("`{text}` is a URL; {remedy}")));
    }
    if text.contains('/') {
        return Ok(Question::Socket(env::current_dir()?.join(target)));
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, _)) if host.contains(':') && !host.starts_with('[') => (&*text, None),
        Some((host, port)) => (host, Some(number(port)?)),
        None => (&*text, None),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.is_empty() || host.contains(char::is_whitespace) {
        true => Err(Failure(format!("`{text}` names no host; {remedy}"))),
        false => Ok(Question::Connect { host: host.to_owned(), port }),
    }
}

/// A port, with or without an address before it.
fn bind(text: &str) -> Result<Question, Failure> {
    let port = text.rsplit_once(':').map_or(text, |(_, port)| port);
    Ok(Question::Bind { port: Some(number(port)?) })
}

fn number(port: &str) -> Result<u16, Failure> {
    port.parse().map_err(|_| Failure(format!("`{port}` is no port; give a number up to 65535")))
}

fn variable(target: &OsStr) -> Result<String, Failure> {
    let name = text(target, "the name of a variable")?;
    match name.is_empty() || name.contains('=') {
        true => Err(Failure(format!("`{name}` is no name of a variable; leave out its value"))),
        false => Ok(name),
    }
}

fn text(target: &OsStr, wanted: &str) -> Result<String, Failure> {
    let text = target.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure(format!("{target:?} is not {wanted}: it is no UTF-8")))
}

/// A grant names something that exists. A person may see what does: for a path that is missing, the
/// nearest folder around it is named instead.
pub(super) fn with_existing_path(
    question: &Question,
    verdict: &mut Verdict,
    policy: &Policy,
    inside: &Inside,
) {
    let (Answer::Refused, Some(path)) = (verdict.answer, &verdict.path) else { return };
    // What is hidden below a grant stays so when the folder around it is opened.
    if verdict.key == "filesystem.deny" {
        return;
    }
    let exists = |path: &&Path| path.symlink_metadata().is_ok();
    let nearest = path.ancestors().find(exists).unwrap_or(path);
    if nearest == path || nearest == Path::new("/") {
        return;
    }
    let around = match question {
        Question::Write(_) => Question::Write(nearest.to_owned()),
        Question::Read(_) => Question::Read(nearest.to_owned()),
        _ => return,
    };
    let around = policy.ask(&around, inside);
    if around.answer == Answer::Refused {
        verdict.changes = around.changes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(target: &str) -> String {
        match connect(OsStr::new(target)) {
            Ok(question) => format!("{question}"),
            Err(Failure(reason)) => reason,
        }
    }

    #[test]
    fn a_host_is_told_from_a_socket() {
        assert_eq!(asked("example.org:443"), "connect example.org:443");
        assert_eq!(asked("example.org"), "connect example.org");
        assert_eq!(asked("[::1]:80"), "connect [::1]:80");
        assert_eq!(asked("::1"), "connect ::1");
        assert_eq!(asked("/run/x.sock"), "socket /run/x.sock");
        assert_eq!(asked("unix:///run/x.sock"), "socket /run/x.sock");
    }

    #[test]
    fn what_is_no_host_is_refused_with_the_remedy() {
        assert!(asked("https://example.org/").contains("is a URL; name a host as"));
        assert!(asked("example.org:https").contains("`https` is no port"));
        assert!(asked("example.org:70000").contains("up to 65535"));
        assert!(asked(":443").contains("names no host"));
        assert!(variable(OsStr::new("A=b")).is_err());
    }
}
