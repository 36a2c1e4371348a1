//! A person's consent: a run that its sandbox refused something may run once more with what it lacked.
//!
//! An [`Offer`] says what could be granted: for paths that are followed anew, never for the words of a
//! denial. [`Recipe`] is how launcher and policy were made, and so makes those of the one run that
//! somebody agreed to; nothing else changes for anybody. [`Approvals`] are the offers that a client
//! has in its hands: each is good once, for the very call that it was made for, and for a few minutes.
//!
//! There is no way from here to a run without its sandbox. How a person is asked is the server's.

mod approvals;
mod offer;
mod recipe;
mod ticket;

pub(crate) use approvals::{Approvals, NoApproval};
pub(crate) use offer::Offer;
pub(crate) use recipe::{NotWidened, Recipe};
pub(crate) use ticket::{Bound, Ticket};
