//! The size of a pipe.

use std::os::fd::AsFd;

/// Pipes grow here by themselves.
pub(crate) fn widen_pipe(_pipe: impl AsFd) {}
