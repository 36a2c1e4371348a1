//! `cofferdam check`: what works here, why the rest does not, and what would help.

use std::collections::BTreeMap;

use cofferdam_launcher::LaunchError;
use serde::Serialize;

use super::args::CheckArgs;
use super::exit;
use super::facts::{self, Fact};
use super::report::{Failure, print, print_json};
use super::table::two_columns;
use crate::config::{LauncherChoice, SettingsError};
use crate::outcome::chain;
use crate::registry::{self, Chosen, PassedOver, Purpose, Why};

/// What was found.
#[derive(Debug, Serialize)]
struct Findings {
    /// The launcher that `auto` takes; `None` where none works.
    auto: Option<String>,
    launchers: Vec<Finding>,
    profile: String,
    system: BTreeMap<&'static str, String>,
    #[serde(skip)]
    facts: Vec<Fact>,
}

/// One launcher.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Finding {
    /// The rules of the profile that it would not enforce. Empty where it does not work.
    missing: Vec<String>,
    name: String,
    /// Why it does not work.
    problem: Option<String>,
    /// What would help.
    remedy: Option<String>,
    works: bool,
}

/// Checks, and tells.
pub(super) fn check(args: CheckArgs) -> Result<u8, Failure> {
    let policy = args.policy.policy()?;
    let (auto, launchers) =
        match registry::build(&LauncherChoice::Auto, Some(&policy), Purpose::Survey) {
            Ok(chosen) => (Some(chosen.launcher.name().to_owned()), usable(chosen)),
            Err(SettingsError::NoLauncher { tried }) => (
                None,
                tried.into_iter().map(|(name, error)| Finding::broken(name, &error)).collect(),
            ),
            Err(error) => return Err(error.into()),
        };
    let facts = facts::gather();
    let system = facts.iter().map(|fact| (fact.key, fact.value.clone())).collect();
    let findings = Findings { auto, launchers, profile: policy.name.clone(), system, facts };
    match args.json {
        true => print_json(&findings)?,
        false => print(&findings.render())?,
    }
    Ok(if findings.auto.is_some() { 0 } else { exit::FAILURE })
}

/// The launcher that was chosen, and then those that were passed over.
fn usable(chosen: Chosen) -> Vec<Finding> {
    let launcher = chosen.launcher.as_ref();
    let first = Finding::working(launcher.name().to_owned(), launcher.missing().to_vec());
    let others = chosen.passed_over.into_iter().map(|PassedOver { name, why }| match why {
        Why::Unusable(error) => Finding::broken(name.to_owned(), &error),
        Why::Weaker { missing } => Finding::working(name.to_owned(), missing),
    });
    std::iter::once(first).chain(others).collect()
}

impl Finding {
    fn working(name: String, missing: Vec<String>) -> Self {
        Finding { missing, name, problem: None, remedy: None, works: true }
    }

    fn broken(name: String, error: &LaunchError) -> Self {
        Finding {
            missing: Vec::new(),
            name,
            problem: Some(chain(error)),
            remedy: error.remedy().map(str::to_owned),
            works: false,
        }
    }

    /// Everything about it in a few lines.
    fn describe(&self, auto: Option<&Finding>) -> String {
        let mut lines = Vec::new();
        match &self.problem {
            Some(problem) => lines.push(format!("no: {problem}")),
            None if self.missing.is_empty() => lines.push("works, enforces everything".to_owned()),
            None => lines.push(format!("works, does not enforce: {}", self.missing.join(", "))),
        }
        lines.extend(self.remedy.as_ref().map(|remedy| format!("remedy: {remedy}")));
        if let Some(auto) = auto
            && auto.name != self.name
            && self.works
        {
            lines.push(match self.missing.len() > auto.missing.len() {
                true => format!("`auto` passes it over: `{}` enforces more", auto.name),
                false => {
                    format!(
                        "`auto` passes it over: `{}` enforces as much, starts faster",
                        auto.name
                    )
                }
            });
        }
        lines.join("\n")
    }
}

impl Findings {
    fn render(&self) -> String {
        let taken = self.launchers.iter().find(|found| Some(&found.name) == self.auto.as_ref());
        let mut rows: Vec<_> = self
            .launchers
            .iter()
            .map(|found| (found.name.clone(), found.describe(taken)))
            .collect();
        rows.push((
            "auto".to_owned(),
            match &self.auto {
                Some(name) => format!("takes {name}"),
                None => "takes none: no command will run without a sandbox by accident".to_owned(),
            },
        ));
        let elsewhere = registry::ELSEWHERE.iter();
        rows.extend(
            elsewhere.map(|(name, system)| ((*name).to_owned(), format!("only on {system}"))),
        );
        let facts = self.facts.iter().map(|fact| (fact.name.to_owned(), fact.value.clone()));
        let facts: Vec<_> = facts.collect();
        format!(
            "Launchers, for the profile `{}`, by their own word (`--prove` tries it)\n\n{}\n\
             This system\n\n{}",
            self.profile,
            two_columns(&rows),
            two_columns(&facts)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_launcher_that_does_not_work_is_told_with_cause_and_remedy() {
        let error = LaunchError::unsupported("no user namespaces", "raise the limit");
        let found = Finding::broken("bubblewrap".to_owned(), &error);
        assert_eq!(found.describe(None), "no: no user namespaces\nremedy: raise the limit");
        assert!(!found.works);
    }

    #[test]
    fn a_launcher_that_is_passed_over_is_told_why() {
        let taken = Finding::working("landlock".to_owned(), missing(&["pty"]));
        let equal = Finding::working("bubblewrap".to_owned(), missing(&["ipc"]));
        let weaker = Finding::working("bubblewrap".to_owned(), missing(&["ipc", "pty"]));
        assert_eq!(taken.describe(Some(&taken)), "works, does not enforce: pty");
        assert!(
            equal.describe(Some(&taken)).ends_with("`landlock` enforces as much, starts faster")
        );
        assert!(weaker.describe(Some(&taken)).ends_with("`landlock` enforces more"));
    }

    #[test]
    fn the_text_fits_a_hundred_columns() {
        let error = LaunchError::unsupported("word ".repeat(60), "other ".repeat(60));
        let findings = Findings {
            auto: None,
            launchers: vec![Finding::broken("bubblewrap".to_owned(), &error)],
            profile: "workspace".to_owned(),
            system: BTreeMap::new(),
            facts: Vec::new(),
        };
        let text = findings.render();
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(text.contains("takes none"));
    }
}
