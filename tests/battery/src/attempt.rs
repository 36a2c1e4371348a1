//! One promise against one subject: first without any sandbox, then inside.

use std::collections::BTreeSet;

use crate::promise::{Class, Kind, Promise, rule};
use crate::scene::Scene;
use crate::subject::{Stage, Subject};
use crate::verdict::{Judged, Trouble, Verdict};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The promise was kept; with what the attack met, or what worked.
    Held(String),
    /// The promise was broken; how.
    Broken(String),
    /// It could not be tried here; why.
    Untried(String),
    /// It stands on rules that are not enforced here, or that the profile does not have.
    Excused(Vec<String>),
    /// The runner refuses the rule on which the promise stands, and starts nothing; what it said.
    Refused(String),
    /// The battery itself failed: nothing is known.
    Failed(String),
}

/// Tries one promise. `lacking` are the rules that are known not to hold, so that promises that
/// stand on them are not tried.
pub fn attempt(
    class: &Class,
    promise: &Promise,
    subject: &Subject,
    stage: &Stage,
    lacking: &BTreeSet<String>,
) -> Found {
    let excuses = excuses(class, promise, subject, lacking);
    if !excuses.is_empty() {
        return Found::Excused(excuses);
    }
    let unconfined = match once(promise, &Subject::nobody(), stage) {
        Ok(verdict) => verdict,
        Err(Trouble::Unavailable(why)) => return Found::Untried(why),
        Err(trouble) => return Found::Failed(format!("unconfined: {}", describe(trouble))),
    };
    match (promise.kind, unconfined) {
        (Kind::Forbidden, Verdict::Held(why)) => {
            Found::Untried(format!("it is refused without a sandbox too: {why}"))
        }
        (Kind::Works, Verdict::Broken(why)) => {
            Found::Untried(format!("it does not work without a sandbox either: {why}"))
        }
        (Kind::Forbidden, Verdict::Broken(_)) | (Kind::Works, Verdict::Held(_)) => {
            match once(promise, subject, stage) {
                Ok(Verdict::Held(how)) => Found::Held(how),
                Ok(Verdict::Broken(how)) => Found::Broken(how),
                Err(Trouble::Refused(why)) => Found::Refused(why),
                Err(Trouble::Unavailable(why)) => Found::Failed(format!("only inside: {why}")),
                Err(trouble) => Found::Failed(describe(trouble)),
            }
        }
    }
}

/// The rules of a promise that do not hold.
fn excuses(
    class: &Class,
    promise: &Promise,
    subject: &Subject,
    lacking: &BTreeSet<String>,
) -> Vec<String> {
    let no_profile = |name: &str| name == rule::PROFILE && !subject.takes_profile;
    let rules = class.rules.iter().chain(promise.rules);
    rules
        .filter(|name| lacking.contains(**name) || no_profile(name))
        .map(|name| (*name).to_owned())
        .collect()
}

fn once(promise: &Promise, subject: &Subject, stage: &Stage) -> Judged {
    let scene = Scene::new(stage, subject)?;
    (promise.attack)(&scene)
}

fn describe(trouble: Trouble) -> String {
    match trouble {
        Trouble::Unavailable(why) | Trouble::Refused(why) | Trouble::NeverRan(why) => why,
        Trouble::Scene { stage, source } => format!("could not {stage}: {source}"),
    }
}
