//! Takes more than it should.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;

pub(super) const WORDS: &[Word] = &[
    ("take-memory", take_memory),
    ("take-files", take_files),
    ("take-disk", take_disk),
    ("take-time", take_time),
    ("take-processes", take_processes),
];

/// So many MiB, all of them touched.
fn take_memory(words: &mut Arguments<'_>) -> Answer {
    let bytes = words.number::<usize>()? << 20;
    let mut memory: Vec<u8> = Vec::new();
    if memory.try_reserve_exact(bytes).is_err() {
        return Err(Refused::otherwise("there is no more memory"));
    }
    // A page at a time: so much of it is touched, and no more.
    const PAGE: [u8; 4096] = [1; 4096];
    while memory.len() < bytes {
        memory.extend_from_slice(&PAGE);
    }
    Ok(format!("took {} bytes", memory.len()))
}

fn take_files(words: &mut Arguments<'_>) -> Answer {
    let mut open = Vec::new();
    for _ in 0..words.number::<u32>()? {
        open.push(File::open("/dev/null").step("open")?);
    }
    Ok(format!("opened {}", open.len()))
}

/// A file of so many KiB.
fn take_disk(words: &mut Arguments<'_>) -> Answer {
    let mut file = File::create("large").step("make a file")?;
    for _ in 0..words.number::<u32>()? {
        file.write_all(&[1; 1024]).step("write")?;
    }
    Ok("wrote it".to_owned())
}

/// So many seconds of processor time.
fn take_time(words: &mut Arguments<'_>) -> Answer {
    let seconds = words.number::<i64>()?;
    loop {
        let used = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF);
        let used = used.step("getrusage")?;
        if used.user_time().tv_sec() + used.system_time().tv_sec() >= seconds {
            return Ok("took it".to_owned());
        }
    }
}

fn take_processes(words: &mut Arguments<'_>) -> Answer {
    let mut children = Vec::new();
    let mut refused = None;
    for _ in 0..words.number::<u32>()? {
        let child = Command::new("/proc/self/exe")
            .args(["probe", "tell-stdin"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn();
        match child.step("start a process") {
            Ok(child) => children.push(child),
            Err(error) => {
                refused = Some(error);
                break;
            }
        }
    }
    let count = children.len();
    for child in &mut children {
        drop(child.stdin.take());
        let _ = child.wait();
    }
    refused.map_or_else(|| Ok(format!("started {count}")), Err)
}
