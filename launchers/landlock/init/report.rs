//! What went wrong, and how the launcher gets to know it.

use core::ffi::CStr;

use crate::protocol::{Identity, Record, tell};
use crate::system;

/// What is being done.
#[derive(Clone, Copy)]
pub(crate) struct At {
    stage: u32,
    path: &'static CStr,
}

/// Something that failed.
#[derive(Clone, Copy)]
pub(crate) struct Failure {
    at: At,
    errno: u32,
}

/// One of the protocol's stages.
pub(crate) fn at(stage: u32) -> At {
    At { stage, path: c"" }
}

impl At {
    /// At this path.
    pub(crate) fn path(self, path: &'static CStr) -> At {
        At { path, ..self }
    }

    pub(crate) fn failed(self, errno: u32) -> Failure {
        Failure { at: self, errno }
    }
}

/// Names what was being done when a call failed.
pub(crate) trait Stage<T> {
    fn stage(self, at: At) -> Result<T, Failure>;
}

impl<T> Stage<T> for Result<T, u32> {
    fn stage(self, at: At) -> Result<T, Failure> {
        self.map_err(|errno| at.failed(errno))
    }
}

/// Tells the launcher something. If nobody listens any more, nobody has to know.
pub(crate) fn tell(status: i32, what: u32, value: u32) {
    write(status, Record { tell: what, value, errno: 0, unused: 0 });
}

/// Tells the launcher which file something is.
pub(crate) fn tell_identity(status: i32, identity: Identity) {
    let from = (&raw const identity).cast();
    // SAFETY: an identity is plain data without gaps.
    let bytes = unsafe { core::slice::from_raw_parts(from, size_of::<Identity>()) };
    let _ = system::write_all(status, bytes);
}

/// Tells the launcher that the command will never run.
pub(crate) fn tell_failure(status: i32, failure: Failure) {
    let Failure { at, errno } = failure;
    write(status, Record { tell: tell::FAILED, value: at.stage, errno, unused: 0 });
    let _ = system::write_all(status, at.path.to_bytes());
}

fn write(status: i32, record: Record) {
    let from = (&raw const record).cast();
    // SAFETY: a record is plain data without gaps.
    let bytes = unsafe { core::slice::from_raw_parts(from, size_of::<Record>()) };
    let _ = system::write_all(status, bytes);
}
