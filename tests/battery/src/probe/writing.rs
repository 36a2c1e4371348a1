//! Writes, makes, moves and removes what it should not.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, linkat, mknodat, renameat_with,
};

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;

/// What is written.
const TEXT: &str = "written by the probe\n";

pub(super) const WORDS: &[Word] = &[
    ("write", write),
    ("append", append),
    ("empty-by-open", empty_by_open),
    ("truncate", truncate),
    ("remove", remove),
    ("remove-folder", remove_folder),
    ("make-folder", make_folder),
    ("make-pipe", make_pipe),
    ("make-file-node", make_file_node),
    ("make-link", make_link),
    ("make-socket", make_socket),
    ("make-unnamed-file", make_unnamed_file),
    ("rename", rename),
    ("exchange", exchange),
    ("hard-link", hard_link),
    ("write-by-link", by_link),
    ("write-by-swapped-link", by_swapped_link),
    ("write-reopened", reopened),
    ("write-to-pipe", to_pipe),
    ("replace", replace),
    ("make-tree", make_tree),
];

fn done(what: &str) -> Answer {
    Ok(what.to_owned())
}

fn write(words: &mut Arguments<'_>) -> Answer {
    fs::write(words.path()?, TEXT).step("write")?;
    done("wrote")
}

fn append(words: &mut Arguments<'_>) -> Answer {
    let mut file = File::options().append(true).open(words.path()?).step("open to append")?;
    file.write_all(TEXT.as_bytes()).step("append")?;
    done("appended")
}

fn empty_by_open(words: &mut Arguments<'_>) -> Answer {
    File::options().write(true).truncate(true).open(words.path()?).step("open with O_TRUNC")?;
    done("emptied")
}

fn truncate(words: &mut Arguments<'_>) -> Answer {
    nix::unistd::truncate(&words.path()?, 0).step("truncate")?;
    done("emptied")
}

fn remove(words: &mut Arguments<'_>) -> Answer {
    fs::remove_file(words.path()?).step("unlink")?;
    done("removed")
}

fn remove_folder(words: &mut Arguments<'_>) -> Answer {
    fs::remove_dir(words.path()?).step("rmdir")?;
    done("removed")
}

fn make_folder(words: &mut Arguments<'_>) -> Answer {
    fs::create_dir(words.path()?).step("mkdir")?;
    done("made")
}

fn node(path: &Path, kind: FileType) -> Answer {
    mknodat(CWD, path, kind, Mode::from_raw_mode(0o644), 0).step("mknod")?;
    done("made")
}

fn make_pipe(words: &mut Arguments<'_>) -> Answer {
    node(&words.path()?, FileType::Fifo)
}

fn make_file_node(words: &mut Arguments<'_>) -> Answer {
    node(&words.path()?, FileType::RegularFile)
}

fn make_link(words: &mut Arguments<'_>) -> Answer {
    symlink("anywhere", words.path()?).step("symlink")?;
    done("made")
}

fn make_socket(words: &mut Arguments<'_>) -> Answer {
    UnixListener::bind(words.path()?).step("bind")?;
    done("bound")
}

/// A file without a name, given one afterwards.
fn make_unnamed_file(words: &mut Arguments<'_>) -> Answer {
    let (folder, name) = (words.path()?, words.path()?);
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::open(folder, flags, Mode::from_raw_mode(0o644)).step("O_TMPFILE")?;
    let held = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, held, CWD, name, AtFlags::SYMLINK_FOLLOW).step("give it a name")?;
    done("made")
}

fn rename(words: &mut Arguments<'_>) -> Answer {
    fs::rename(words.path()?, words.path()?).step("rename")?;
    done("renamed")
}

fn exchange(words: &mut Arguments<'_>) -> Answer {
    renameat_with(CWD, words.path()?, CWD, words.path()?, RenameFlags::EXCHANGE)
        .step("exchange")?;
    done("exchanged")
}

fn hard_link(words: &mut Arguments<'_>) -> Answer {
    fs::hard_link(words.path()?, words.path()?).step("link")?;
    done("linked")
}

fn by_link(words: &mut Arguments<'_>) -> Answer {
    symlink(words.path()?, "made-link").step("make a link")?;
    fs::write("made-link", TEXT).step("write")?;
    done("wrote")
}

/// One thread swaps a link between a file of its own and the target, the other writes to it.
fn by_swapped_link(words: &mut Arguments<'_>) -> Answer {
    const ROUNDS: u32 = 4000;
    fs::write("own", TEXT).step("write")?;
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
    for _ in 0..ROUNDS {
        let _ = File::options().write(true).open("swapped").and_then(|mut file| file.write(b"w"));
    }
    over.store(true, Ordering::Relaxed);
    let _ = swapper.join();
    done("tried; only the outside can tell")
}

/// Opened for reading, then once more for writing by its descriptor.
fn reopened(words: &mut Arguments<'_>) -> Answer {
    let file = File::open(words.path()?).step("open for reading")?;
    let held = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let mut again = File::options().append(true).open(held).step("open again for writing")?;
    again.write_all(TEXT.as_bytes()).step("write")?;
    done("wrote")
}

fn to_pipe(words: &mut Arguments<'_>) -> Answer {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let pipe = rustix::fs::open(words.path()?, flags, Mode::empty()).step("open the pipe")?;
    File::from(pipe).write_all(TEXT.as_bytes()).step("write")?;
    done("wrote")
}

/// By a new file in the place of the old one, as editors save.
fn replace(words: &mut Arguments<'_>) -> Answer {
    let path = words.path()?;
    fs::write("new", TEXT).step("write")?;
    fs::rename("new", path).step("rename over")?;
    done("replaced")
}

/// A file in folders that it makes where they are missing.
fn make_tree(words: &mut Arguments<'_>) -> Answer {
    let path = words.path()?;
    let folder = path.parent().ok_or_else(|| Refused::unable("a path without a folder"))?;
    fs::create_dir_all(folder).step("mkdir")?;
    fs::write(path, TEXT).step("write")?;
    done("made")
}
