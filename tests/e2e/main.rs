//! Everything that goes through the program, or through the library as a host uses it.
//!
//! Each file is about one noun. `support` holds what they share.

#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "what cannot run here says so")]

mod agree;
mod argv;
mod audit;
mod capture;
mod compress;
mod config;
mod consent;
mod cwd;
mod denials;
mod doors;
mod environment;
mod exit;
mod files;
mod gate;
mod git;
mod guard;
mod host;
mod host_launcher;
#[cfg(feature = "http")]
mod http;
mod import;
mod init;
mod isolation;
mod jobs;
mod large;
mod leaks;
mod library;
mod life;
mod limits;
mod names;
mod namespaces;
mod network;
mod pipeline;
mod policy;
mod prove;
mod race;
mod reference;
mod run;
mod schema;
mod sdk;
mod server;
mod setup_failure;
mod stand_in;
mod stdin;
mod streaming;
mod support;
mod syscalls;
mod terminal;
mod toolchains;
mod tools;
mod tree;
mod validator;
mod view;
mod why;
mod wire;
mod wrapper;
