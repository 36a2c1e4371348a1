//! One tool instance of a configuration, and what instances owe each other: tools of different
//! names.

use std::collections::HashMap;
use std::path::Path;

use super::elements::{Key, Names, Prefix, ToolName};
use super::file::WrittenInstance;
use super::mistake::{Mistakes, Problem};
use super::place::Place;
use super::settings::Settings;

/// A tool instance: the six tools, or some of them, under one prefix and with one set of settings.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Instance {
    /// Its key in the configuration.
    pub key: Key,
    /// What its tools are called.
    pub names: Names,
    /// Its settings.
    pub settings: Settings,
}

impl Instance {
    fn check(written: WrittenInstance, base: &Path, mistakes: &mut Mistakes) -> Option<Instance> {
        let key = Key::check(written.key, mistakes);
        let prefix = Prefix::check(written.prefix, mistakes);
        let settings = Settings::check(written.settings, base, mistakes);
        let tools = settings.as_ref().map(Settings::tools);
        let names = Names::check(prefix, written.names, tools, mistakes);
        Some(Instance { key: key?, names: names?, settings: settings? })
    }

    /// The names of its tools, in their order.
    pub fn tool_names(&self) -> impl Iterator<Item = String> {
        self.settings.tools().iter().map(|tool| self.names.name(*tool))
    }
}

/// Checks every instance by itself, and then that no two tools have the same name.
pub(crate) fn check_all(
    written: Vec<WrittenInstance>,
    base: &Path,
    mistakes: &mut Mistakes,
) -> Option<Vec<Instance>> {
    let checked: Vec<_> = written
        .into_iter()
        .map(|written| {
            let place = written.key.place.clone();
            (place, Instance::check(written, base, mistakes))
        })
        .collect();
    let known: Vec<_> =
        checked.iter().filter_map(|(place, instance)| Some((place, instance.as_ref()?))).collect();
    for (index, (place, instance)) in known.iter().enumerate() {
        let before = known[..index].iter().map(|(_, before)| *before);
        if let Some(clash) = Clash::find(instance, before) {
            let (place, problem) = clash.told(place, instance, &known);
            mistakes.add_at(place, problem);
        }
    }
    checked.into_iter().map(|(_, instance)| instance).collect()
}

/// A tool whose name is that of another tool.
struct Clash {
    tool: ToolName,
    name: String,
    /// Whose the other tool is.
    owner: Key,
}

impl Clash {
    /// The first tool of an instance that has the name of one of the instances before, or of another
    /// one of its own.
    fn find<'a>(instance: &Instance, before: impl Iterator<Item = &'a Instance>) -> Option<Clash> {
        let mut taken: HashMap<String, &Key> = HashMap::new();
        for other in before {
            for name in other.tool_names() {
                taken.entry(name).or_insert(&other.key);
            }
        }
        // A name that somebody chose is the one to change.
        let mut tools: Vec<_> = instance.settings.tools().iter().copied().collect();
        tools.sort_by_key(|tool| instance.names.has_own(*tool));
        for tool in tools {
            let name = instance.names.name(tool);
            if let Some(owner) = taken.get(&name) {
                return Some(Clash { tool, name, owner: (*owner).clone() });
            }
            taken.insert(name, &instance.key);
        }
        None
    }

    /// What is wrong, and where.
    fn told(
        self,
        place: &Place,
        instance: &Instance,
        all: &[(&Place, &Instance)],
    ) -> (Place, Problem) {
        let Clash { tool, name, owner } = self;
        let there = format!("the tool `{name}` is there already, from `{owner}`");
        if instance.names.has_own(tool) {
            let why = format!("{there}; choose another name, or leave it out");
            return (place.key("names").key(tool.as_str()), Problem::conflict(why));
        }
        let why = format!(
            "{there}; give this one a prefix of its own, such as \"prefix\": \"{}\"",
            free_prefix(instance, all)
        );
        (place.key("prefix"), Problem::conflict(why))
    }
}

/// A prefix that no instance has: made of the alias, or of the prefix and a number.
fn free_prefix(instance: &Instance, all: &[(&Place, &Instance)]) -> Prefix {
    let is_free = |prefix: &Prefix| all.iter().all(|(_, other)| other.names.prefix() != prefix);
    let alias = instance.key.alias().and_then(Prefix::from_alias);
    alias
        .into_iter()
        .chain((2..).map(|number| instance.names.prefix().numbered(number)))
        .find(is_free)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::config::file::WrittenConfig;

    use super::*;

    fn check(tools: &str) -> Result<Vec<String>, Vec<String>> {
        let mut mistakes = Mistakes::default();
        let tree = serde_json::from_str(&format!(r#"{{"name": "x", "tools": {tools}}}"#)).unwrap();
        let written = WrittenConfig::read(tree, &mut mistakes);
        let crate::config::place::Written::Given(tools) = written.tools else {
            panic!("no tools");
        };
        let instances = check_all(tools.value, Path::new("/"), &mut mistakes);
        match mistakes.lines() {
            lines if lines.is_empty() => {
                Ok(instances.unwrap().iter().flat_map(Instance::tool_names).collect())
            }
            lines => Err(lines),
        }
    }

    #[test]
    fn instances_with_prefixes_of_their_own_have_tools_of_their_own() {
        let names = check(
            r#"{"Shell#git": {"allow": ["git"], "prefix": "git", "tools": ["run", "allowed"]},
                "Shell": {"allow-any": true, "tools": ["run"]}}"#,
        );
        assert_eq!(names.unwrap(), ["git_run", "git_allowed", "sh_run"]);
    }

    #[test]
    fn two_tools_of_one_name_are_refused_with_a_prefix_that_would_do() {
        let lines = check(
            r#"{"Shell#git": {"allow": ["git"]},
                "Shell#rip grep": {"allow": ["rg"]},
                "Shell": {"allow": ["jq"]}}"#,
        )
        .unwrap_err();
        assert_eq!(
            lines,
            [
                "tools.\"Shell#rip grep\".prefix: the tool `sh_run` is there already, from \
                 `Shell#git`; give this one a prefix of its own, such as \"prefix\": \"ripgrep\"",
                "tools.Shell.prefix: the tool `sh_run` is there already, from `Shell#git`; give \
                 this one a prefix of its own, such as \"prefix\": \"sh2\"",
            ]
        );
    }

    #[test]
    fn one_prefix_for_two_instances_is_fine_as_long_as_their_tools_differ() {
        let names = check(
            r#"{"Shell#a": {"allow": ["git"], "tools": ["run"]},
                "Shell#b": {"allow": ["git"], "tools": ["start", "poll"]}}"#,
        );
        assert_eq!(names.unwrap(), ["sh_run", "sh_start", "sh_poll"]);
    }
}
