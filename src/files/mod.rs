//! Files in place of a run's standard streams.
//!
//! The command never holds a descriptor of such a file: whoever has one can open it anew for writing, or
//! change its mode and times, however read-only the sandbox shows it. Between file and command is a
//! pipe, with a thread of the host that carries the bytes: so the cap on a file is exact, a slow disk
//! slows the command down, and it stops nobody else.
//!
//! A file is found by walking from the run's directory, one folder at a time, through no link of any
//! kind ([`walk`]), and what the run may not do itself is not done for it ([`rights`]).
//!
//! * [`wanted`]: what a request says. [`problem`]: what can be wrong with it.
//! * [`input`], [`output`]: the files, opened. [`pump`]: the threads that carry.
//! * [`diverted`]: how much went into a file, for all who want to know.
//! * [`system`]: what each system has for all that.

mod diverted;
mod input;
mod output;
mod problem;
mod pump;
mod rights;
mod system;
mod walk;
mod wanted;

pub(crate) use diverted::Diverted;
pub(crate) use input::InputFile;
pub(crate) use output::OutputFile;
pub use problem::FileProblem;
pub(crate) use pump::{Drain, Feed};
pub(crate) use rights::Rights;
pub(crate) use walk::Beneath;
pub(crate) use wanted::{OutputMode, StreamFiles};

/// The key of a request for its input.
pub(crate) const STDIN_FILE: &str = "stdin-file";
/// The key of a request for an output that replaces what a file holds.
pub(crate) const STDOUT_FILE: &str = "stdout-file";
/// The key of a request for an output that goes behind what a file holds.
pub(crate) const STDOUT_APPEND: &str = "stdout-append";
