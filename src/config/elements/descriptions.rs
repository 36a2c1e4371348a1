//! `descriptions`: what clients are told about single tools, in place of what Cofferdam says.

use std::collections::BTreeMap;

use super::ToolName;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Written;
use crate::config::table::Table;
use crate::config::tree::Tree;

/// The longest description, in bytes. A client sends all of them to its model with every request; how
/// long the whole list of an instance may be is seen when it is made.
const LONGEST: usize = 1000;

/// The descriptions that were written, for tools that the instance has.
pub(crate) fn descriptions(
    written: Written<Tree>,
    mistakes: &mut Mistakes,
) -> Option<BTreeMap<ToolName, String>> {
    let mut described = BTreeMap::new();
    let are_good = each_tool(written, mistakes, |tool, text| {
        if text.trim().is_empty() || text.len() > LONGEST {
            return Err(Problem::must(format!("text of 1 to {LONGEST} bytes")));
        }
        described.insert(tool, text.to_owned());
        Ok(())
    });
    are_good.then_some(described)
}

/// Takes every text of a table that holds some for single tools. False when a mistake was noted.
pub(super) fn each_tool(
    written: Written<Tree>,
    mistakes: &mut Mistakes,
    mut take: impl FnMut(ToolName, &str) -> Result<(), Problem>,
) -> bool {
    let mut table = match written {
        Written::Absent => return true,
        Written::Unreadable => return false,
        Written::Given(tree) => match Table::open(tree, ToolName::NAMES, mistakes) {
            Some(table) => table,
            None => return false,
        },
    };
    let mut are_good = true;
    for tool in ToolName::ALL {
        let text: Written<String> = table.take(tool.as_str(), mistakes);
        are_good &= text.check(|| (), mistakes, |text| take(tool, text)).is_some();
    }
    are_good
}

#[cfg(test)]
mod tests {
    use crate::config::check::check_json;

    use super::*;

    fn check(descriptions: serde_json::Value) -> Result<BTreeMap<ToolName, String>, Vec<String>> {
        let json = serde_json::json!({ "allow-any": true, "descriptions": descriptions });
        check_json(&json.to_string()).map(|settings| settings.shape().descriptions.clone())
    }

    #[test]
    fn single_tools_are_described() {
        let texts = check(serde_json::json!({ "run": "Runs git." })).unwrap();
        assert_eq!(texts, BTreeMap::from([(ToolName::Run, "Runs git.".to_owned())]));
    }

    #[test]
    fn what_describes_nothing_is_refused() {
        let long = "x".repeat(LONGEST + 1);
        let lines = check(serde_json::json!({ "rn": "a", "run": " ", "kill": 5, "poll": long }))
            .unwrap_err();
        assert_eq!(lines.len(), 4, "{lines:#?}");
        assert!(lines[0].starts_with("descriptions.rn = \"a\": unknown key; did you mean `run`?"));
        assert_eq!(lines[1], "descriptions.run = \" \": must be text of 1 to 1000 bytes");
        assert!(lines[2].starts_with("descriptions.poll = \"xxx"), "{lines:?}");
        assert_eq!(lines[3], "descriptions.kill = 5: must be text");
    }
}
