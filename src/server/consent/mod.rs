//! How a person is asked for consent: `escalate: "ask"`.
//!
//! `question` is what the person reads and may answer, in words of ours with those of the command set
//! apart; `decision` is what came of it: whatever is no clear yes is a no. `rounds` goes through a call
//! in either era of the protocol: as a request to the client while the call waits (`dialog`), or as an
//! answer that the client completes with a call of its own, by the ticket of an approval.

mod decision;
mod dialog;
mod question;
mod rounds;
mod step;

pub(super) use rounds::{Round, respond};
pub(super) use step::{Pending, Step};

/// Said in a payload where a person would be asked and cannot be.
pub(super) const NOBODY: &str =
    "nobody was asked for consent: this client has no elicitation; the refusals stand";
