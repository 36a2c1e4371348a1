//! Reads what it should not.

use std::fs::{self, File};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, ResolveFlags, openat2, renameat_with};

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;
use super::raw;

pub(super) const WORDS: &[Word] = &[
    ("read", read),
    ("list", list),
    ("open", open),
    ("open-for-writing", open_for_writing),
    ("read-by-link", by_link),
    ("read-by-hard-link", by_hard_link),
    ("read-by-rename", by_rename),
    ("read-after-rename", after_rename),
    ("read-through-parent", through_parent),
    ("read-by-exchange", by_exchange),
    ("read-reopened", reopened),
    ("read-openat2", by_openat2),
    ("read-in-folder", in_folder),
    ("read-by-swapped-link", by_swapped_link),
    ("read-by-32-bit-entry", by_32_bit_entry),
    ("run-program", run_program),
    ("run-by-loader", run_by_loader),
];

/// What a file says, as far as a line shows it.
fn text(path: &Path) -> Answer {
    let mut bytes = Vec::new();
    File::open(path).step("open")?.take(1 << 16).read_to_end(&mut bytes).step("read")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn read(words: &mut Arguments<'_>) -> Answer {
    text(&words.path()?)
}

fn list(words: &mut Arguments<'_>) -> Answer {
    let entries = fs::read_dir(words.path()?).step("open the folder")?;
    let names: Vec<_> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    Ok(names.join(" "))
}

/// Only opens: for what must not be read even in a control run.
fn open(words: &mut Arguments<'_>) -> Answer {
    File::open(words.path()?).step("open")?;
    Ok("opened".to_owned())
}

/// Opens for writing, and writes nothing.
fn open_for_writing(words: &mut Arguments<'_>) -> Answer {
    File::options().write(true).open(words.path()?).step("open for writing")?;
    Ok("opened for writing".to_owned())
}

fn by_link(words: &mut Arguments<'_>) -> Answer {
    symlink(words.path()?, "made-link").step("make a link")?;
    text(Path::new("made-link"))
}

fn by_hard_link(words: &mut Arguments<'_>) -> Answer {
    fs::hard_link(words.path()?, "made-link").step("link")?;
    text(Path::new("made-link"))
}

fn by_rename(words: &mut Arguments<'_>) -> Answer {
    fs::rename(words.path()?, "moved").step("rename")?;
    text(Path::new("moved"))
}

/// Moves a folder, and reads something in it.
fn after_rename(words: &mut Arguments<'_>) -> Answer {
    let (folder, file) = (words.path()?, words.path()?);
    fs::rename(folder, "moved").step("rename")?;
    text(&Path::new("moved").join(file))
}

/// By the root of whoever started it.
fn through_parent(words: &mut Arguments<'_>) -> Answer {
    let path = words.path()?;
    let parent =
        rustix::process::getppid().ok_or_else(|| Refused::otherwise("it has no parent"))?;
    let root = PathBuf::from(format!("/proc/{}/root", parent.as_raw_nonzero()));
    text(&root.join(path.strip_prefix("/").unwrap_or(&path)))
}

fn by_exchange(words: &mut Arguments<'_>) -> Answer {
    fs::write("mine", "mine").step("write")?;
    renameat_with(CWD, words.path()?, CWD, "mine", RenameFlags::EXCHANGE).step("exchange")?;
    text(Path::new("mine"))
}

fn reopened(words: &mut Arguments<'_>) -> Answer {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let held = rustix::fs::open(words.path()?, flags, Mode::empty()).step("open with O_PATH")?;
    text(&PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd())))
}

fn by_openat2(words: &mut Arguments<'_>) -> Answer {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat2(CWD, words.path()?, flags, Mode::empty(), ResolveFlags::empty());
    let mut text = String::new();
    File::from(file.step("openat2")?).read_to_string(&mut text).step("read")?;
    Ok(text)
}

/// Goes there first.
fn in_folder(words: &mut Arguments<'_>) -> Answer {
    std::env::set_current_dir(words.path()?).step("chdir")?;
    text(&words.path()?)
}

/// One thread swaps a link between a file of its own and the secret, the other opens it.
fn by_swapped_link(words: &mut Arguments<'_>) -> Answer {
    const ROUNDS: u32 = 4000;
    fs::write("own", "own").step("write")?;
    symlink("own", "swapped").step("make a link")?;
    symlink(words.path()?, "other").step("make a link")?;
    let over = Arc::new(AtomicBool::new(false));
    let swapper = std::thread::spawn({
        let over = over.clone();
        move || {
            while !over.load(Ordering::Relaxed) {
                let _ = renameat_with(CWD, "swapped", CWD, "other", RenameFlags::EXCHANGE);
            }
        }
    });
    let mut last = Err(Refused::otherwise("nothing but its own file was seen"));
    for _ in 0..ROUNDS {
        match text(Path::new("swapped")) {
            Ok(seen) if seen == "own" => {}
            Ok(seen) => {
                last = Ok(seen);
                break;
            }
            Err(refused) => last = Err(refused),
        }
    }
    over.store(true, Ordering::Relaxed);
    let _ = swapper.join();
    last
}

fn by_32_bit_entry(words: &mut Arguments<'_>) -> Answer {
    let path = words.path()?;
    raw::read_by_32_bit_entry(&path).step("open by int 0x80")
}

/// Runs a program, and tells what it prints.
fn run_program(words: &mut Arguments<'_>) -> Answer {
    let output = Command::new(words.path()?).args(words.rest()).output().step("exec")?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a program through the dynamic loader, which needs to read it only.
fn run_by_loader(words: &mut Arguments<'_>) -> Answer {
    let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
    let Some(loader) = loaders.into_iter().find(|loader| Path::new(loader).exists()) else {
        return Err(Refused::unable("no dynamic loader is where it is looked for"));
    };
    let output =
        Command::new(loader).arg(words.path()?).args(words.rest()).output().step("exec")?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(Refused::otherwise(String::from_utf8_lossy(&output.stderr).into_owned())),
    }
}
