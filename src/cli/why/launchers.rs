//! Which launchers can enforce a rule here.

use std::sync::Arc;

use cofferdam_profiles::{Policy, Promise};

use crate::cli::args::SandboxArgs;
use crate::cli::report::Failure;
use crate::config::LauncherChoice;
use crate::evidence::has_view;
use crate::outcome::chain;
use crate::registry::{self, CONFINING, Purpose};

/// The launchers that are asked, each with what it lacks here or why it does not work.
pub(super) struct Launchers(Vec<(String, Result<Vec<String>, String>)>);

impl Launchers {
    /// For `auto` all that confine; else the one that is named.
    pub(super) fn find(sandbox: &SandboxArgs, policy: &Arc<Policy>) -> Result<Self, Failure> {
        let choice = LauncherChoice::from_option(&sandbox.launcher)?;
        if !choice.takes_profile() {
            return Err(Failure(format!(
                "the launcher `{}` enforces no profile, so none of its rules decides anything; use \
                 another launcher",
                sandbox.launcher
            )));
        }
        if !matches!(choice, LauncherChoice::Auto) {
            let chosen = registry::build(&choice, Some(policy), Purpose::Runs)?.launcher;
            return Ok(Launchers(vec![(sandbox.launcher.clone(), Ok(chosen.missing().to_vec()))]));
        }
        let ask = |name: &&str| {
            let built = registry::confining(name, policy);
            let found = built.map(|launcher| launcher.missing().to_vec());
            ((*name).to_owned(), found.map_err(|error| chain(&error)))
        };
        Ok(Launchers(CONFINING.iter().map(ask).collect()))
    }

    /// Whether what is hidden is not there at all, with the launcher that lacks least.
    pub(super) fn have_view(&self) -> bool {
        let working = self.0.iter().filter_map(|(_, found)| found.as_ref().ok());
        working.min_by_key(|missing| missing.len()).is_some_and(|missing| has_view(missing))
    }

    /// Each with the reason why it does not enforce a rule that needs this; none where it does.
    pub(super) fn enforcing(&self, promise: Option<Promise>) -> Vec<(String, Option<String>)> {
        let hindrance = |found: &Result<Vec<String>, String>| match (found, promise) {
            (Err(problem), _) => Some(problem.clone()),
            (Ok(missing), Some(promise)) if missing.iter().any(|name| name == promise.as_str()) => {
                Some(format!("it lacks `{promise}` here, which the profile lists as best effort"))
            }
            (Ok(_), _) => None,
        };
        self.0.iter().map(|(name, found)| (name.clone(), hindrance(found))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_that_lacks_the_promise_does_not_enforce_the_rule() {
        let lacking = |names: &[&str]| Ok(names.iter().map(|name| (*name).to_owned()).collect());
        let launchers = Launchers(vec![
            ("landlock".to_owned(), lacking(&["metadata", "protect"])),
            ("bubblewrap".to_owned(), lacking(&[])),
            ("other".to_owned(), Err("it is not there".to_owned())),
        ]);
        let enforcing = |promise| {
            let all = launchers.enforcing(promise).into_iter();
            all.filter(|(_, why)| why.is_none()).map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(enforcing(None), ["landlock", "bubblewrap"]);
        assert_eq!(enforcing(Some(Promise::Protect)), ["bubblewrap"]);
        assert!(launchers.have_view());
    }
}
