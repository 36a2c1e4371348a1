//! Answers from `[environment]`.

use std::ffi::OsStr;

use super::{Answer, Change, Verdict};
use crate::{Policy, passes};

const PASS: &str = "environment.pass";
/// What every run gets with values of its own.
const OWN: &[&str] = &["PATH", "HOME", "TMPDIR"];

/// Whether a run knows a variable of the host's.
pub(super) fn variable(policy: &Policy, name: &str) -> Verdict {
    let environment = &policy.environment;
    if OWN.contains(&name) {
        return Verdict::new(Answer::Own, PASS, "every run has this with a value of its own");
    }
    if let Some(entry) = environment.set.get(name) {
        let mut verdict = Verdict::new(
            Answer::Allowed,
            "environment.set",
            "the profile sets it, whatever its value is outside",
        );
        verdict.origin = Some(entry.origin.clone());
        return verdict;
    }
    if let Some(entry) =
        environment.pass.iter().find(|entry| passes(&entry.value, OsStr::new(name)))
    {
        let mut verdict = Verdict::new(Answer::Allowed, PASS, "it is passed on");
        verdict.origin = Some(entry.origin.clone());
        return verdict;
    }
    let wildcard = environment.pass.iter().find(|entry| {
        entry.value.strip_suffix('*').is_some_and(|beginning| name.starts_with(beginning))
    });
    let because = match wildcard {
        Some(_) => {
            "a wildcard takes no name that looks like a secret, or that changes what programs run"
        }
        None => "nothing is passed on that is not named",
    };
    let mut verdict = Verdict::new(Answer::Refused, PASS, because);
    verdict.origin = wildcard.map(|entry| entry.origin.clone());
    verdict.changed_by([Change::variable(name)])
}
