//! The payload of a run, made shorter where that is wanted, with the whole text kept.

use std::time::Instant;

use crate::jobs::Shortening;
use crate::server::pack::Pack;
use crate::{Outcome, Payload, Request};

/// What is known of a run before it begins.
pub(super) struct Shorter<'a> {
    pack: &'a Pack,
    command: String,
    begun: Instant,
    /// `None` where the payload stays as it is.
    shortening: Option<Shortening>,
}

impl<'a> Shorter<'a> {
    pub(super) fn new(pack: &'a Pack, request: &Request, asked: Option<bool>) -> Self {
        let shortening = pack.shortening(request, asked);
        Shorter {
            pack,
            command: request.label(),
            begun: Instant::now(),
            shortening: shortening.filter(|shortening| shortening.by_default),
        }
    }

    /// The payload. Where it became shorter the run is kept as a finished job, whose `output` is the
    /// whole text.
    pub(super) fn payload(self, outcome: &Outcome) -> Payload {
        let mut payload = outcome.payload();
        let Some(Shortening { recipe, .. }) = self.shortening else { return payload };
        if recipe.apply(&mut payload)
            && let Some(compressed) = &mut payload.compressed
        {
            let shortening = Shortening { recipe, by_default: false };
            let runtime = self.begun.elapsed();
            let job = self.pack.jobs.keep(&self.command, outcome, runtime, shortening);
            compressed.job = Some(job);
        }
        payload
    }
}
