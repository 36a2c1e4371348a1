//! The terminal of whoever started the run, and terminals of one's own.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::{Mode, OFlags};
use rustix::process::{ioctl_tiocsctty, setsid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::Word;
use super::answer::{Answer, Refused, Step};
use super::argument::Arguments;
use super::raw;

pub(super) const WORDS: &[Word] = &[
    ("on-terminal", on_terminal),
    ("set-up-terminal", set_up_terminal),
    ("type-into-terminal", type_into_terminal),
    ("type-into-streams", type_into_streams),
    ("ask-console", ask_console),
    ("write-to-terminal", write_to_terminal),
    ("use-own-terminal", use_own_terminal),
];

/// Makes standard input the controlling terminal, and becomes the rest of the words. Outside of any
/// sandbox: this is how a runner is started at a terminal.
fn on_terminal(words: &mut Arguments<'_>) -> Answer {
    let line: Vec<OsString> = words.rest().into_iter().cloned().collect();
    let (program, args) = line.split_first().ok_or_else(|| Refused::unable("no program"))?;
    setsid().step("setsid")?;
    ioctl_tiocsctty(std::io::stdin()).step("take the terminal")?;
    Err(Command::new(program).args(args).exec()).step("exec")
}

fn controlling() -> Result<File, Refused> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open("/dev/tty", flags, Mode::empty()).step("open /dev/tty")?.into())
}

/// Makes the controlling terminal one that gives every key as it is typed, and leaves it so.
fn set_up_terminal(_: &mut Arguments<'_>) -> Answer {
    let terminal = controlling()?;
    let mut settings = tcgetattr(&terminal).step("ask for the settings")?;
    settings.make_raw();
    tcsetattr(&terminal, OptionalActions::Now, &settings).step("change the settings")?;
    Ok("changed".to_owned())
}

/// Types into the controlling terminal; with bits above the request's own, where a word says so.
fn type_into_terminal(words: &mut Arguments<'_>) -> Answer {
    let high = words.number::<u64>().unwrap_or(0) << 32;
    let terminal = controlling()?;
    for key in *b"typed\n" {
        raw::type_into(terminal.as_fd(), key, high).step("TIOCSTI")?;
    }
    Ok("typed".to_owned())
}

/// Types into whatever of the three streams is a terminal.
fn type_into_streams(_: &mut Arguments<'_>) -> Answer {
    let (stdin, stdout, stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let mut last = Err(Refused::otherwise("no stream is a terminal"));
    for stream in [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()] {
        for key in *b"typed\n" {
            last = raw::type_into(stream, key, 0).step("TIOCSTI").map(|()| "typed".to_owned());
        }
    }
    last
}

fn ask_console(_: &mut Arguments<'_>) -> Answer {
    raw::ask_console(std::io::stdin().as_fd()).step("TIOCLINUX")?;
    Ok("asked".to_owned())
}

/// To a terminal of the host, by its name.
fn write_to_terminal(words: &mut Arguments<'_>) -> Answer {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(words.path()?, flags, Mode::empty()).step("open")?;
    File::from(opened).write_all(b"written by the probe").step("write")?;
    Ok("wrote".to_owned())
}

/// A new pair, and a word from one end to the other.
fn use_own_terminal(_: &mut Arguments<'_>) -> Answer {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let host = openpt(flags).step("open /dev/ptmx")?;
    grantpt(&host).step("grantpt")?;
    unlockpt(&host).step("unlockpt")?;
    let name = ptsname(&host, Vec::new()).step("ptsname")?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let other =
        rustix::fs::open(name.as_c_str(), flags, Mode::empty()).step("open the other end")?;
    File::from(other.try_clone().step("copy")?).write_all(b"hello").step("write")?;
    let mut bytes = [0; 5];
    File::from(host).read_exact(&mut bytes).step("read")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
