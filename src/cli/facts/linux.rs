//! Facts about Linux.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::{PidfdFlags, getpid, pidfd_open};

use super::{Fact, fact, user, userns};
use crate::cgroup;
use crate::outcome::chain;

/// All of them. The last one moves this process into namespaces of its own.
pub(super) fn gather() -> Vec<Fact> {
    let mut facts = vec![
        fact("kernel", "kernel", kernel()),
        fact("landlock", "Landlock", landlock()),
        fact("seccomp", "seccomp", seccomp()),
        fact("pidfd", "pidfd", pidfd()),
        fact("user", "user", user()),
        fact("bubblewrap", "bubblewrap", bubblewrap()),
        fact("cgroup", "cgroup", cgroup()),
    ];
    facts.push(fact("user-namespaces", "user namespaces", user_namespaces()));
    facts
}

fn kernel() -> String {
    let name = read("/proc/sys/kernel/ostype").unwrap_or_else(|| std::env::consts::OS.to_owned());
    let release =
        read("/proc/sys/kernel/osrelease").unwrap_or_else(|| "of unknown release".to_owned());
    format!("{name} {release} ({})", std::env::consts::ARCH)
}

#[cfg(feature = "landlock")]
fn landlock() -> String {
    match cofferdam_landlock::kernel_version() {
        Ok(version) => format!("interface version {version}"),
        Err(error) => format!("no: {}", chain(&error)),
    }
}

#[cfg(not(feature = "landlock"))]
fn landlock() -> String {
    "this build has no launcher that uses it".to_owned()
}

/// `proc(5)`: 0 off, 1 strict, 2 filter; the line is missing where the kernel has none.
fn seccomp() -> String {
    let status = read("/proc/self/status").unwrap_or_default();
    match status.lines().find_map(|line| line.strip_prefix("Seccomp:")).map(str::trim) {
        Some("0") => "yes".to_owned(),
        Some(_) => "yes; this program is itself under a filter, as in a container".to_owned(),
        None => "no: the kernel is built without it (CONFIG_SECCOMP)".to_owned(),
    }
}

fn pidfd() -> String {
    match pidfd_open(getpid(), PidfdFlags::empty()) {
        Ok(_) => "yes".to_owned(),
        Err(error) => format!("no: {error}; no command can be run (Linux 5.4 or newer has it)"),
    }
}

/// Where each run gets a cgroup of its own, for a profile that limits memory or processes.
fn cgroup() -> String {
    match cgroup::place() {
        Ok(place) => format!("one for each run with such limits, in `{}`", place.dir().display()),
        Err(error) => format!(
            "no: {}; limits on memory and processes hold for single processes and the user",
            chain(error)
        ),
    }
}

/// Its path and version. One that somebody else could have put there is not run.
fn bubblewrap() -> String {
    let Ok(path) = which::which("bwrap") else { return "not on PATH".to_owned() };
    let path = path.canonicalize().unwrap_or(path);
    match version(&path) {
        Some(version) => format!("{} ({version})", path.display()),
        None => path.display().to_string(),
    }
}

fn version(program: &PathBuf) -> Option<String> {
    let metadata = fs::metadata(program).ok()?;
    if metadata.uid() != 0 || metadata.mode() & 0o022 != 0 {
        return None;
    }
    let ran = Command::new(program)
        .arg("--version")
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let said = ran.ok()?.stdout;
    Some(String::from_utf8_lossy(&said).lines().next()?.trim().to_owned())
}

/// Whether they can be made, and which settings of the system speak against it.
fn user_namespaces() -> String {
    match userns::enter() {
        Ok(()) => "yes".to_owned(),
        Err(refused) => format!("no: {}{}", chain(&refused), obstacle()),
    }
}

/// The usual reasons, each with its remedy.
fn obstacle() -> &'static str {
    let is = |path: &str, value: &str| read(path).as_deref() == Some(value);
    if is("/proc/sys/user/max_user_namespaces", "0") {
        "; `user.max_user_namespaces` is 0: raise it with sysctl"
    } else if is("/proc/sys/kernel/unprivileged_userns_clone", "0") {
        "; `kernel.unprivileged_userns_clone` is 0: set it to 1 with sysctl"
    } else if is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") {
        "; AppArmor restricts them: give this program a profile with `userns,`, or set \
         `kernel.apparmor_restrict_unprivileged_userns` to 0 with sysctl"
    } else if Path::new("/.dockerenv").exists() || Path::new("/run/.containerenv").exists() {
        "; this is a container, whose runtime decides: start it with a seccomp profile that lets \
         `unshare` and `clone` pass"
    } else {
        ""
    }
}

fn read(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_that_can_be_read_says_something() {
        for value in [kernel(), landlock(), seccomp(), pidfd(), user(), bubblewrap(), cgroup()] {
            assert!(!value.is_empty() && !value.contains('\n'), "{value:?}");
        }
    }

    #[test]
    fn a_program_that_somebody_else_could_have_put_there_is_not_run() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("bwrap");
        fs::copy("/bin/echo", &program).unwrap();
        let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(&program, mode(0o777)).unwrap();
        assert_eq!(version(&program), None);
    }
}
