//! What programs do all day, and must go on doing.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::unistd::User;
use rustix::process::getuid;

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;
use super::raw;

pub(super) const WORDS: &[Word] = &[
    ("run-tool", run_tool),
    ("work-in-folder", work_in_folder),
    ("rename-across", rename_across),
    ("link-across", link_across),
    ("write-in-variable", write_in_variable),
    ("write-and-remove", write_and_remove),
    ("read-first-of", read_first_of),
    ("ask-own-name", ask_own_name),
    ("look-at-itself", look_at_itself),
    ("count-processors", count_processors),
    ("start-threads", start_threads),
    ("start-children", start_children),
    ("reap-orphan", reap_orphan),
    ("map-executable", map_executable),
    ("lock-file", lock_file),
    ("watch-folder", watch_folder),
    ("set-timer", set_timer),
];

/// A program by its bare name: fails with what it said where it fails.
fn run_tool(words: &mut Arguments<'_>) -> Answer {
    let program = words.word()?;
    let output = Command::new(program).args(words.rest()).stdin(Stdio::null()).output();
    let output = output.step("start it")?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(said(&output.stdout)),
        false => Err(Refused::otherwise(format!("{}: {}", output.status, said(&output.stderr)))),
    }
}

fn work_in_folder(_: &mut Arguments<'_>) -> Answer {
    fs::create_dir_all("work/deep").step("mkdir")?;
    fs::write("work/deep/file", "text").step("write")?;
    File::options().append(true).open("work/deep/file").step("open to append")?;
    nix::unistd::truncate("work/deep/file", 2).step("truncate")?;
    std::os::unix::fs::symlink("deep/file", "work/link").step("symlink")?;
    let text = fs::read_to_string("work/link").step("read")?;
    fs::set_permissions("work/deep/file", std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .step("chmod")?;
    fs::remove_dir_all("work").step("remove")?;
    Ok(text)
}

fn rename_across(_: &mut Arguments<'_>) -> Answer {
    fs::create_dir_all("one/a").step("mkdir")?;
    fs::create_dir_all("two").step("mkdir")?;
    fs::write("one/a/file", "text").step("write")?;
    fs::rename("one/a/file", "two/file").step("rename a file")?;
    fs::rename("one/a", "two/a").step("rename a folder")?;
    fs::read_to_string("two/file").step("read")
}

fn link_across(_: &mut Arguments<'_>) -> Answer {
    fs::create_dir_all("one").step("mkdir")?;
    fs::create_dir_all("two").step("mkdir")?;
    fs::write("one/file", "text").step("write")?;
    fs::hard_link("one/file", "two/file").step("link")?;
    fs::read_to_string("two/file").step("read")
}

/// A file in the folder that a variable names.
fn write_in_variable(words: &mut Arguments<'_>) -> Answer {
    let name = words.text()?;
    let Some(folder) = std::env::var_os(&name) else {
        return Err(Refused::otherwise(format!("{name} is not set")));
    };
    let file = Path::new(&folder).join("written");
    fs::write(&file, "text").step("write")?;
    fs::remove_file(file).step("remove")?;
    Ok(folder.to_string_lossy().into_owned())
}

/// A file in this folder.
fn write_and_remove(words: &mut Arguments<'_>) -> Answer {
    let file = words.path()?.join(format!("probe-{}", std::process::id()));
    fs::write(&file, "text").step("write")?;
    fs::remove_file(file).step("remove")?;
    Ok("wrote".to_owned())
}

/// The first of these files that is there.
fn read_first_of(words: &mut Arguments<'_>) -> Answer {
    let all = words.rest();
    let found = all.iter().find(|path| Path::new(path).exists());
    let path = found.ok_or_else(|| Refused::otherwise("none of them is there"))?;
    let text = fs::read(path).step("read")?;
    Ok(format!("{}: {} bytes", path.to_string_lossy(), text.len()))
}

fn ask_own_name(_: &mut Arguments<'_>) -> Answer {
    let id = nix::unistd::Uid::from_raw(getuid().as_raw());
    match User::from_uid(id).step("getpwuid")? {
        Some(user) => Ok(user.name),
        None => Err(Refused::otherwise(format!("user {id} has no name"))),
    }
}

fn look_at_itself(_: &mut Arguments<'_>) -> Answer {
    for file in ["status", "maps", "cmdline", "stat", "limits", "mountinfo"] {
        let mut text = Vec::new();
        let path = Path::new("/proc/self").join(file);
        File::open(path).step("open")?.read_to_end(&mut text).step("read")?;
    }
    for file in ["/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/uptime", "/proc/version"] {
        fs::read(file).step("read")?;
    }
    Ok(fs::read_link("/proc/self/exe").step("readlink")?.display().to_string())
}

fn count_processors(_: &mut Arguments<'_>) -> Answer {
    Ok(std::thread::available_parallelism().step("count")?.to_string())
}

fn start_threads(_: &mut Arguments<'_>) -> Answer {
    let threads: Vec<_> = (0..8_u32)
        .map(|number| std::thread::Builder::new().spawn(move || number).step("start a thread"))
        .collect::<Result<_, _>>()?;
    let sum: u32 = threads.into_iter().filter_map(|thread| thread.join().ok()).sum();
    Ok(sum.to_string())
}

fn start_children(_: &mut Arguments<'_>) -> Answer {
    let status = Command::new("/proc/self/exe")
        .args(["probe", "exit-with", "7"])
        .stdout(Stdio::null())
        .status()
        .step("start a child")?;
    Ok(format!("{:?}", status.code()))
}

/// A grandchild whose parent is gone still ends, and somebody takes its status.
fn reap_orphan(_: &mut Arguments<'_>) -> Answer {
    if let Some(child) = raw::fork().step("fork")? {
        let status =
            nix::sys::wait::waitpid(nix::unistd::Pid::from_raw(child.as_raw_nonzero().get()), None);
        status.step("wait for the child")?;
        for _ in 0..2000 {
            if fs::exists("orphan").unwrap_or_default() {
                return Ok("the orphan has done its work".to_owned());
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        return Err(Refused::otherwise("the orphan did nothing"));
    }
    if raw::fork().is_ok_and(|child| child.is_none()) {
        let _ = fs::write("orphan", "");
    }
    std::process::exit(0);
}

/// What a compiler at run time does: write a page, then run it.
fn map_executable(_: &mut Arguments<'_>) -> Answer {
    raw::map_writable_then_executable().step("mprotect")?;
    Ok("mapped".to_owned())
}

fn lock_file(_: &mut Arguments<'_>) -> Answer {
    use rustix::fs::{FlockOperation, fcntl_lock, flock};
    let file = File::create("lock").step("make a file")?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).step("flock")?;
    fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive).step("fcntl")?;
    Ok("locked".to_owned())
}

fn watch_folder(_: &mut Arguments<'_>) -> Answer {
    use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
    let inotify = Inotify::init(InitFlags::IN_CLOEXEC).step("inotify_init")?;
    inotify.add_watch(".", AddWatchFlags::IN_CREATE).step("inotify_add_watch")?;
    fs::write("watched", "").step("write")?;
    let events = inotify.read_events().step("read the events")?;
    Ok(format!("{} events", events.len()))
}

fn set_timer(_: &mut Arguments<'_>) -> Answer {
    use rustix::event::{PollFd, PollFlags, poll};
    let (reader, _writer) = rustix::pipe::pipe().step("pipe")?;
    let moment = rustix::event::Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
    let ready = poll(&mut [PollFd::new(&reader, PollFlags::IN)], Some(&moment)).step("poll")?;
    Ok(format!("{ready} ready"))
}
