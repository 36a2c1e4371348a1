//! Whether macOS has a way to run a file.
//!
//! `sandbox-exec` calls `execvp(3)`, and that one hands to `/bin/sh` whatever the kernel refuses with
//! ENOEXEC. No shell reads a command of ours, so such a file is refused before.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use cofferdam_launcher::LaunchError;

/// As much of a file as is looked at: the line that names an interpreter fits (`PATH_MAX` is 1024).
const HEAD: u64 = 1024;

/// The beginnings of a Mach-O file: for one processor, in either byte order, and for several.
const MAGIC: [[u8; 4]; 6] = [
    [0xfe, 0xed, 0xfa, 0xce],
    [0xfe, 0xed, 0xfa, 0xcf],
    [0xce, 0xfa, 0xed, 0xfe],
    [0xcf, 0xfa, 0xed, 0xfe],
    [0xca, 0xfe, 0xba, 0xbe],
    [0xca, 0xfe, 0xba, 0xbf],
];

/// Refuses a file without a format. One that cannot be read is left to the kernel.
///
/// # Errors
/// [`LaunchError::Other`] with the file.
pub(crate) fn admit(program: &Path) -> Result<(), LaunchError> {
    match head(program) {
        Ok(head) if !is_known(&head) => Err(LaunchError::Other(format!(
            "`{}` cannot be run: it is neither a program for macOS nor a script that names its interpreter",
            program.display()
        ))),
        _ => Ok(()),
    }
}

fn head(program: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(program)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

fn is_known(head: &[u8]) -> bool {
    match head.strip_prefix(b"#!") {
        Some(rest) => {
            let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
            line.iter().any(|byte| !matches!(byte, b' ' | b'\t'))
        }
        None => MAGIC.iter().any(|magic| head.starts_with(magic)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_and_a_script_with_an_interpreter_have_a_format() {
        for head in
            [&b"\xcf\xfa\xed\xfe\x0c"[..], b"\xca\xfe\xba\xbe", b"#!/bin/sh\n", b"#! /bin/sh"]
        {
            assert!(is_known(head), "{head:?}");
        }
    }

    #[test]
    fn a_text_without_an_interpreter_has_none() {
        for head in [&b""[..], b"touch ran\n", b"#!\ntouch ran", b"#! \t", b"\x7fELF", b"MZ"] {
            assert!(!is_known(head), "{head:?}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_left_to_the_kernel() {
        assert!(admit(Path::new("/no/such/file")).is_ok());
    }
}
