//! What each system has for files: the same names on both.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
pub(super) use linux::{carry, is_kernel_made, open_beneath};
#[cfg(target_os = "macos")]
pub(super) use macos::{carry, is_kernel_made, open_beneath};
