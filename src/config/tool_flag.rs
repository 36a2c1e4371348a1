//! The option `--tool 'Shell#git={…}'`: a whole instance, as the configuration file would say it.

use super::file::WrittenInstance;
use super::mistake::{Mistakes, Problem};
use super::place::{Place, Placed};
use super::syntax::{Format, parse};

/// All of them. What cannot be read is noted and left out.
pub(crate) fn write_tools(
    tools: Vec<String>,
    option: &Place,
    mistakes: &mut Mistakes,
) -> Vec<WrittenInstance> {
    let mut instances: Vec<WrittenInstance> = Vec::new();
    for text in tools {
        let Some(instance) = write_tool(&text, option, mistakes) else {
            continue;
        };
        if instances.iter().any(|other| other.key.value == instance.key.value) {
            let why = "is given twice; add an alias, such as `Shell#2`";
            instance.key.wrong(Problem::conflict(why), mistakes);
        } else {
            instances.push(instance);
        }
    }
    instances
}

/// One `KEY={…}`.
fn write_tool(text: &str, option: &Place, mistakes: &mut Mistakes) -> Option<WrittenInstance> {
    let Some((key, json)) = text.split_once('=') else {
        let must = "of the form KEY={…}, such as 'Shell#git={\"allow\": [\"git\"]}'";
        Placed::value(option.clone(), text).wrong(Problem::must(must), mistakes);
        return None;
    };
    let place = Place::in_option("tool").key(key);
    match parse(json, Format::Json) {
        Ok(tree) => WrittenInstance::read(place, key.to_owned(), tree, mistakes),
        Err(error) => {
            mistakes.add_at(place, Problem::Syntax(error));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::flags::message_lines as lines;
    use crate::config::{Allow, Config, Flags};

    fn tools(tools: &[&str]) -> Flags {
        Flags { tools: tools.iter().map(|tool| (*tool).to_owned()).collect(), ..Flags::default() }
    }

    #[test]
    fn tools_are_whole_instances_with_a_key_and_a_prefix() {
        let config = Config::from_flags(tools(&[
            r#"Shell#git={"allow": ["git", "a=b"], "prefix": "git"}"#,
            r#"Shell={"allow-any": true}"#,
        ]))
        .unwrap();
        let names: Vec<_> =
            config.instances.iter().filter_map(|tool| tool.tool_names().next()).collect();
        assert_eq!(names, ["git_run", "sh_run"]);
        assert_eq!(*config.instances[0].settings.allow(), Allow::only(["git", "a=b"]));
    }

    #[test]
    fn mistakes_in_tools_name_the_tool() {
        assert_eq!(
            lines(tools(&[
                "Shell",
                r#"Shell#a={"allow": ["git"],}"#,
                "Shell#b=5",
                r#"Shell#c={"timeut": 5, "allow-any": true}"#,
                r#"Shell#c={"allow-any": true}"#,
            ]))
            .iter()
            .map(|line| line.chars().take(60).collect::<String>())
            .collect::<Vec<_>>(),
            [
                "--tool = \"Shell\": must be of the form KEY={…}, such as 'Shel",
                "--tool \"Shell#a\": not valid JSON: line 1, column 19: trailin",
                "--tool \"Shell#b\" = 5: must be a table of settings",
                "--tool \"Shell#c\".timeut = 5: unknown key; did you mean `time",
                "--tool \"Shell#c\": is given twice; add an alias, such as `She",
            ]
        );
    }
}
