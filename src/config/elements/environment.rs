//! `environment`: what crosses into commands, beside what the profile lets cross.

use std::collections::BTreeMap;

use crate::config::keys;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::{Placed, Written};
use crate::config::table::Table;
use crate::config::tree::Tree;

/// What crosses from the host into the environment of commands. With a profile it adds to what that
/// lets cross; without one it is all that crosses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Environment {
    /// Whether the host's whole environment crosses. Without a table and a profile it does; in a
    /// table only when it says so; with a profile never.
    pub inherit: bool,
    /// The variables that cross: exact names, or the start of a name and one `*`. Empty where
    /// everything crosses.
    pub pass: Vec<String>,
    /// The variables that are set, over whatever crossed.
    pub set: BTreeMap<String, String>,
}

impl Environment {
    /// Checks the table, where there is one.
    pub(crate) fn check(
        written: Written<Tree>,
        mistakes: &mut Mistakes,
    ) -> Option<Option<Environment>> {
        match written {
            Written::Absent => Some(None),
            Written::Unreadable => None,
            Written::Given(tree) => check_table(tree, mistakes).map(Some),
        }
    }
}

fn check_table(tree: Placed<Tree>, mistakes: &mut Mistakes) -> Option<Environment> {
    let mut table = Table::open(tree, keys::ENVIRONMENT, mistakes)?;
    let inherit: Written<bool> = table.take("inherit", mistakes);
    let pass: Written<Vec<Placed<String>>> = table.take("pass", mistakes);
    let set: Written<Tree> = table.take("set", mistakes);
    let inherit = inherit.check(|| false, mistakes, |inherit| Ok(*inherit));
    if let (Some(true), Some(pass)) = (inherit, pass.given()) {
        let why = "has no effect beside `inherit`, which lets everything cross; leave one out";
        pass.wrong(Problem::conflict(why), mistakes);
    }
    let pass = check_pass(pass, mistakes);
    let set = check_set(set, mistakes);
    Some(Environment { inherit: inherit?, pass: pass?, set: set? })
}

fn check_pass(pass: Written<Vec<Placed<String>>>, mistakes: &mut Mistakes) -> Option<Vec<String>> {
    let list = match pass {
        Written::Absent => return Some(Vec::new()),
        Written::Unreadable => return None,
        Written::Given(list) => list.value,
    };
    let mut names = Vec::new();
    let mut all = true;
    for item in list {
        match is_name(item.value.strip_suffix('*').unwrap_or(&item.value)) {
            true => names.push(item.value),
            false => {
                let must = "the name of a variable, or the start of one and `*`; `inherit` lets \
                            everything cross";
                item.wrong(Problem::must(must), mistakes);
                all = false;
            }
        }
    }
    all.then_some(names)
}

fn check_set(set: Written<Tree>, mistakes: &mut Mistakes) -> Option<BTreeMap<String, String>> {
    let set = match set {
        Written::Absent => return Some(BTreeMap::new()),
        Written::Unreadable => return None,
        Written::Given(set) => set,
    };
    let Tree::Table(entries) = set.value else {
        let must = "a table of variables and their values";
        mistakes.add(set.place, set.shown, Problem::must(must));
        return None;
    };
    let mut values = BTreeMap::new();
    let mut all = true;
    for (name, value) in entries {
        let place = set.place.key(&name);
        match value {
            _ if !is_name(&name) => {
                let must = "the name of a variable: not empty, and without `=`, `*` and NUL";
                mistakes.add_at(place, Problem::must(must));
                all = false;
            }
            Tree::String(value) if name == "PATH" && !is_search_path(&value) => {
                // In a directory that the name does not fix, a repository could put a program.
                let must = "absolute directories, separated by colons";
                mistakes.add_at(place, Problem::must(must));
                all = false;
            }
            Tree::String(value) if !value.contains('\0') => {
                values.insert(name, value);
            }
            // Values of variables are often secrets: no message shows them.
            _ => {
                mistakes.add_at(place, Problem::must("text without NUL characters"));
                all = false;
            }
        }
    }
    all.then_some(values)
}

/// Whether this is the name of a variable: what `environ(7)` can hold, but for `*`, which stands for
/// the rest of a name here.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '*', '\0'])
}

/// Whether no entry of a `PATH` depends on the directory in which a command runs.
fn is_search_path(value: &str) -> bool {
    !value.contains('\0') && value.split(':').all(|dir| dir.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use crate::config::place::Place;

    use super::*;

    fn check(json: &str) -> Result<Environment, Vec<String>> {
        let mut mistakes = Mistakes::default();
        let tree = serde_json::from_str(json).unwrap();
        let placed = Placed::tree(Place::root().key("environment"), tree);
        let checked = Environment::check(Written::Given(placed), &mut mistakes);
        match mistakes.lines() {
            lines if lines.is_empty() => Ok(checked.unwrap().unwrap()),
            lines => Err(lines),
        }
    }

    #[test]
    fn an_empty_table_lets_nothing_cross() {
        assert_eq!(check("{}"), Ok(Environment::default()));
        assert_eq!(Environment::check(Written::Absent, &mut Mistakes::default()), Some(None));
    }

    #[test]
    fn names_and_values_are_taken_as_written() {
        let environment =
            check(r#"{"pass": ["PATH", "LC_*"], "set": {"A": "", "B.c": "x=y"}}"#).unwrap();
        assert_eq!(environment.pass, ["PATH", "LC_*"]);
        assert_eq!(environment.set["A"], "");
        assert_eq!(environment.set["B.c"], "x=y");
    }

    #[test]
    fn names_that_no_variable_can_have_are_refused() {
        let lines = check(
            r#"{"pass": ["", "A=1", "*_B", "A\u0000", "*", "A**"], "set": {"A=": "1", "": "2"}}"#,
        )
        .unwrap_err();
        assert_eq!(lines.len(), 8, "{lines:#?}");
        assert!(
            lines[1]
                .starts_with(r#"environment.pass[1] = "A=1": must be the name of a variable, "#)
        );
        assert!(lines[6].starts_with(r#"environment.set."A=": must be the name of a variable: "#));
    }

    #[test]
    fn a_path_that_depends_on_the_directory_of_a_run_is_refused() {
        assert!(check(r#"{"set": {"PATH": "/opt/tools/bin:/usr/bin"}}"#).is_ok());
        for path in ["", "/usr/bin:", ":/usr/bin", "/usr/bin:.", "bin", "~/bin", "/a::/b"] {
            let lines = check(&format!(r#"{{"set": {{"PATH": "{path}"}}}}"#)).unwrap_err();
            let must = "must be absolute directories, separated by colons";
            assert_eq!(lines, [format!("environment.set.PATH: {must}")], "{path}");
        }
    }

    #[test]
    fn a_value_that_may_be_a_secret_is_not_shown() {
        let lines = check(r#"{"set": {"TOKEN": 123456, "KEY": "s3\u0000"}}"#).unwrap_err();
        assert_eq!(
            lines,
            [
                "environment.set.TOKEN: must be text without NUL characters",
                "environment.set.KEY: must be text without NUL characters",
            ]
        );
    }

    #[test]
    fn inherit_beside_pass_is_a_contradiction() {
        let lines = check(r#"{"inherit": true, "pass": ["PATH"]}"#).unwrap_err();
        assert!(lines[0].contains("has no effect beside `inherit`"));
        assert!(check(r#"{"inherit": true, "set": {"A": "1"}}"#).is_ok());
    }
}
