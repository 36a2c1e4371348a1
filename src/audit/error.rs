//! Why something cannot be recorded.

use std::io;

/// An audit file that cannot be used, or a record that cannot be written to it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// It cannot be opened, nor made. A link is not followed.
    #[error(
        "it cannot be opened for appending (its folder must exist, and links are not followed)"
    )]
    Open(#[source] io::Error),
    /// It is a directory, a pipe, or a device.
    #[error("it is no regular file")]
    NotAFile,
    /// Another user could change it.
    #[error("it belongs to user {owner}; it must be your own: `chown` it, or name another file")]
    Foreign {
        /// The user id of its owner.
        owner: u32,
    },
    /// Others can read or change it.
    #[error("others can use it (its mode is {mode:03o}): `chmod 600` it")]
    Shared {
        /// Its permission bits.
        mode: u32,
    },
    /// It has more than one name, and any of them may lie where a command can write.
    #[error("it has {links} names (hard links); it must have one")]
    Linked {
        /// How many names it has.
        links: u64,
    },
    /// What has its name now is another file, or nothing.
    #[error("it was removed or replaced; start anew to record to what is there now")]
    Gone,
    /// The system did not take the record.
    #[error("the record was not written")]
    Write(#[source] io::Error),
    /// The system took only a part of the record, as when a disk is full.
    #[error("only {written} of {length} bytes of the record were written; is the disk full?")]
    Cut {
        /// How much was written.
        written: usize,
        /// How long the record is.
        length: usize,
    },
}
