//! What a run sees of the host's files: the file rules of a policy as places.
//!
//! It promises that what no rule grants is at no place, that the deepest path decides, and that
//! whatever is closed below a writable folder cannot be moved away. It looks at no file: what is
//! really there when a run starts is for the launcher to find out.
//!
//! ```
//! use cofferdam_profiles::{Filesystem, UnixSockets};
//! use cofferdam_view::{Own, Show, View};
//!
//! let view = View::compile(&Filesystem::default(), &UnixSockets::Inside);
//! let own: Vec<_> = view.places().iter().map(|place| place.show).collect();
//! assert_eq!(own, [Show::Own(Own::Proc), Show::Own(Own::Dev)]);
//! assert!(!view.shows("/etc/shadow".as_ref()));
//! ```
//!
//! * [`View`]: all places of a policy, and the links that lead to them.
//! * [`Place`], [`Show`], [`Own`], [`Absence`]: one path and what is found there.
//! * [`gaps`]: what a launcher does not enforce, named or refused.
//! * [`doors`]: readable folders in which the host may keep sockets and named pipes.

#![forbid(unsafe_code)]

mod doors;
pub mod gaps;
mod place;
mod view;

#[cfg(test)]
mod samples;

pub use doors::doors;
pub use place::{Absence, Own, Place, Show, depth};
pub use view::View;
