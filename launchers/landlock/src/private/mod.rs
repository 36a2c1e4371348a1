//! Private namespaces: what the launcher does where the system permits them.
//!
//! The host prepares a plan and starts the init with it; everything else happens there, in a process
//! that shares nothing with the host. See `init/` for the other side.
//!
//! * [`Private`]: the policy compiled for this way; makes launches.
//! * `scene`: pure, from the view of the policy to the steps of one run; `rules`: Landlock inside.
//! * `layout`: the steps as the bytes that the init reads; `protocol`: what both sides agree on.
//! * `template`: what the views of runs have in common, built once; `shared`: which part that is.
//! * `launch`, `plans`: a policy's launches, and the plans of its runs; `reach`: which namespaces there
//!   are.
//! * `init`: the program itself, in memory. `trial`: finds out what works here.
//! * `doors`: how what a `read` rule opens is kept from being a way to the host's sockets; `submounts`:
//!   what is mounted below them.
//! * `status`, `blame`: what the init told, and what it means.

mod blame;
mod doors;
pub(crate) mod init;
mod launch;
pub(crate) mod layout;
mod plans;
#[path = "../../init/protocol.rs"]
#[allow(
    missing_docs,
    dead_code,
    unreachable_pub,
    reason = "the init's own file, of which each side uses its part"
)]
pub(crate) mod protocol;
mod reach;
mod rules;
mod scene;
mod shared;
mod status;
mod submounts;
mod template;
mod trial;

pub(crate) use blame::describe;
pub(crate) use launch::Private;
pub(crate) use reach::Reach;
pub(crate) use status::Failure;

/// The first process of the namespaces as the host numbers it, if the init has told of it yet. When
/// that process ends, the kernel ends all that is left of the run.
pub(crate) fn first_process(status: &[u8]) -> Option<u32> {
    status::Status::parse(status).process
}

#[cfg(test)]
mod tests;
