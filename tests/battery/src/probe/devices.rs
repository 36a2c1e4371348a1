//! Devices: those that are needed, and those that must not be there.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;

pub(super) const WORDS: &[Word] = &[
    ("make-device", make_device),
    ("use-null", use_null),
    ("use-zero", use_zero),
    ("use-full", use_full),
    ("use-random", use_random),
    ("use-streams", use_streams),
];

/// A character or block device of these numbers.
fn make_device(words: &mut Arguments<'_>) -> Answer {
    let (path, kind) = (words.path()?, words.text()?);
    let kind = if kind == "block" { FileType::BlockDevice } else { FileType::CharacterDevice };
    let device = makedev(words.number()?, words.number()?);
    mknodat(CWD, &path, kind, Mode::from_raw_mode(0o666), device).step("mknod")?;
    // One that cannot be opened is as good as none.
    File::open(&path).step("open the device")?;
    Ok("made a device and opened it".to_owned())
}

fn use_null(_: &mut Arguments<'_>) -> Answer {
    let mut null = File::options().read(true).write(true).open("/dev/null").step("open")?;
    null.write_all(b"x").step("write")?;
    match null.read(&mut [0; 4]).step("read")? {
        0 => Ok("reads as empty".to_owned()),
        _ => Err(Refused::otherwise("/dev/null is not empty")),
    }
}

fn use_zero(_: &mut Arguments<'_>) -> Answer {
    let mut bytes = [1; 8];
    File::open("/dev/zero").step("open")?.read_exact(&mut bytes).step("read")?;
    match bytes == [0; 8] {
        true => Ok("reads as zeros".to_owned()),
        false => Err(Refused::otherwise("/dev/zero is not zero")),
    }
}

fn use_full(_: &mut Arguments<'_>) -> Answer {
    let mut full = File::options().write(true).open("/dev/full").step("open")?;
    match full.write_all(b"x") {
        Err(error) if error.kind() == ErrorKind::StorageFull => Ok("is full".to_owned()),
        other => Err(Refused::otherwise(format!("writing came to {other:?}"))),
    }
}

fn use_random(_: &mut Arguments<'_>) -> Answer {
    let mut bytes = [0; 32];
    for device in ["/dev/urandom", "/dev/random"] {
        File::open(device).step("open")?.read_exact(&mut bytes).step("read")?;
    }
    Ok("gives bytes".to_owned())
}

fn use_streams(_: &mut Arguments<'_>) -> Answer {
    File::options().write(true).open("/dev/stdout").step("open /dev/stdout")?;
    File::options().write(true).open("/dev/fd/2").step("open /dev/fd/2")?;
    File::open("/dev/stdin").step("open /dev/stdin")?;
    Ok("opened".to_owned())
}
