//! The launcher, with the real bubblewrap: what a run can do, and what it cannot.

mod support;

mod checks;
mod closed;
mod commands;
mod files;
mod isolation;
mod threshold;
mod tools;
