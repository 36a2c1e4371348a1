//! The offers that clients have in their hands.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Bound, Ticket};

/// So long an offer can be taken: a person reads, thinks, and perhaps looks something up.
const LIFE: Duration = Duration::from_secs(5 * 60);

/// So many there are at once. A client asks one person; whoever makes more loses the oldest.
const MOST: usize = 64;

/// What was offered, each by a ticket that is good once.
#[derive(Debug)]
pub(crate) struct Approvals<T>(Mutex<VecDeque<Approval<T>>>);

#[derive(Debug)]
struct Approval<T> {
    ticket: Ticket,
    bound: Bound,
    until: Instant,
    what: T,
}

/// Why a ticket is good for nothing. It is used up in any case.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoApproval<T> {
    /// There is none: it was used, is too old, belongs to another instance, or never was one.
    Unknown,
    /// Its time is over.
    Expired(T),
    /// It was shown with another call.
    Altered(T),
}

impl<T> Default for Approvals<T> {
    fn default() -> Self {
        Approvals(Mutex::default())
    }
}

impl<T> Approvals<T> {
    /// Keeps an offer for the call that it is bound to, and gives its ticket.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub(crate) fn open(&self, bound: Bound, what: T, now: Instant) -> io::Result<Ticket> {
        let ticket = Ticket::random()?;
        let approval = Approval { ticket: ticket.clone(), bound, until: now + LIFE, what };
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |old: &&Approval<T>| now >= old.until;
        let over =
            open.iter().take_while(is_over).count().max((open.len() + 1).saturating_sub(MOST));
        let over: Vec<_> = open.drain(..over).collect();
        open.push_back(approval);
        std::mem::drop(open);
        // What is lost may have more to do at its end than others should wait for.
        std::mem::drop(over);
        Ok(ticket)
    }

    /// What a ticket stands for, once.
    ///
    /// # Errors
    /// It is good for nothing, or not for this call.
    pub(crate) fn take(
        &self,
        shown: &str,
        bound: &Bound,
        now: Instant,
    ) -> Result<T, NoApproval<T>> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // All are compared, so that the time does not tell which one it was.
        let place = (0..open.len()).fold(None, |found, place| {
            let is_it = open[place].ticket.is(shown);
            if is_it { Some(place) } else { found }
        });
        let approval = place.and_then(|place| open.remove(place)).ok_or(NoApproval::Unknown)?;
        match approval {
            Approval { until, what, .. } if now >= until => Err(NoApproval::Expired(what)),
            Approval { bound: own, what, .. } if own != *bound => Err(NoApproval::Altered(what)),
            Approval { what, .. } => Ok(what),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bound(command: &str) -> Bound {
        Bound::to("sh_run", &json!({ "command": command }))
    }

    #[test]
    fn an_approval_is_good_once() {
        let (approvals, now) = (Approvals::default(), Instant::now());
        let ticket = approvals.open(bound("a"), "x", now).unwrap();
        assert_eq!(approvals.take(ticket.reveal(), &bound("a"), now), Ok("x"));
        let again = approvals.take(ticket.reveal(), &bound("a"), now);
        assert_eq!(again, Err(NoApproval::Unknown));
    }

    #[test]
    fn an_approval_is_over_after_five_minutes() {
        let (approvals, now) = (Approvals::default(), Instant::now());
        let late = now + Duration::from_secs(300);
        let ticket = approvals.open(bound("a"), "x", now).unwrap();
        let just = approvals.take(ticket.reveal(), &bound("a"), late - Duration::from_millis(1));
        assert_eq!(just, Ok("x"));
        let ticket = approvals.open(bound("a"), "x", now).unwrap();
        assert_eq!(
            approvals.take(ticket.reveal(), &bound("a"), late),
            Err(NoApproval::Expired("x"))
        );
        assert_eq!(approvals.take(ticket.reveal(), &bound("a"), now), Err(NoApproval::Unknown));
    }

    #[test]
    fn an_approval_that_is_shown_with_another_call_is_used_up() {
        let (approvals, now) = (Approvals::default(), Instant::now());
        let ticket = approvals.open(bound("a"), "x", now).unwrap();
        let altered = approvals.take(ticket.reveal(), &bound("b"), now);
        assert_eq!(altered, Err(NoApproval::Altered("x")));
        assert_eq!(approvals.take(ticket.reveal(), &bound("a"), now), Err(NoApproval::Unknown));
    }

    #[test]
    fn the_approval_of_another_instance_and_a_forged_one_are_unknown() {
        let (approvals, other, now) = (Approvals::default(), Approvals::default(), Instant::now());
        let ticket = approvals.open(bound("a"), "x", now).unwrap();
        other.open(bound("a"), "y", now).unwrap();
        for forged in ["", "x", &"0".repeat(64), &ticket.reveal().to_uppercase()] {
            if forged != ticket.reveal() {
                let taken = approvals.take(forged, &bound("a"), now);
                assert_eq!(taken, Err(NoApproval::Unknown), "{forged}");
            }
        }
        assert_eq!(other.take(ticket.reveal(), &bound("a"), now), Err(NoApproval::Unknown));
        assert_eq!(approvals.take(ticket.reveal(), &bound("a"), now), Ok("x"));
    }

    #[test]
    fn of_too_many_the_oldest_is_lost() {
        let (approvals, now) = (Approvals::default(), Instant::now());
        let open = |number: usize| approvals.open(bound("a"), number, now).unwrap();
        let tickets: Vec<_> = (0..=MOST).map(open).collect();
        let take = |ticket: &Ticket| approvals.take(ticket.reveal(), &bound("a"), now);
        assert_eq!(take(&tickets[0]), Err(NoApproval::Unknown));
        assert_eq!(take(&tickets[1]), Ok(1));
        assert_eq!(take(&tickets[MOST]), Ok(MOST));
    }
}
