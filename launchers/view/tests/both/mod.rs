//! What holds under both launchers that build a view from nothing. Each has a `support` of its own, which
//! says what the launcher is, who the users are, and how a launch is spawned.

mod checks;
mod closed;
mod commands;
mod files;
mod isolation;
pub(crate) mod run;
mod tools;
mod user;
pub(crate) mod world;
