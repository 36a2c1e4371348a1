//! What comes of listening to a filter of system calls, whatever the system.

use std::os::fd::OwnedFd;

use super::unix::WaitingCall;

/// What has come of the child's word.
#[derive(Debug)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "filters are Linux's"))]
pub(crate) enum Received {
    Listener(OwnedFd),
    /// It has not got so far.
    NotYet,
    /// It has none, or none that can be had.
    Never,
}

/// What a listener has to say.
#[derive(Debug)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "filters are Linux's"))]
pub(crate) enum Heard {
    Call(WaitingCall),
    /// No call waits now.
    Nothing,
    /// No call will ever come.
    Over,
}
