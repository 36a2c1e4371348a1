//! Applies the confinement for real and tries to break it.
//!
//! Each test starts this very program again, which confines itself and then execs the command, as
//! the spawner's child does (see `support`). The forbidden thing is always there to be had: a file
//! with a secret, a live listener, a running process.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "tests say what cannot run here")]

mod check;
mod files;
mod network;
mod processes;
mod scope;
mod support;
mod tools;
