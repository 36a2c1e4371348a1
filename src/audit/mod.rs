//! The record of what was run, refused and ended: one line of JSON for each outcome, in a file, or as
//! an event of the target `cofferdam::audit` for whoever listens (`tracing`; the program writes them
//! to standard error). It never holds a byte of what a command writes, and secrets among the arguments
//! are taken out.
//!
//! * [`book`]: where an instance records, and what is the same in all its records.
//! * [`entry`]: one request, from its arrival to its end.
//! * [`record`]: the line. [`redact`]: what is taken out of it.
//! * [`file`]: the file that lines are appended to.

mod book;
mod entry;
mod error;
mod file;
mod record;
mod redact;

pub(crate) use book::{Book, Facts};
pub(crate) use entry::{Entry, Kind};
pub use error::AuditError;

/// The target of the events, for those who listen.
pub(crate) const TARGET: &str = "cofferdam::audit";
