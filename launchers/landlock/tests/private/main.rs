//! The launcher in private namespaces: what a run can do, and what it cannot.
#![cfg(target_os = "linux")]

mod support;
mod templates;

mod checks;
mod closed;
mod commands;
mod doors;
mod endings;
mod files;
mod isolation;
mod places;
mod tools;
