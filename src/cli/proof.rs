//! What `check --prove` has found, as it is told.

use cofferdam_battery::{CLASSES, Class, Found, Promise};
use serde::Serialize;

use super::table::two_columns;

/// One promise, and what was found.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) class: &'static Class,
    pub(super) promise: &'static Promise,
    pub(super) found: Found,
}

/// Everything.
#[derive(Debug)]
pub(super) struct Proof {
    pub(super) launcher: String,
    /// Whether the launcher says of itself that it confines.
    pub(super) claims: bool,
    /// `None` where the launcher takes none.
    pub(super) profile: Option<String>,
    /// What the launcher says itself that it does not enforce.
    pub(super) missing: Vec<String>,
    /// In the order of the battery.
    pub(super) tried: Vec<Tried>,
}

/// What programs are told.
#[derive(Debug, Serialize)]
pub(super) struct Payload<'a> {
    claims: bool,
    classes: Vec<ClassPayload<'a>>,
    kept: bool,
    launcher: &'a str,
    missing: &'a [String],
    profile: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct ClassPayload<'a> {
    about: &'a str,
    broken: Vec<Entry<'a>>,
    held: usize,
    name: &'a str,
    unpromised: Vec<Entry<'a>>,
    untried: Vec<Entry<'a>>,
}

/// A promise, and why it is where it is.
#[derive(Debug, Serialize)]
struct Entry<'a> {
    because: String,
    promise: &'a str,
}

impl Proof {
    /// Whether no promise was broken.
    pub(super) fn is_kept(&self) -> bool {
        !self.tried.iter().any(Tried::is_broken)
    }

    fn of<'a>(&'a self, class: &Class) -> impl Iterator<Item = &'a Tried> {
        self.tried.iter().filter(move |tried| tried.class.name == class.name)
    }

    pub(super) fn payload(&self) -> Payload<'_> {
        let classes = CLASSES.iter().map(|class| {
            let all: Vec<_> = self.of(class).collect();
            let entries = |wanted: fn(&Tried) -> Option<String>| {
                let entry = |tried: &&'_ Tried| Some((tried.promise.name, wanted(tried)?));
                let found = all.iter().filter_map(entry);
                found.map(|(promise, because)| Entry { because, promise }).collect()
            };
            ClassPayload {
                about: class.about,
                broken: entries(|tried| match &tried.found {
                    Found::Broken(how) | Found::Failed(how) => Some(how.clone()),
                    _ => None,
                }),
                held: all.iter().filter(|tried| matches!(tried.found, Found::Held(_))).count(),
                name: class.name,
                unpromised: entries(|tried| match &tried.found {
                    Found::Excused(rules) => Some(rules.join(", ")),
                    Found::Refused(why) => Some(why.clone()),
                    _ => None,
                }),
                untried: entries(|tried| match &tried.found {
                    Found::Untried(why) => Some(why.clone()),
                    _ => None,
                }),
            }
        });
        Payload {
            claims: self.claims,
            classes: classes.collect(),
            kept: self.is_kept(),
            launcher: &self.launcher,
            missing: &self.missing,
            profile: self.profile.as_deref(),
        }
    }

    /// What people are told: a line for each class, and a word on everything that was not held.
    pub(super) fn render(&self) -> String {
        let rows: Vec<_> =
            CLASSES.iter().map(|class| (class.name.to_owned(), self.line(class))).collect();
        let mut text = format!("{}\n\n{}", self.heading(), two_columns(&rows));
        let broken = self.rows(|tried| match &tried.found {
            Found::Broken(how) | Found::Failed(how) => Some(format!("{}: {how}", tried.fault())),
            _ => None,
        });
        let untried = self.rows(|tried| match &tried.found {
            Found::Untried(why) => Some(why.clone()),
            _ => None,
        });
        let refused = self.rows(|tried| match &tried.found {
            Found::Refused(why) => Some(why.clone()),
            _ => None,
        });
        for (title, rows) in [
            ("Not kept", broken),
            ("Refused, so that nothing ran", refused),
            ("Could not be tried here", untried),
        ] {
            if !rows.is_empty() {
                text.push_str(&format!("\n{title}\n\n{}", two_columns(&rows)));
            }
        }
        text.push_str(match self.is_kept() {
            true => "\nNo promise was broken.\n",
            false => "\nPromises were broken: do not rely on this launcher here.\n",
        });
        text
    }

    fn heading(&self) -> String {
        let profile = match &self.profile {
            Some(profile) => format!("under the profile `{profile}`"),
            None => "which takes no profile".to_owned(),
        };
        let claim = match self.claims {
            true => "",
            false => "; it does not claim to confine anything",
        };
        format!("Promises tried against `{}`, {profile}{claim}", self.launcher)
    }

    /// The numbers of one class.
    fn line(&self, class: &Class) -> String {
        let count = |wanted: fn(&Found) -> bool| {
            self.of(class).filter(|tried| wanted(&tried.found)).count()
        };
        let held = count(|found| matches!(found, Found::Held(_)));
        let mut parts = vec![format!("{held} of {} held", self.of(class).count())];
        for (number, what) in [
            (count(|found| matches!(found, Found::Broken(_) | Found::Failed(_))), "NOT KEPT"),
            (count(|found| matches!(found, Found::Excused(_))), "not promised"),
            (count(|found| matches!(found, Found::Refused(_))), "refused at the start"),
            (count(|found| matches!(found, Found::Untried(_))), "could not be tried"),
        ] {
            if number > 0 {
                parts.push(format!("{number} {what}"));
            }
        }
        let rules: std::collections::BTreeSet<_> = self
            .of(class)
            .filter_map(|tried| match &tried.found {
                Found::Excused(rules) => Some(rules.iter().cloned()),
                _ => None,
            })
            .flatten()
            .collect();
        let mut line = parts.join(", ");
        if !rules.is_empty() {
            let rules: Vec<_> = rules.into_iter().collect();
            line.push_str(&format!(" (not enforced or not asked for: {})", rules.join(", ")));
        }
        line
    }

    fn rows(&self, wanted: fn(&Tried) -> Option<String>) -> Vec<(String, String)> {
        let rows = self.tried.iter().filter_map(|tried| {
            let why = wanted(tried)?;
            Some((tried.class.name.to_owned(), format!("{}: {why}", tried.promise.sentence())))
        });
        rows.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proof(found: Found) -> Proof {
        let class = &CLASSES[0];
        let tried = vec![Tried { class, promise: &class.promises[0], found }];
        Proof {
            launcher: "mine".to_owned(),
            claims: false,
            profile: None,
            missing: Vec::new(),
            tried,
        }
    }

    #[test]
    fn what_was_broken_is_told_with_how() {
        let proof = proof(Found::Broken("it came out".to_owned()));
        assert!(!proof.is_kept());
        let text = proof.render();
        assert!(text.contains("BROKEN: it came out") && text.contains("0 of 1 held"), "{text}");
        assert_eq!(proof.payload().classes[0].broken[0].because, "it came out");
    }

    #[test]
    fn what_could_not_be_tried_is_no_breach_and_no_success() {
        let proof = proof(Found::Untried("no such call".to_owned()));
        assert!(proof.is_kept());
        let text = proof.render();
        assert!(text.contains("1 could not be tried") && text.contains("no such call"), "{text}");
        assert_eq!(proof.payload().classes[0].held, 0);
    }

    #[test]
    fn a_battery_that_failed_has_proven_nothing() {
        assert!(!proof(Found::Failed("the probe never ran".to_owned())).is_kept());
    }

    #[test]
    fn a_launcher_that_claims_nothing_is_told_as_one() {
        let text = proof(Found::Held("refused".to_owned())).render();
        assert!(text.contains("does not claim to confine anything"), "{text}");
    }
}
