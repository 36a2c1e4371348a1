//! What a client is told without asking: the output of a run while it goes on, progress, and what
//! happens to jobs. None of it is needed to follow a run or a job, and none of it can hold one up.
//!
//! `call` is what a call allows to be sent within it, `watching` uses that for a run. `client` is what
//! outlives calls: a session of the era that has sessions, with an `outbox` that a slow client fills
//! and nobody waits for. `jobs` tells of jobs on either way. `batches` cuts output into pieces,
//! `message` makes messages of them, `level` says which of them a client wants.
//!
//! | spoken | output of a run | what happens to a job | what a job writes |
//! | --- | --- | --- | --- |
//! | sessions (to 2025-11-25) | never; progress where a token came | always | from the level `debug` on |
//! | no sessions (from 2026-07-28) | with `logLevel` `info` or lower | within the `start` call | never |
//!
//! A message that belongs to a request carries the id of the request in its `_meta`, under
//! [`message::REQUEST`]: on standard output it could not be told otherwise which of two runs wrote
//! it.

mod batches;
mod call;
mod client;
mod jobs;
mod last_line;
mod level;
mod message;
mod outbox;
mod sink;
mod watching;

pub(super) use call::{Call, is_modern};
pub(super) use client::Client;
pub(super) use level::Level;
