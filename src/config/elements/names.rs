//! `prefix` and `names`: what the tools of an instance are called.

use std::collections::{BTreeMap, BTreeSet};

use super::descriptions::each_tool;
use super::{Prefix, ToolName};
use crate::config::defaults::LONGEST_TOOL_NAME;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Written;
use crate::config::tree::Tree;

/// What the tools of an instance are called: the prefix and the tool, unless a tool has a name of its
/// own.
///
/// ```
/// use cofferdam::config::{Names, ToolName};
///
/// let names = Names::default().renamed(ToolName::Run, "shell_execute")?;
/// assert_eq!(names.name(ToolName::Run), "shell_execute");
/// assert_eq!(names.name(ToolName::Start), "sh_start");
/// # Ok::<(), cofferdam::config::Problem>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    prefix: Prefix,
    own: BTreeMap<ToolName, String>,
}

impl Names {
    /// Names with this prefix.
    pub fn new(prefix: Prefix) -> Names {
        Names { prefix, own: BTreeMap::new() }
    }

    /// The same, but that one tool is called like this: without the prefix, and of the characters
    /// that a prefix may have.
    ///
    /// # Errors
    /// What a name must be.
    pub fn renamed(mut self, tool: ToolName, name: &str) -> Result<Names, Problem> {
        let fits = !name.is_empty() && name.len() <= LONGEST_TOOL_NAME;
        if !fits || !name.chars().all(Prefix::may_hold) {
            return Err(Problem::must(format!(
                "1 to {LONGEST_TOOL_NAME} of the characters A-Z a-z 0-9 _ - (clients drop tools with \
                 other names)"
            )));
        }
        self.own.insert(tool, name.to_owned());
        Ok(self)
    }

    /// What stands in front of the names of all tools that have none of their own.
    pub fn prefix(&self) -> &Prefix {
        &self.prefix
    }

    /// The whole name of a tool.
    pub fn name(&self, tool: ToolName) -> String {
        self.own.get(&tool).cloned().unwrap_or_else(|| self.prefix.name(tool))
    }

    /// Whether a tool has a name of its own.
    pub(crate) fn has_own(&self, tool: ToolName) -> bool {
        self.own.contains_key(&tool)
    }

    /// Checks the names that were written, for the tools that the instance has.
    pub(crate) fn check(
        prefix: Option<Prefix>,
        written: Written<Tree>,
        tools: Option<&BTreeSet<ToolName>>,
        mistakes: &mut Mistakes,
    ) -> Option<Names> {
        let mut names = Names::new(prefix.clone().unwrap_or_default());
        let are_good = each_tool(written, mistakes, |tool, name| {
            if tools.is_some_and(|tools| !tools.contains(&tool)) {
                let why = "`tools` does not list this one, so that it has no name; leave it out";
                return Err(Problem::conflict(why));
            }
            names = names.clone().renamed(tool, name)?;
            Ok(())
        });
        (are_good && prefix.is_some()).then_some(names)
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, Format, SettingsError};

    use super::*;

    fn check(settings: &str) -> Result<Vec<String>, String> {
        let text = format!(r#"{{"name": "x", "tools": {{"Shell": {settings}}}}}"#);
        match Config::from_text(&text, Format::Json, "/".as_ref()) {
            Ok(config) => Ok(config.instances[0].tool_names().collect()),
            Err(SettingsError::Mistakes { mistakes, .. }) => {
                Err(mistakes.iter().map(|mistake| format!("{mistake}\n")).collect())
            }
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_tool_may_have_a_name_of_its_own_and_the_others_keep_theirs() {
        let names = check(
            r#"{"allow-any": true, "tools": ["run", "poll"], "names": {"run": "shell_execute"}}"#,
        );
        assert_eq!(names.unwrap(), ["shell_execute", "sh_poll"]);
    }

    #[test]
    fn what_is_no_name_of_a_tool_and_what_names_no_tool_is_refused() {
        let long = "x".repeat(LONGEST_TOOL_NAME + 1);
        for name in ["", "a b", "é", &long] {
            let lines = check(&format!(r#"{{"allow-any": true, "names": {{"run": "{name}"}}}}"#))
                .unwrap_err();
            assert!(lines.contains("must be 1 to 40 of the characters A-Z a-z 0-9 _ -"), "{lines}");
        }
        let lines = check(r#"{"allow-any": true, "names": {"rn": "a"}}"#).unwrap_err();
        assert!(lines.contains("names.rn = \"a\": unknown key; did you mean `run`?"), "{lines}");
        let lines = check(r#"{"allow-any": true, "tools": ["run"], "names": {"kill": "stop"}}"#);
        assert!(
            lines.unwrap_err().contains("names.kill = \"stop\": `tools` does not list this one")
        );
    }

    #[test]
    fn two_tools_of_an_instance_cannot_have_one_name() {
        let lines = check(r#"{"allow-any": true, "names": {"run": "sh_start"}}"#).unwrap_err();
        assert!(lines.contains("names.run: the tool `sh_start` is there already"), "{lines}");
        let lines =
            check(r#"{"allow-any": true, "names": {"run": "a", "kill": "a"}}"#).unwrap_err();
        assert!(lines.contains("names.kill: the tool `a` is there already"), "{lines}");
    }
}
