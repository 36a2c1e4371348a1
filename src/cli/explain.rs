//! `cofferdam explain`: what `run` would do, without doing it.

use std::ffi::{CString, OsStr};

use cofferdam_launcher::Plan;
use serde::Serialize;

use super::args::ExplainArgs;
use super::report::{Failure, print, print_json};
use super::table::two_columns;
use crate::Runner;
use crate::cgroup;
use crate::outcome::chain;
use crate::registry::Purpose;
use crate::resolve::resolve;
use crate::runner::Terms;

/// What would be done with a command.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Explanation {
    /// The program's name as it was written, and its arguments.
    command: Vec<String>,
    /// What the cgroup of the run limits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cgroup: Vec<String>,
    directory: String,
    /// Names only, since values may be secrets.
    environment: Vec<String>,
    /// What the launcher says for itself: the wrapped arguments, the ruleset, the filter.
    explanation: String,
    launcher: String,
    missing: Vec<String>,
    profile: Option<String>,
    program: String,
}

/// Explains a command.
pub(super) fn explain(args: ExplainArgs) -> Result<u8, Failure> {
    let (program, arguments) = args.command.split();
    let runner: Runner = args.sandbox.runner(Purpose::Runs)?;
    let terms = runner.terms();
    let search_path = &terms.shared_environment.search_path;
    let resolved = resolve(&program, &terms.dir, search_path, terms.policy.as_deref())?;
    let mut plan = Plan::new(program, resolved, terms.dir.clone()).with_args(arguments);
    if let Some(folders) = terms.scratch.instance() {
        plan = plan.with_scratch(folders.scratch().clone());
    }
    let explanation = Explanation::of(terms, &plan)?;
    match args.json {
        true => print_json(&explanation)?,
        false => print(&explanation.render())?,
    }
    Ok(0)
}

impl Explanation {
    fn of(terms: &Terms, plan: &Plan) -> Result<Self, Failure> {
        let launcher = terms.launcher.as_ref();
        let words =
            std::iter::once(plan.command()).chain(plan.args().iter().map(|arg| arg.as_os_str()));
        Ok(Explanation {
            command: words.map(shown).collect(),
            cgroup: terms
                .policy
                .iter()
                .flat_map(|policy| cgroup::limited(&policy.limits))
                .collect(),
            directory: shown(plan.dir().as_os_str()),
            environment: terms.shared_environment.block.iter().map(name).collect(),
            explanation: launcher.explain(plan).map_err(|error| {
                let remedy = error.remedy().map(|remedy| format!("; {remedy}"));
                Failure(chain(&error) + &remedy.unwrap_or_default())
            })?,
            launcher: launcher.name().to_owned(),
            missing: launcher.missing().to_vec(),
            profile: terms.policy.as_ref().map(|policy| policy.name.clone()),
            program: shown(plan.program().as_os_str()),
        })
    }

    fn render(&self) -> String {
        let command: Vec<_> = self.command.iter().map(|word| quoted(word)).collect();
        let mut rows = vec![
            ("command", command.join(" ")),
            ("program", self.program.clone()),
            ("directory", self.directory.clone()),
            ("launcher", self.launcher.clone()),
            ("profile", self.profile.clone().unwrap_or_else(|| "none".to_owned())),
        ];
        if !self.missing.is_empty() {
            rows.push(("not enforced", self.missing.join(", ")));
        }
        if !self.cgroup.is_empty() {
            rows.push(("cgroup", self.cgroup.join(", ")));
        }
        rows.push(("environment", self.environment.join(" ")));
        let rows: Vec<_> = rows.into_iter().map(|(name, about)| (name.to_owned(), about)).collect();
        format!("{}\n{}\n", two_columns(&rows), self.explanation.trim_end())
    }
}

fn shown(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}

/// A word as a person can tell it from its neighbours.
fn quoted(word: &str) -> String {
    match !word.is_empty() && word.chars().all(|sign| !sign.is_whitespace() && !sign.is_control()) {
        true => word.to_owned(),
        false => format!("{word:?}"),
    }
}

/// The name of `NAME=value`.
fn name(variable: &CString) -> String {
    let text = variable.to_string_lossy();
    text.split('=').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_can_be_told_apart() {
        assert_eq!(quoted("-x=y"), "-x=y");
        assert_eq!(quoted("a b"), "\"a b\"");
        assert_eq!(quoted(""), "\"\"");
        assert_eq!(quoted("a\u{1b}"), "\"a\\u{1b}\"");
    }

    #[test]
    fn the_value_of_a_variable_is_not_shown() {
        assert_eq!(name(&CString::new("TOKEN=s3=cret").unwrap()), "TOKEN");
    }
}
