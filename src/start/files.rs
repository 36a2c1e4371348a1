//! The files in place of streams, opened when nothing but the launch itself can fail any more.

use std::os::fd::AsFd;
use std::path::Path;

use super::NotBegun;
use super::directory::Directory;
use crate::files::{Beneath, FileProblem, InputFile, OutputFile, Rights, STDIN_FILE, StreamFiles};
use crate::gate::Refusal;
use crate::runner::Terms;

/// The files of a run, open. Dropped before the run has begun, they are as they were.
#[derive(Debug, Default)]
pub(crate) struct OpenFiles {
    pub(crate) input: Option<InputFile>,
    pub(crate) output: Option<OutputFile>,
}

/// Opens them, where the run may use them.
pub(super) fn open(
    terms: &Terms,
    wanted: &StreamFiles,
    dir: &Directory,
) -> Result<OpenFiles, NotBegun> {
    let rights = Rights { policy: terms.policy.as_deref(), own: &terms.own_files };
    let walk = |path: &Path| Beneath::walk(dir.open.as_fd(), &dir.path, &dir.written, path);
    let input = wanted.stdin.as_deref().map(|path| {
        let opened = walk(path).and_then(|beneath| InputFile::open(beneath, rights));
        opened.map_err(|problem| refused(STDIN_FILE, path, problem))
    });
    let input = input.transpose()?;
    let output = wanted.output().map(|(path, mode)| {
        let opened = walk(path).and_then(|beneath| {
            OutputFile::open(beneath, mode, rights, input.as_ref(), terms.max_file_bytes)
        });
        opened.map_err(|problem| refused(mode.key(), path, problem))
    });
    Ok(OpenFiles { output: output.transpose()?, input })
}

fn refused(key: &'static str, path: &Path, problem: FileProblem) -> NotBegun {
    NotBegun::Refused(Refusal::File { key, path: path.to_owned(), problem })
}
