//! What a sandbox promises, one promise at a time, and the probe that tries to break each.
//!
//! A [`Promise`] is one sentence about a run: something that it cannot do, or something that must
//! keep working. Its function builds a scene with something real in it (a listener, a secret file, a
//! process), has a probe try the thing inside the sandbox, and judges by what is seen from outside
//! and by the probe's own word. Every attempt is made twice: once without any sandbox, to show that
//! the attack works on this machine at all, and once inside. What does not work unconfined proves
//! nothing, and is told as untried; a probe that never ran is a failure of the battery.
//!
//! # Map
//!
//! * [`Promise`], [`Class`], [`CLASSES`]: the promises, in `promises/`.
//! * [`Subject`]: what runs commands, as a command line in front of them. [`attempt()`]: one promise
//!   against one subject, and what was [`Found`].
//! * [`probe::main`]: the program inside. Whatever program stages an attempt offers it as its
//!   subcommand `probe`.
//! * `world`, `scene`, `witness`: the folders, the runs and the listeners of an attempt.
//! * [`Unpromised`]: what a launcher does not promise, why, and who does. [`table`]: how README.md
//!   tells it.
//! * `harness` (feature `harness`): one test for each promise.
//!
//! Unsafe stands in `probe/raw.rs` alone: system calls for which no crate has a safe face.

#![cfg(target_os = "linux")]
#![deny(unsafe_code)]

mod attempt;
#[cfg(feature = "harness")]
pub mod harness;
pub mod probe;
mod promise;
mod promises;
mod report;
mod scene;
mod subject;
pub mod table;
mod task;
mod unpromised;
mod verdict;
mod witness;
mod world;

pub use attempt::{Found, attempt};
pub use promise::{Class, Kind, Promise, rule};
pub use promises::{CLASSES, find};
pub use subject::{Stage, Subject};
pub use unpromised::{UNCONFINED, Unpromised};
