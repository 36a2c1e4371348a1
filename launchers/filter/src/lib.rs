#![cfg(target_os = "linux")]
//! The seccomp filter of Cofferdam's Linux launchers.
//!
//! It promises that a command reaches only the system calls named in its table: what no line
//! names, a foreign architecture's calls and those of a later kernel are closed. It sees numbers
//! and plain arguments, never what a pointer points to, so it decides nothing about paths, and it
//! is the second layer: Landlock or namespaces are the first.
//!
//! ```
//! use cofferdam_filter::{Filter, Terms};
//! use cofferdam_profiles::{NetworkMode, UnixSockets};
//!
//! let filter = Filter::compile(&Terms {
//!     network: NetworkMode::Off,
//!     unix_sockets: UnixSockets::Inside,
//!     private_network: false,
//!     private_view: false,
//!     private_processes: false,
//!     allow: Vec::new(),
//! })?;
//! assert!(filter.explain().contains("loads programs into the kernel"));
//! # Ok::<(), cofferdam_filter::FilterError>(())
//! ```
//!
//! * [`Terms`]: what the table depends on.
//! * [`Filter`]: the compiled program, its bytes and its explanation.
//! * [`Line`], [`Verdict`]: the table itself.
//! * [`Refusal`]: what a filter that [tells](Filter::telling) says to one call.
//! * [`FilterError`]: why there is no filter.

#![forbid(unsafe_code)]

mod comparison;
mod dispatch;
mod error;
mod exceptions;
mod explain;
mod filter;
mod instruction;
mod numbers;
mod refusal;
mod table;
mod telling;
mod terms;
mod verdict;

#[cfg(test)]
mod evaluate;
#[cfg(test)]
mod tests;

pub use error::FilterError;
pub use exceptions::GROUPS;
pub use filter::Filter;
pub use numbers::Machine;
pub use refusal::Refusal;
pub use table::Line;
pub use terms::Terms;
pub use verdict::{Action, Condition, Rule, Verdict};

/// One instruction of a program, as the kernel takes it (`struct sock_filter`).
pub use libc::sock_filter as Instruction;

/// The candidate that is most like `name`.
fn nearest(name: &str, candidates: impl Iterator<Item = &'static str>) -> &'static str {
    candidates
        .min_by_key(|candidate| strsim::damerau_levenshtein(name, candidate))
        .unwrap_or_default()
}
