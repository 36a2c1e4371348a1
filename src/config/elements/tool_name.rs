//! `tools`: which of the six tools an instance offers.

use std::collections::BTreeSet;
use std::fmt;

use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::{Placed, Written};

/// One of the six tools. Ordered as they are listed to clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolName {
    /// Runs a command and waits for it.
    Run,
    /// Starts a command as a background job.
    Start,
    /// Reports how a job is getting on.
    Poll,
    /// Returns what a job has written.
    Output,
    /// Ends a job.
    Kill,
    /// Lists what may run.
    Allowed,
}

impl ToolName {
    /// All of them, in their order.
    pub const ALL: [ToolName; 6] = [
        ToolName::Run,
        ToolName::Start,
        ToolName::Poll,
        ToolName::Output,
        ToolName::Kill,
        ToolName::Allowed,
    ];

    pub(crate) const NAMES: &'static [&'static str] =
        &["run", "start", "poll", "output", "kill", "allowed"];

    /// The name, without a prefix: `run`.
    pub fn as_str(self) -> &'static str {
        ToolName::NAMES[self as usize]
    }

    /// The tools that were listed; all where there is no list.
    pub(crate) fn check(
        written: Written<Vec<Placed<String>>>,
        mistakes: &mut Mistakes,
    ) -> Option<BTreeSet<ToolName>> {
        match written {
            Written::Absent => Some(BTreeSet::from(ToolName::ALL)),
            Written::Unreadable => None,
            Written::Given(list) => check_list(list, mistakes),
        }
    }
}

fn check_list(
    list: Placed<Vec<Placed<String>>>,
    mistakes: &mut Mistakes,
) -> Option<BTreeSet<ToolName>> {
    if list.value.is_empty() {
        let must = "a list of at least one tool (leave it out to have all six)";
        list.wrong(Problem::must(must), mistakes);
        return None;
    }
    let mut tools = BTreeSet::new();
    let mut all = true;
    for item in &list.value {
        let known = ToolName::ALL.into_iter().find(|tool| tool.as_str() == item.value);
        let problem = match known {
            Some(tool) if tools.insert(tool) => continue,
            Some(_) => Problem::conflict("is listed twice"),
            None => Problem::unknown("tool", &item.value, ToolName::NAMES),
        };
        item.wrong(problem, mistakes);
        all = false;
    }
    all.then_some(tools)
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use crate::config::place::Place;

    use super::*;

    fn check(json: &str) -> Result<Vec<ToolName>, Vec<String>> {
        let mut mistakes = Mistakes::default();
        let tree = serde_json::from_str(json).unwrap();
        let written = Placed::tree(Place::root().key("tools"), tree).read(&mut mistakes);
        ToolName::check(written, &mut mistakes)
            .map(|tools| tools.into_iter().collect())
            .ok_or_else(|| mistakes.lines())
    }

    #[test]
    fn a_subset_keeps_the_order_of_the_tools() {
        assert_eq!(check(r#"["allowed", "run"]"#), Ok(vec![ToolName::Run, ToolName::Allowed]));
    }

    #[test]
    fn every_tool_is_known_by_its_name() {
        let names: Vec<_> = ToolName::ALL.iter().map(ToolName::to_string).collect();
        assert_eq!(names, ["run", "start", "poll", "output", "kill", "allowed"]);
    }

    #[test]
    fn no_tools_the_same_tool_twice_and_unknown_ones_are_refused() {
        assert_eq!(
            check("[]").unwrap_err(),
            ["tools = []: must be a list of at least one tool (leave it out to have all six)"]
        );
        assert_eq!(
            check(r#"["run", "run", "pol"]"#).unwrap_err(),
            [
                r#"tools[1] = "run": is listed twice"#,
                r#"tools[2] = "pol": there is no such tool; did you mean `poll`? valid here: `run`, `start`, `poll`, `output`, `kill`, `allowed`"#,
            ]
        );
    }
}
