//! What a policy asks for and a launcher cannot do: named in payloads, or refused.

use std::collections::BTreeSet;

use cofferdam_launcher::LaunchError;
use cofferdam_profiles::{Filesystem, Promise};

/// One thing that is not enforced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Its name in `best-effort`. `None`: no profile can do without.
    pub promise: Option<Promise>,
    /// The rule or rules, with the places where they were written, and the reason.
    pub rule: String,
    /// What would help, beside a profile that does without.
    pub remedy: &'static str,
}

/// A gap that no launcher can close, but the profiles can leave open: some of the repositories below the
/// workspace were not looked for.
pub fn unsearched(files: &Filesystem) -> Option<Gap> {
    files.unsearched.then(|| Gap {
        promise: Some(Promise::Repositories),
        rule: "`repositories` (the workspace has more folders, or more git repositories, than are looked \
               into: those farther down are not protected like its own)"
            .to_owned(),
        remedy: "use a smaller folder as the workspace",
    })
}

/// The names of the gaps, for payloads.
pub fn missing(gaps: &[Gap]) -> Vec<String> {
    let names: BTreeSet<_> = gaps.iter().filter_map(|gap| gap.promise).collect();
    names.into_iter().map(|promise| promise.to_string()).collect()
}

/// Whether the policy can live with the gaps.
///
/// # Errors
/// [`LaunchError::CannotEnforce`] with every rule that is neither enforced nor best effort.
pub fn accept(
    launcher: &str,
    gaps: &[Gap],
    best_effort: &BTreeSet<Promise>,
) -> Result<(), LaunchError> {
    let accepted = |gap: &&Gap| gap.promise.is_some_and(|promise| best_effort.contains(&promise));
    let refused: Vec<_> = gaps.iter().filter(|gap| !accepted(gap)).collect();
    if refused.is_empty() {
        return Ok(());
    }
    let rule = grouped(&refused);
    Err(LaunchError::CannotEnforce {
        launcher: launcher.to_owned(),
        rule,
        remedy: remedy(&refused),
    })
}

/// What would help against all of them. Where a profile cannot do without one, that one decides.
fn remedy(gaps: &[&Gap]) -> String {
    let of = |hard: bool| {
        let chosen = gaps.iter().filter(|gap| gap.promise.is_none() == hard);
        let mut remedies = Vec::new();
        for gap in chosen {
            if !remedies.contains(&gap.remedy) {
                remedies.push(gap.remedy);
            }
        }
        remedies.join("; ")
    };
    if gaps.iter().any(|gap| gap.promise.is_none()) {
        return of(true);
    }
    let names: BTreeSet<_> = gaps.iter().filter_map(|gap| gap.promise).collect();
    let names: Vec<_> = names.iter().map(|promise| format!("\"{promise}\"")).collect();
    format!("{}, or add {} to the profile's `best-effort`", of(false), names.join(", "))
}

/// The rules in one line: of many for one promise, the first and how many there are.
fn grouped(gaps: &[&Gap]) -> String {
    let groups = gaps.chunk_by(|one, other| one.promise.is_some() && one.promise == other.promise);
    let group = |gaps: &[&Gap]| match gaps {
        [gap] => gap.rule.clone(),
        [first, others @ ..] => format!("{} (and {} like it)", first.rule, others.len()),
        [] => String::new(),
    };
    groups.map(group).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(promise: Promise, rule: &str, remedy: &'static str) -> Gap {
        Gap { promise: Some(promise), rule: rule.to_owned(), remedy }
    }

    fn refusal(gaps: &[Gap], best_effort: &[Promise]) -> (String, String) {
        let best_effort = best_effort.iter().copied().collect();
        match accept("any", gaps, &best_effort).unwrap_err() {
            LaunchError::CannotEnforce { rule, remedy, .. } => (rule, remedy),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn names_stand_once_and_in_order() {
        let gaps = [Promise::Pty, Promise::Ipc, Promise::Pty].map(|promise| gap(promise, "", ""));
        assert_eq!(missing(&gaps), ["ipc", "pty"]);
    }

    #[test]
    fn a_refusal_counts_the_rules_of_one_promise() {
        let protect = |rule| gap(Promise::Protect, rule, "another launcher");
        let gaps = [protect("/a"), protect("/b"), protect("/c"), gap(Promise::Pty, "pty", "x")];
        let (rule, remedy) = refusal(&gaps, &[]);
        assert_eq!(rule, "/a (and 2 like it); pty");
        let names = "\"protect\", \"pty\"";
        assert_eq!(
            remedy,
            format!("another launcher; x, or add {names} to the profile's `best-effort`")
        );
    }

    #[test]
    fn what_is_best_effort_is_not_refused() {
        let gaps = [gap(Promise::Ipc, "ipc", "x"), gap(Promise::Pty, "pty", "y")];
        let (rule, remedy) = refusal(&gaps, &[Promise::Ipc]);
        assert_eq!(rule, "pty");
        assert!(!remedy.contains("ipc") && !remedy.contains('x'), "{remedy}");
        let both = BTreeSet::from([Promise::Ipc, Promise::Pty]);
        accept("any", &gaps, &both).unwrap();
    }

    #[test]
    fn no_profile_can_do_without_what_has_no_name() {
        let nameless = Gap { promise: None, rule: "two rules".to_owned(), remedy: "change one" };
        let gaps = [nameless, gap(Promise::Pty, "pty", "y")];
        let (rule, remedy) = refusal(&gaps, &Promise::ALL);
        assert_eq!((rule.as_str(), remedy.as_str()), ("two rules", "change one"));
        assert_eq!(refusal(&gaps, &[]).1, "change one");
    }
}
