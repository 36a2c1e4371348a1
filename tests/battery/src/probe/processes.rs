//! Reaches for other processes, and for powers that it should not have.

use std::fs::{self, File};
use std::io::{IoSliceMut, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::sys::ptrace;
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid as NixPid;
use rustix::fs::{Mode, OFlags, StatVfsMountFlags, fstatvfs};
use rustix::process::{
    Pid, PidfdFlags, PidfdGetfdFlags, Resource, Rlimit, Signal, getpid, getuid, kill_process,
    pidfd_getfd, pidfd_open, pidfd_send_signal, prlimit, setpriority_process, setsid,
};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;
use super::raw;

pub(super) const WORDS: &[Word] = &[
    ("wait", wait),
    ("look-into", look_into),
    ("open-memory", open_memory),
    ("read-descriptors", read_descriptors),
    ("list-processes", list_processes),
    ("trace", trace),
    ("read-memory", read_memory),
    ("take-descriptor", take_descriptor),
    ("compare", compare),
    ("signal", signal),
    ("signal-thread", signal_thread),
    ("signal-by-queue", signal_by_queue),
    ("signal-by-pidfd", signal_by_pidfd),
    ("signal-by-descriptor", signal_by_descriptor),
    ("signal-everybody", signal_everybody),
    ("limit-process", limit_process),
    ("renice", renice),
    ("pin", pin),
    ("blame-for-memory", blame_for_memory),
    ("leave-daemon", leave_daemon),
    ("leave-child", leave_child),
    ("hold-lock", hold_lock),
    ("kill-own-child", kill_own_child),
    ("gain-by-setuid", gain_by_setuid),
    ("become", become_user),
    ("have-capabilities", have_capabilities),
    ("have-new-privileges", have_new_privileges),
    ("write-own-program", write_own_program),
    ("start-debugger", start_debugger),
];

fn nix_id(pid: Pid) -> NixPid {
    NixPid::from_raw(pid.as_raw_nonzero().get())
}

/// The victim: tells where something lies in its memory, and stays until its input ends.
fn wait(words: &mut Arguments<'_>) -> Answer {
    let secret = words.text()?.into_bytes();
    let held = words.path().ok().map(File::open);
    fs::write("victim-address", format!("{} {}", secret.as_ptr() as usize, secret.len()))
        .step("write")?;
    std::io::stdin().read_to_end(&mut Vec::new()).step("wait")?;
    drop((held, secret));
    Ok("waited".to_owned())
}

/// A file or link of a process's folder in `/proc`.
fn look_into(words: &mut Arguments<'_>) -> Answer {
    let (process, name) = (words.process()?, words.text()?);
    let path = PathBuf::from(format!("/proc/{}/{name}", process.as_raw_nonzero()));
    match name.as_str() {
        "cwd" | "root" | "exe" => Ok(fs::read_link(&path).step("readlink")?.display().to_string()),
        _ => Ok(String::from_utf8_lossy(&fs::read(&path).step("read")?).replace('\0', " ")),
    }
}

fn open_memory(words: &mut Arguments<'_>) -> Answer {
    let path = format!("/proc/{}/mem", words.process()?.as_raw_nonzero());
    File::options().read(true).write(true).open(path).step("open")?;
    Ok("opened".to_owned())
}

/// Everything that a process has open and that is a file.
fn read_descriptors(words: &mut Arguments<'_>) -> Answer {
    let folder = format!("/proc/{}/fd", words.process()?.as_raw_nonzero());
    let mut text = String::new();
    for entry in fs::read_dir(folder).step("list")?.flatten() {
        if fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file()) {
            text.push_str(&fs::read_to_string(entry.path()).unwrap_or_default());
        }
    }
    Ok(text)
}

fn list_processes(_: &mut Arguments<'_>) -> Answer {
    let mut lines = Vec::new();
    for entry in fs::read_dir("/proc").step("list")?.flatten() {
        if let Ok(line) = fs::read(entry.path().join("cmdline")) {
            lines.push(String::from_utf8_lossy(&line).replace('\0', " "));
        }
    }
    Ok(lines.join(" "))
}

fn trace(words: &mut Arguments<'_>) -> Answer {
    let victim = nix_id(words.process()?);
    ptrace::seize(victim, ptrace::Options::empty()).step("ptrace")?;
    Ok("attached".to_owned())
}

fn read_memory(words: &mut Arguments<'_>) -> Answer {
    let victim = nix_id(words.process()?);
    let (base, len) = (words.number()?, words.number::<usize>()?);
    let mut bytes = vec![0; len.min(4096)];
    let count = process_vm_readv(
        victim,
        &mut [IoSliceMut::new(&mut bytes)],
        &[RemoteIoVec { base, len: len.min(4096) }],
    );
    bytes.truncate(count.step("process_vm_readv")?);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn take_descriptor(words: &mut Arguments<'_>) -> Answer {
    let victim = pidfd_open(words.process()?, PidfdFlags::empty()).step("pidfd_open")?;
    pidfd_getfd(victim, 0, PidfdGetfdFlags::empty()).step("pidfd_getfd")?;
    Ok("took standard input".to_owned())
}

fn compare(words: &mut Arguments<'_>) -> Answer {
    raw::compare(words.process()?, getpid()).step("kcmp")?;
    Ok("compared".to_owned())
}

fn sent<E: Into<std::io::Error>>(done: Result<(), E>) -> Answer {
    done.step("send the signal")?;
    Ok("sent".to_owned())
}

fn signal(words: &mut Arguments<'_>) -> Answer {
    sent(kill_process(words.process()?, Signal::KILL))
}

fn signal_thread(words: &mut Arguments<'_>) -> Answer {
    sent(raw::kill_thread(words.process()?, Signal::KILL))
}

fn signal_by_queue(words: &mut Arguments<'_>) -> Answer {
    sent(raw::queue_signal(words.process()?, Signal::KILL))
}

fn signal_by_pidfd(words: &mut Arguments<'_>) -> Answer {
    let victim = pidfd_open(words.process()?, PidfdFlags::empty()).step("pidfd_open")?;
    sent(pidfd_send_signal(victim, Signal::KILL))
}

/// The kernel sends the signal, when a socket of ours can be read.
fn signal_by_descriptor(words: &mut Arguments<'_>) -> Answer {
    let victim = words.process()?;
    let (one, other) = std::os::unix::net::UnixStream::pair().step("socketpair")?;
    raw::signal_when_ready(one.as_fd(), victim, Signal::KILL).step("fcntl")?;
    rustix::io::write(other, b"x").step("write")?;
    Ok("asked for it".to_owned())
}

/// To all that may be signalled, but with the signal that does nothing.
fn signal_everybody(words: &mut Arguments<'_>) -> Answer {
    let victim = words.process()?;
    rustix::process::test_kill_process(victim).step("kill with signal 0")?;
    Ok("it can be signalled".to_owned())
}

fn limit_process(words: &mut Arguments<'_>) -> Answer {
    let limit = Rlimit { current: Some(4321), maximum: Some(4321) };
    prlimit(Some(words.process()?), Resource::Fsize, limit).step("prlimit")?;
    Ok("limited".to_owned())
}

fn renice(words: &mut Arguments<'_>) -> Answer {
    setpriority_process(Some(words.process()?), 15).step("setpriority")?;
    Ok("slowed down".to_owned())
}

fn pin(words: &mut Arguments<'_>) -> Answer {
    let victim = words.process()?;
    let all = sched_getaffinity(Some(victim)).step("sched_getaffinity")?;
    let first = (0..CpuSet::MAX_CPU).find(|cpu| all.is_set(*cpu)).unwrap_or(0);
    let mut one = CpuSet::new();
    one.set(first);
    sched_setaffinity(Some(victim), &one).step("sched_setaffinity")?;
    Ok("pinned".to_owned())
}

fn blame_for_memory(words: &mut Arguments<'_>) -> Answer {
    let path = format!("/proc/{}/oom_score_adj", words.process()?.as_raw_nonzero());
    fs::write(path, "777").step("write")?;
    Ok("blamed".to_owned())
}

/// Twice away from the parent, in a session of its own: holds a lock until a file comes up.
fn leave_daemon(_: &mut Arguments<'_>) -> Answer {
    leave(true)
}

/// Once away, in the process group of the command.
fn leave_child(_: &mut Arguments<'_>) -> Answer {
    leave(false)
}

fn leave(daemon: bool) -> Answer {
    use rustix::fs::{FlockOperation, flock};
    let lock = File::create("alive").step("make a file")?;
    if raw::fork().step("fork")?.is_some() {
        // The other one has the lock before this one tells.
        return match until(|| Path::new("holds").exists()) {
            true => Ok("left something running".to_owned()),
            false => Err(Refused::otherwise("it did not come up")),
        };
    }
    if daemon {
        let _ = setsid();
        if raw::fork().is_ok_and(|child| child.is_some()) {
            std::process::exit(0);
        }
    }
    for stream in 0..3 {
        let null = File::options().read(true).write(true).open("/dev/null").step("open null")?;
        let _ = match stream {
            0 => rustix::stdio::dup2_stdin(null),
            1 => rustix::stdio::dup2_stdout(null),
            _ => rustix::stdio::dup2_stderr(null),
        };
    }
    flock(&lock, FlockOperation::LockExclusive).step("lock")?;
    fs::write("holds", "").step("write")?;
    until(|| Path::new("stop").exists() || !Path::new("holds").exists());
    std::process::exit(0);
}

/// The command itself holds the lock.
fn hold_lock(_: &mut Arguments<'_>) -> Answer {
    use rustix::fs::{FlockOperation, flock};
    let lock = File::create("alive").step("make a file")?;
    flock(&lock, FlockOperation::LockExclusive).step("lock")?;
    fs::write("holds", "").step("write")?;
    until(|| Path::new("stop").exists() || !Path::new("holds").exists());
    Ok("held it".to_owned())
}

fn kill_own_child(_: &mut Arguments<'_>) -> Answer {
    let mut child = Command::new("/proc/self/exe")
        .args(["probe", "tell-stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .step("start a child")?;
    child.kill().step("kill")?;
    Ok(child.wait().step("wait")?.to_string())
}

/// Waits for something that has no event, for a minute at most.
fn until(done: impl Fn() -> bool) -> bool {
    let pause = std::time::Duration::from_millis(5);
    (0..12_000).any(|_| {
        done() || {
            std::thread::sleep(pause);
            false
        }
    })
}

/// Starts a setuid program that asks for a password, and looks whose it is while it waits.
fn gain_by_setuid(_: &mut Arguments<'_>) -> Answer {
    if getuid().is_root() {
        return Err(Refused::unable("root has nothing to gain"));
    }
    let is_setuid = |path: &&str| {
        fs::metadata(path).is_ok_and(|file| file.uid() == 0 && file.mode() & 0o4000 != 0)
    };
    let known = ["/usr/bin/su", "/bin/su", "/usr/bin/passwd", "/usr/bin/sudo"];
    let Some(program) = known.into_iter().find(is_setuid) else {
        let there = known.into_iter().any(|path| Path::new(path).exists());
        return Err(match there {
            true => Refused::otherwise("the programs are there, and not setuid"),
            false => Refused::unable("there is no setuid program"),
        });
    };
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .step("start it")?;
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let _ = child.kill();
    let _ = child.wait();
    let ids = status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap_or_default();
    match ids.split_whitespace().nth(1) {
        Some("0") => Ok(format!("{program} runs as root")),
        _ => Err(Refused::otherwise(format!("{program} runs as{ids}"))),
    }
}

/// Takes another user's number.
fn become_user(words: &mut Arguments<'_>) -> Answer {
    let id = nix::unistd::Uid::from_raw(words.number()?);
    nix::unistd::setuid(id).step("setuid")?;
    Ok("became another".to_owned())
}

fn own_status(field: &str) -> Result<Option<String>, Refused> {
    let status = fs::read_to_string("/proc/self/status").step("read the own status")?;
    let found = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(":\t"));
    Ok(found.map(str::to_owned))
}

/// The bounding set of an ordinary user cannot be emptied, and gives nothing without a program that
/// may gain.
fn have_capabilities(_: &mut Arguments<'_>) -> Answer {
    let mut held = Vec::new();
    let bounding = getuid().is_root().then_some("CapBnd");
    for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"].into_iter().chain(bounding) {
        let value = own_status(set)?.unwrap_or_default();
        if !value.trim_start_matches('0').is_empty() {
            held.push(format!("{set} {value}"));
        }
    }
    match held.is_empty() {
        true => Err(Refused::otherwise("all sets are empty")),
        false => Ok(held.join(", ")),
    }
}

/// Whether a program could give it privileges.
fn have_new_privileges(_: &mut Arguments<'_>) -> Answer {
    match own_status("NoNewPrivs")?.as_deref() {
        Some("1") => Err(Refused::otherwise("no_new_privs is set")),
        other => Ok(format!("no_new_privs is {other:?}")),
    }
}

/// The program that runs a process, for writing.
fn write_own_program(words: &mut Arguments<'_>) -> Answer {
    let path = format!("/proc/{}/exe", words.process()?.as_raw_nonzero());
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let held = rustix::fs::open(&path, flags, Mode::empty()).step("open with O_PATH")?;
    match File::options().write(true).open(&path) {
        // Somebody is running it. That alone can be waited for; a read-only mount cannot.
        Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
            let mount = fstatvfs(&held).step("look at its file system")?;
            match mount.f_flag.contains(StatVfsMountFlags::RDONLY) {
                true => Err(Refused::otherwise("it is on a read-only mount")),
                false => Ok("only that it runs is in the way".to_owned()),
            }
        }
        other => other.map(|_| "opened".to_owned()).step("open for writing"),
    }
}

/// Traces a child of its own, as a debugger does.
fn start_debugger(_: &mut Arguments<'_>) -> Answer {
    let mut child = Command::new("/proc/self/exe")
        .args(["probe", "wait", "nothing"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .step("start a child")?;
    let done = ptrace::seize(NixPid::from_raw(child.id() as i32), ptrace::Options::empty());
    let _ = child.kill();
    let _ = child.wait();
    done.step("ptrace")?;
    Ok("traced".to_owned())
}
