//! The launcher, with the real bubblewrap: what a run can do, and what it cannot.

#[path = "../../../view/tests/both/mod.rs"]
mod both;
mod support;

mod checks;
mod commands;
mod files;
mod isolation;
mod threshold;
