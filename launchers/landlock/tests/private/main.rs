//! The launcher in private namespaces: what a run can do, and what it cannot.
#![cfg(target_os = "linux")]

#[path = "../../../view/tests/both/mod.rs"]
mod both;
mod support;
mod templates;

mod checks;
mod commands;
mod doors;
mod endings;
mod files;
mod isolation;
mod places;
