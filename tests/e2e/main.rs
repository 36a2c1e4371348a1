//! Everything that goes through the program, or through the library as a host uses it.
//!
//! Each file is about one noun. `support` holds what they share.

#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "what cannot run here says so")]

mod argv;
mod capture;
mod cwd;
mod environment;
mod exit;
mod gate;
#[cfg(feature = "http")]
mod http;
mod jobs;
mod leaks;
mod library;
mod network;
mod policy;
mod run;
mod sdk;
mod server;
mod setup_failure;
mod stdin;
mod streaming;
mod support;
mod terminal;
mod tools;
mod tree;
mod wire;
