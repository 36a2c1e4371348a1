//! The answer to one question, for people and for programs.

use cofferdam_profiles::{Change, Origin, Policy, Promise, Question, Verdict};
use serde::Serialize;

use super::launchers::Launchers;
use crate::cli::style::{Style, Tone};
use crate::cli::table::two_columns_within;
use crate::evidence::{hint, shown};

/// The longest path that there is, and then some: on a terminal everything is told.
const MOST: usize = 8192;

/// An answer. Keys are sorted, as in every payload.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    answer: &'static str,
    because: String,
    changes: Vec<ChangePayload>,
    /// The line as it stands in the profile, before variables.
    entry: Option<String>,
    /// What a model is told.
    hint: Option<String>,
    launchers: Vec<Enforcer>,
    /// The file and the line, or the option.
    origin: Option<String>,
    /// Where the path leads.
    path: Option<String>,
    profile: String,
    rule: &'static str,
    target: String,
    what: &'static str,
    #[serde(skip)]
    is_shipped: bool,
}

/// What would allow it.
#[derive(Debug, Serialize)]
pub(super) struct ChangePayload {
    pub(super) opens: String,
    pub(super) option: Option<String>,
    pub(super) profile: Option<String>,
}

/// A launcher, and whether it can enforce the rule here.
#[derive(Debug, Serialize)]
struct Enforcer {
    enforces: bool,
    name: String,
    problem: Option<String>,
}

impl From<Change> for ChangePayload {
    fn from(change: Change) -> Self {
        ChangePayload { opens: change.opens, option: change.option, profile: change.profile }
    }
}

impl Answer {
    /// What a policy says.
    pub(super) fn new(
        question: &Question,
        verdict: &Verdict,
        policy: &Policy,
        launchers: &Launchers,
    ) -> Self {
        use cofferdam_profiles::Answer as Said;
        let is_refused = verdict.answer == Said::Refused;
        let mut answer = Answer {
            answer: match verdict.answer {
                Said::Allowed => "allowed",
                Said::Refused => "refused",
                Said::Own => "own",
            },
            because: verdict.because.clone(),
            changes: verdict.changes.iter().cloned().map(ChangePayload::from).collect(),
            entry: None,
            hint: is_refused.then(|| hint(verdict)),
            launchers: enforcers(launchers, verdict.promise),
            origin: None,
            path: verdict.path.as_ref().map(|path| path.to_string_lossy().into_owned()),
            profile: policy.name.clone(),
            rule: verdict.key,
            target: question.target(),
            what: question.word(),
            is_shipped: false,
        };
        if let Some(origin) = &verdict.origin {
            answer.stands_in(origin);
        }
        answer
    }

    /// What the filter says to a system call.
    pub(super) fn of_call(
        name: &str,
        is_allowed: bool,
        because: String,
        policy: &Policy,
        launchers: &Launchers,
    ) -> Self {
        Answer {
            answer: if is_allowed { "allowed" } else { "refused" },
            because,
            changes: Vec::new(),
            entry: None,
            hint: None,
            launchers: enforcers(launchers, None),
            origin: None,
            path: None,
            profile: policy.name.clone(),
            rule: "syscalls.allow",
            target: name.to_owned(),
            what: "syscall",
            is_shipped: false,
        }
    }

    /// The rule stands there.
    pub(super) fn stands_in(&mut self, origin: &Origin) {
        self.origin = Some(origin.to_string());
        self.entry = origin.text.as_deref().map(str::to_owned);
        self.is_shipped = origin.is_shipped();
    }

    pub(super) fn change(&mut self, change: ChangePayload) {
        self.changes.push(change);
    }

    pub(super) fn add_reason(&mut self, reason: &str) {
        self.because = format!("{}; {reason}", self.because);
    }

    pub(super) fn is_refused(&self) -> bool {
        self.answer == "refused"
    }

    /// The answer as text. What was typed is shown without what would act on the terminal.
    pub(super) fn render(&self, style: Style) -> String {
        let target = shown(&self.target, MOST);
        let tone = if self.is_refused() { Tone::Bad } else { Tone::Good };
        let word = match self.answer {
            "own" => "the run's own",
            other => other,
        };
        let mut rows = vec![("rule", format!("{}: {}", self.rule, self.because))];
        if let Some(path) = self.path.as_ref().filter(|path| **path != self.target) {
            rows.push(("leads to", shown(path, MOST)));
        }
        rows.push(("stands in", self.place()));
        for (number, change) in self.changes.iter().enumerate() {
            let ways = [
                change.option.clone(),
                change.profile.as_ref().map(|line| format!("in a profile: {line}")),
            ];
            let ways: Vec<_> = ways.into_iter().flatten().collect();
            let name = if number == 0 { "to allow it" } else { "or" };
            rows.push((name, shown_lines(&ways.join("\nor "))));
            rows.push(("that opens", change.opens.clone()));
        }
        if self.is_refused() && self.changes.is_empty() {
            rows.push(("to allow it", "no single change does".to_owned()));
        }
        rows.push((if self.is_refused() { "enforced by" } else { "launchers" }, self.enforced()));
        let rows: Vec<_> = rows.into_iter().map(|(name, about)| (name.to_owned(), about)).collect();
        let heading = format!("{} {target}: {}\n", self.what, style.tinted(word, tone));
        heading + &two_columns_within(&rows, style.width)
    }

    fn place(&self) -> String {
        let Some(origin) = &self.origin else {
            return format!(
                "no line of the profile `{}`: what is not opened is closed",
                self.profile
            );
        };
        let entry = self.entry.as_ref().map(|entry| format!(", {entry:?}")).unwrap_or_default();
        let shipped = if self.is_shipped { ", which is part of cofferdam" } else { "" };
        format!("{origin}{entry}{shipped}")
    }

    fn enforced(&self) -> String {
        let enforcing = self.launchers.iter().filter(|launcher| launcher.enforces);
        let names: Vec<_> = enforcing.map(|launcher| launcher.name.as_str()).collect();
        let mut lines = if names.is_empty() { vec![] } else { vec![names.join(", ")] };
        lines.extend(self.launchers.iter().filter_map(|launcher| {
            launcher.problem.as_ref().map(|problem| format!("not {}: {problem}", launcher.name))
        }));
        lines.join("\n")
    }
}

fn enforcers(launchers: &Launchers, promise: Option<Promise>) -> Vec<Enforcer> {
    let all = launchers.enforcing(promise).into_iter();
    all.map(|(name, problem)| Enforcer { enforces: problem.is_none(), name, problem }).collect()
}

/// Lines of our own around words that were typed.
fn shown_lines(text: &str) -> String {
    text.lines().map(|line| line.replace(char::is_control, "?")).collect::<Vec<_>>().join("\n")
}
