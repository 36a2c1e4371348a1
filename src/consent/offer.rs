//! What a run lacked, and could be granted.

use std::path::PathBuf;
use std::sync::Arc;

use cofferdam_profiles::{Grant, Inside};

use super::{NotWidened, Recipe};
use crate::audit::{Entry, Kind};
use crate::evidence::{has_view, shown};
use crate::outcome::chain;
use crate::runner::Terms;
use crate::scratch::ScratchDir;
use crate::start::physical_directory;
use crate::{Outcome, Request, Runner};

/// So many grants are offered at once: whoever is asked for more does not read them.
const MOST: usize = 8;

/// The longest path that is offered, in bytes as it is shown: one that has to be cut for the person
/// who decides could be any.
const LONGEST: usize = 512;

/// A run that was refused something, and what would let it pass once.
#[derive(Debug)]
pub(crate) struct Offer {
    request: Request,
    /// The directory of the run, physical.
    pub(crate) directory: PathBuf,
    /// What was refused, as the payload tells it: `write /srv/x`.
    pub(crate) refusals: Vec<String>,
    /// What would allow at least some of that.
    pub(crate) grants: Vec<Grant>,
    entry: Arc<Entry>,
}

/// Why a run that was agreed to did not happen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRun {
    /// It would have another sandbox than the one that was told.
    #[error(transparent)]
    NotWidened(#[from] NotWidened),
    /// Its directory is another one by now.
    #[error("its directory is no longer `{}`", .0.display())]
    Moved(PathBuf),
    /// Nothing may be granted that is not recorded.
    #[error("the consent cannot be recorded: {0}")]
    NotRecorded(String),
}

impl Runner {
    /// What could be granted to a run of this request that came to this. `None` where nothing was
    /// refused, or nothing that may be granted. It reads the file system, and may take a while.
    pub(crate) fn offer(&self, request: &Request, outcome: &Outcome) -> Option<Offer> {
        let terms = self.terms();
        let recipe = terms.recipe.as_deref()?;
        let denied = &outcome.sandbox.as_ref()?.evidence.denied;
        let grants = grants(terms, recipe, outcome);
        // Nobody is asked for what the launcher could not do.
        if grants.is_empty() || recipe.widened(terms, &grants).is_err() {
            return None;
        }
        let directory = physical_directory(terms, request.cwd.as_deref())?;
        let entry = terms.audit.entry(request, Kind::Run);
        let offer = Offer {
            request: request.clone().cwd(&directory),
            refusals: denied
                .iter()
                .take(MOST)
                .map(|one| format!("{} {}", one.what, one.target))
                .collect(),
            directory,
            grants,
            entry,
        };
        offer.entry.asks(&offer.directory, &offer.told()).ok()?;
        Some(offer)
    }
}

impl Offer {
    /// The grants for the audit and the payload: `write /srv/x`.
    pub(crate) fn told(&self) -> Vec<String> {
        let told = |grant: &Grant| match grant.path() {
            Some(path) => format!("{} {}", grant.word(), path.display()),
            None => grant.word().to_owned(),
        };
        self.grants.iter().map(told).collect()
    }

    /// Somebody has agreed: the runner for this one run, and its request. Everything is looked at anew.
    pub(crate) fn granted(self, runner: &Runner) -> Result<(Runner, Request), NotRun> {
        match self.widened(runner.terms()) {
            Ok(terms) => {
                self.entry
                    .answered(true, "a person agreed, for one run")
                    .map_err(|error| NotRun::NotRecorded(chain(&error)))?;
                Ok((Runner::new(terms), self.request))
            }
            Err(reason) => {
                self.denied(&format!("a person agreed, and it cannot be: {}", chain(&reason)));
                Err(reason)
            }
        }
    }

    fn widened(&self, terms: &Terms) -> Result<Terms, NotRun> {
        let recipe = terms.recipe.as_deref();
        let moved = || NotRun::Moved(self.directory.clone());
        let widened = recipe.ok_or_else(moved)?.widened(terms, &self.grants)?;
        match physical_directory(&widened, Some(&self.directory)) {
            Some(directory) if directory == self.directory => Ok(widened),
            _ => Err(moved()),
        }
    }

    /// Nobody has agreed.
    pub(crate) fn denied(&self, why: &str) {
        // Where that cannot be recorded nothing is opened all the same.
        let _ = self.entry.answered(false, why);
    }
}

/// What may be granted of what was refused, the surest first.
fn grants(terms: &Terms, recipe: &Recipe, outcome: &Outcome) -> Vec<Grant> {
    let (Some(policy), Some(sandbox)) = (&terms.policy, &outcome.sandbox) else {
        return Vec::new();
    };
    let mut inside = Inside::new(has_view(&sandbox.missing));
    let own = terms.scratch.instance().map(ScratchDir::scratch);
    inside.scratch = own.map(|own| vec![own.tmp.clone(), own.home.clone()]).unwrap_or_default();
    let mut grants: Vec<Grant> = Vec::new();
    for question in sandbox.evidence.denied.iter().filter_map(|denial| denial.question.as_ref()) {
        let offered = Grant::offer(policy, question, &inside, &recipe.context);
        let Some(grant) = offered.filter(is_shown_whole) else { continue };
        let is_known = grants.iter().any(|known| known.covers(&grant));
        if is_known || recipe.policy(std::slice::from_ref(&grant)).is_err() {
            continue;
        }
        grants.retain(|known| !grant.covers(known));
        if grants.len() < MOST {
            grants.push(grant);
        }
    }
    grants
}

/// Whether a person sees all of it.
fn is_shown_whole(grant: &Grant) -> bool {
    let fits = |text: &str| shown(text, usize::MAX).len() <= LONGEST;
    grant.path().is_none_or(|path| path.to_str().is_some_and(fits))
}
