//! How launcher and policy of a runner were made.

use std::sync::Arc;

use cofferdam_launcher::Launcher;
use cofferdam_profiles::{Context, Grant, Grants, Policy, ProfileError, Source, widen};

use crate::config::{LauncherChoice, SettingsError};
use crate::registry::{self, Purpose};
use crate::runner::Terms;

/// All that launcher and policy were made from.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) choice: LauncherChoice,
    pub(crate) source: Source,
    pub(crate) grants: Grants,
    pub(crate) context: Context,
}

/// Why there is no sandbox with these grants.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotWidened {
    /// A path is closed, or leads elsewhere by now.
    #[error("the grants do not fit the profile")]
    Profile(#[from] ProfileError),
    /// The launcher cannot express the policy with them.
    #[error("the launcher cannot enforce the profile with these grants")]
    Launcher(#[from] SettingsError),
    /// It would be another sandbox, and not this one with a grant.
    #[error("with these grants `{launcher}` would not enforce {}", missing.join(", "))]
    Weaker {
        /// The launcher that would take the place of the runner's, or that itself.
        launcher: String,
        /// What the runner's launcher enforces, and that one does not.
        missing: Vec<String>,
    },
    /// `auto` would take another launcher.
    #[error("with these grants `{0}` would take the launcher's place")]
    Another(String),
}

impl Recipe {
    /// The policy with these grants, and nothing else.
    pub(crate) fn policy(&self, more: &[Grant]) -> Result<Policy, ProfileError> {
        widen(&self.source, &self.grants, more, &self.context)
    }

    /// The terms of one run with these grants: those of all runs, but for policy and launcher. The
    /// launcher is built and tried as at the start, and must enforce whatever else it enforced.
    pub(crate) fn widened(&self, terms: &Terms, more: &[Grant]) -> Result<Terms, NotWidened> {
        let policy = Arc::new(self.policy(more)?);
        let launcher = registry::build(&self.choice, Some(&policy), Purpose::Runs)?.launcher;
        if launcher.name() != terms.launcher.name() {
            return Err(NotWidened::Another(launcher.name().to_owned()));
        }
        let missing = newly_missing(terms.launcher.as_ref(), launcher.as_ref());
        if !missing.is_empty() {
            return Err(NotWidened::Weaker { launcher: launcher.name().to_owned(), missing });
        }
        let audit = Arc::new(terms.audit.under(&policy));
        Ok(Terms { policy: Some(policy), launcher, audit, ..terms.clone() })
    }
}

fn newly_missing(before: &dyn Launcher, after: &dyn Launcher) -> Vec<String> {
    let is_new = |rule: &&String| !before.missing().contains(rule);
    after.missing().iter().filter(is_new).cloned().collect()
}
