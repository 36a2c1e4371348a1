//! From a file to the standard input of a command.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock};

use rustix::event::PollFlags;
use rustix::io::{Errno, read, write};

use super::thread::{Stop, Stopping, start, stop};
use super::{CHUNK, MOST_AT_ONCE, failure};
use crate::files::system::carry;
use crate::files::{InputFile, STDIN_FILE};

/// A file that is being read. Dropped, it is read no further.
#[derive(Debug)]
pub(crate) struct Feed {
    failed: Arc<OnceLock<String>>,
    _stop: Stop,
}

impl Feed {
    /// Starts to carry. The pipe is closed at the end of the file; a command that ends before it has
    /// read everything is no error.
    pub(crate) fn start(file: InputFile, pipe: OwnedFd) -> io::Result<Self> {
        let (stop, stopping) = stop()?;
        let failed = Arc::new(OnceLock::new());
        let told = failed.clone();
        rustix::io::ioctl_fionbio(&pipe, true)?;
        start(move || {
            if let Err(error) = feed(&file.file, &pipe, &stopping) {
                let _ = told.set(failure(STDIN_FILE, &file.path, error));
            }
        })?;
        Ok(Feed { failed, _stop: stop })
    }

    /// What went wrong with the file.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.failed.get().map(String::as_str)
    }
}

/// Until the end of the file, or of the command, or until it is told to stop.
fn feed(file: &OwnedFd, pipe: &OwnedFd, stopping: &Stopping) -> Result<(), Errno> {
    while stopping.until_ready(pipe, PollFlags::OUT) {
        match carry(file, pipe, MOST_AT_ONCE) {
            Ok(0) | Err(Errno::PIPE) => return Ok(()),
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => {}
            Err(Errno::INVAL | Errno::NOSYS) => return copy(file, pipe, stopping),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The same where the kernel does not carry.
fn copy(file: &OwnedFd, pipe: &OwnedFd, stopping: &Stopping) -> Result<(), Errno> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = match read(file, &mut chunk[..]) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error),
        };
        let mut rest = &chunk[..count];
        while !rest.is_empty() {
            if !stopping.until_ready(pipe, PollFlags::OUT) {
                return Ok(());
            }
            match write(pipe, rest) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(Errno::PIPE) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Seek, Write};

    use super::*;

    #[test]
    fn where_the_kernel_does_not_carry_every_byte_is_copied() {
        let text: Vec<u8> = (0..300_000_u32).map(|number| (number % 251) as u8).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&text).unwrap();
        file.rewind().unwrap();
        let (mut reader, writer) = io::pipe().unwrap();
        let writer = OwnedFd::from(writer);
        rustix::io::ioctl_fionbio(&writer, true).unwrap();
        let (_stop, stopping) = stop().unwrap();
        let copying = std::thread::spawn(move || copy(&file.into(), &writer, &stopping));
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        assert!(read == text, "{} bytes came", read.len());
        copying.join().unwrap().unwrap();
    }

    #[test]
    fn a_feeder_that_nobody_reads_from_stops_when_it_is_told_to() {
        let zeros: OwnedFd = File::open("/dev/zero").unwrap().into();
        let (_reader, writer) = io::pipe().unwrap();
        let writer = OwnedFd::from(writer);
        rustix::io::ioctl_fionbio(&writer, true).unwrap();
        let (stop, stopping) = stop().unwrap();
        let feeding = std::thread::spawn(move || copy(&zeros, &writer, &stopping));
        drop(stop);
        feeding.join().unwrap().unwrap();
    }
}
