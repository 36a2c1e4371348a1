//! The payload of a run, made shorter where that is wanted, with the whole text kept.

use std::time::Instant;

use crate::compress::Recipe;
use crate::jobs::Shortening;
use crate::server::pack::Pack;
use crate::{Outcome, Payload, Request};

/// What is known of a run before it begins.
pub(super) struct Shorter<'a> {
    pack: &'a Pack,
    begun: Instant,
    /// `None` where the payload stays as it is.
    wanted: Option<Wanted>,
}

struct Wanted {
    command: String,
    recipe: Recipe,
}

impl<'a> Shorter<'a> {
    pub(super) fn new(pack: &'a Pack, request: &Request, asked: Option<bool>) -> Self {
        let is_wanted = pack.may_shorten_run() && pack.shortens(asked);
        let wanted = || Wanted { command: request.label(), recipe: pack.recipe(request) };
        Shorter { pack, begun: Instant::now(), wanted: is_wanted.then(wanted) }
    }

    /// The payload. Where it became shorter the run is kept as a finished job, whose `output` is the
    /// whole text.
    pub(super) fn payload(self, outcome: &Outcome) -> Payload {
        let mut payload = outcome.payload();
        let Some(Wanted { command, recipe }) = self.wanted else { return payload };
        if recipe.apply(&mut payload)
            && let Some(compressed) = &mut payload.compressed
        {
            let shortening = Shortening { recipe, by_default: false };
            let runtime = self.begun.elapsed();
            let job = self.pack.jobs.keep(&command, outcome, runtime, shortening);
            compressed.job = Some(job);
        }
        payload
    }
}
