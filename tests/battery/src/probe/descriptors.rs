//! What a run is given: descriptors, variables, arguments, standard input.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::process::getpid;

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;

pub(super) const WORDS: &[Word] = &[
    ("list-descriptors", list_descriptors),
    ("read-inherited", read_inherited),
    ("tell-environment", tell_environment),
    ("has-variable", has_variable),
    ("tell-arguments", tell_arguments),
    ("tell-own-name", tell_own_name),
    ("tell-stdin", tell_stdin),
    ("write-streams", write_streams),
    ("exit-with", exit_with),
    ("die-by-signal", die_by_signal),
    ("tell-folder", tell_folder),
];

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Those above the three streams, with what they lead to: `?` for one that cannot be told.
fn list_descriptors(_: &mut Arguments<'_>) -> Answer {
    let folder = fs::read_dir("/proc/self/fd").step("list")?;
    // The folder itself is open while it is read.
    let own = Path::new("/proc").join(getpid().as_raw_nonzero().to_string()).join("fd");
    let mut open = Vec::new();
    for entry in folder {
        let entry = entry.step("list")?;
        let name = entry.file_name().display().to_string();
        let target = fs::read_link(entry.path()).ok();
        if !["0", "1", "2"].contains(&&*name) && target.as_ref() != Some(&own) {
            open.push((name, target.map_or("?".to_owned(), |path| path.display().to_string())));
        }
    }
    open.sort();
    match open.is_empty() {
        true => Err(Refused::otherwise("there are the three streams, and no more")),
        false => Ok(format!("{open:?}")),
    }
}

/// Reads whatever file is open above the streams.
fn read_inherited(_: &mut Arguments<'_>) -> Answer {
    let mut text = String::new();
    for number in 3..256 {
        let path = format!("/proc/self/fd/{number}");
        if fs::metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            text.push_str(&fs::read_to_string(path).unwrap_or_default());
        }
        // A folder is a way in: everything below it opens from there.
        let secret = format!("/proc/self/fd/{number}/secret");
        text.push_str(&fs::read_to_string(secret).unwrap_or_default());
    }
    match text.is_empty() {
        true => Err(Refused::otherwise("nothing is open")),
        false => Ok(text),
    }
}

fn tell_environment(_: &mut Arguments<'_>) -> Answer {
    let lines: Vec<_> = std::env::vars_os()
        .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
        .collect();
    Ok(lines.join(" "))
}

/// Whether a variable is there, and what it says.
fn has_variable(words: &mut Arguments<'_>) -> Answer {
    let name = words.word()?;
    match std::env::var_os(name) {
        Some(value) => Ok(value.to_string_lossy().into_owned()),
        None => Err(Refused::otherwise(format!("{} is not set", name.to_string_lossy()))),
    }
}

fn tell_arguments(words: &mut Arguments<'_>) -> Answer {
    Ok(words.rest().iter().map(|word| hex(word.as_bytes())).collect::<Vec<_>>().join("."))
}

fn tell_own_name(_: &mut Arguments<'_>) -> Answer {
    let name = std::env::args_os().next().ok_or_else(|| Refused::otherwise("it has none"))?;
    Ok(name.to_string_lossy().into_owned())
}

fn tell_stdin(_: &mut Arguments<'_>) -> Answer {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).step("read")?;
    Ok(hex(&bytes))
}

fn write_streams(_: &mut Arguments<'_>) -> Answer {
    std::io::stdout().write_all(b"to-stdout\n").step("write")?;
    std::io::stderr().write_all(b"to-stderr\n").step("write")?;
    Ok("wrote".to_owned())
}

fn exit_with(words: &mut Arguments<'_>) -> Answer {
    std::process::exit(words.number()?)
}

fn die_by_signal(words: &mut Arguments<'_>) -> Answer {
    use rustix::process::{Signal, kill_process};
    let signal = match words.text()?.as_str() {
        "TERM" => Signal::TERM,
        "KILL" => Signal::KILL,
        _ => Signal::ABORT,
    };
    kill_process(getpid(), signal).step("kill")?;
    Err(Refused::otherwise("it lives"))
}

fn tell_folder(_: &mut Arguments<'_>) -> Answer {
    Ok(std::env::current_dir().step("getcwd")?.display().to_string())
}
