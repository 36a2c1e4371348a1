//! How a wrapper ended.

/// How the process that was exec'd ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It exited with this code, 0 to 255.
    Exited(i32),
    /// This signal ended it.
    Signaled(i32),
}

/// The end of a wrapper, for [`Launcher::blame`](crate::Launcher::blame).
#[derive(Debug, Clone, Copy)]
pub struct WrapperEnd<'a> {
    /// How it ended.
    pub ended: Ended,
    /// All that it wrote to its status pipe, at most 64 KiB.
    pub status: &'a [u8],
    /// The start of what it, or the command, wrote to stderr: text for a message, never evidence.
    /// Empty where the streams were not captured.
    pub stderr: &'a [u8],
}
