//! Whether the kernel has a way to run a file.
//!
//! Bubblewrap calls `execvp(3)`, and that one hands to `/bin/sh` whatever the kernel refuses with
//! ENOEXEC. No shell reads a command of ours, so such a file is refused before.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use cofferdam_launcher::LaunchError;
use nix::errno::Errno;

/// As much of a file as the kernel looks at (`BINPRM_BUF_SIZE`).
const HEAD: u64 = 256;
/// Where the administrator registers further formats; two files are always there.
const FURTHER_FORMATS: &str = "/proc/sys/fs/binfmt_misc";

/// Refuses a file without a format. One that cannot be read is left to the kernel, and so is every
/// file where further formats are registered.
pub(crate) fn admit(program: &Path) -> Result<(), LaunchError> {
    match head(program) {
        Ok(head) if !is_known(&head) && !further_formats() => {
            let cause = io::Error::from(Errno::ENOEXEC);
            Err(LaunchError::Other(format!("`{}` cannot be run: {cause}", program.display())))
        }
        _ => Ok(()),
    }
}

fn head(program: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(program)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// An ELF file, or a script that names its interpreter.
fn is_known(head: &[u8]) -> bool {
    match head.strip_prefix(b"#!") {
        Some(rest) => {
            let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
            line.iter().any(|byte| !matches!(byte, b' ' | b'\t'))
        }
        None => head.starts_with(b"\x7fELF"),
    }
}

fn further_formats() -> bool {
    std::fs::read_dir(FURTHER_FORMATS).is_ok_and(|entries| {
        let names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
        names.filter(|name| name != "register" && name != "status").count() > 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_and_a_script_with_an_interpreter_have_a_format() {
        assert!(is_known(b"\x7fELF\x02\x01\x01"));
        assert!(is_known(b"#!/bin/sh\n"));
        assert!(is_known(b"#! /bin/sh"));
    }

    #[test]
    fn a_text_without_an_interpreter_has_none() {
        for head in [&b""[..], b"touch ran\n", b"#!\ntouch ran", b"#! \t", b"# !/bin/sh", b"MZ"] {
            assert!(!is_known(head), "{head:?}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_left_to_the_kernel() {
        assert!(admit(Path::new("/no/such/file")).is_ok());
    }
}
