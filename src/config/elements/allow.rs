//! `allow`, `allow-patterns` and `allow-any`: what may run.

use super::patterns::patterns;
use crate::AllowList;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::{Place, Placed, Written};
use crate::config::table::Table;

/// Which programs may run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Allow {
    /// Those that a list admits. Settings hold at least one entry, and no name in it is empty or has
    /// a NUL.
    Only(AllowList),
    /// All of them. Sane only where somebody else decides, such as a person who is asked.
    Any,
}

impl Allow {
    /// Exactly these programs.
    pub fn only<S: Into<String>>(programs: impl IntoIterator<Item = S>) -> Self {
        Allow::Only(AllowList::new(programs.into_iter().map(Into::into)))
    }
}

/// The three keys, as they were written.
#[derive(Debug, Default)]
pub(crate) struct WrittenAllow {
    pub(crate) list: Written<Vec<Placed<String>>>,
    pub(crate) patterns: Written<Vec<Placed<String>>>,
    pub(crate) any: Written<bool>,
}

impl WrittenAllow {
    /// What a program asks for.
    pub(crate) fn of(place: &Place, list: &AllowList) -> WrittenAllow {
        let texts = |key: &str, texts: Vec<String>| match texts.is_empty() {
            true => Written::Absent,
            false => Written::Given(Placed::list(place.key(key), texts)),
        };
        let names = list.names().iter().map(|name| name.to_string_lossy().into_owned());
        let patterns = list.patterns().map(|pattern| pattern.as_str().to_owned());
        WrittenAllow {
            list: texts("allow", names.collect()),
            patterns: texts("allow-patterns", patterns.collect()),
            any: Written::Absent,
        }
    }

    /// Reads the keys of a table of settings.
    pub(crate) fn read(table: &mut Table, mistakes: &mut Mistakes) -> WrittenAllow {
        WrittenAllow {
            list: table.take("allow", mistakes),
            patterns: table.take("allow-patterns", mistakes),
            any: table.take("allow-any", mistakes),
        }
    }

    /// Checks them; `place` is that of their table.
    pub(crate) fn check(self, place: &Place, mistakes: &mut Mistakes) -> Option<Allow> {
        let any = match &self.any {
            Written::Absent => false,
            Written::Unreadable => return None,
            Written::Given(any) => any.value,
        };
        match (&self.list, &self.patterns) {
            (Written::Absent, Written::Absent) if any => Some(Allow::Any),
            (Written::Absent, Written::Absent) => {
                let what = "a list of the programs that may run, such as [\"git\", \"rg\"]; or, \
                            where somebody else asks a person, `allow-any`";
                mistakes.add_at(place.key("allow"), Problem::Missing { what });
                None
            }
            _ if any => {
                for list in [self.list.given(), self.patterns.given()].into_iter().flatten() {
                    let why = "a list and `allow-any` exclude each other: one says what may run, the \
                               other allows everything; leave one of them out";
                    list.wrong(Problem::conflict(why), mistakes);
                }
                None
            }
            _ => self.check_lists(mistakes).map(Allow::Only),
        }
    }

    fn check_lists(self, mistakes: &mut Mistakes) -> Option<AllowList> {
        let names = match self.list {
            Written::Given(list) => check_list(list, mistakes),
            Written::Absent => Some(Vec::new()),
            Written::Unreadable => None,
        };
        let patterns = match self.patterns {
            Written::Given(list) => patterns(list, mistakes),
            Written::Absent => Some(Vec::new()),
            Written::Unreadable => None,
        };
        Some(AllowList::new(names?).with_patterns(patterns?))
    }
}

fn check_list(list: Placed<Vec<Placed<String>>>, mistakes: &mut Mistakes) -> Option<Vec<String>> {
    if list.value.is_empty() {
        let must = "a list of at least one program (or `allow-any` instead)";
        list.wrong(Problem::must(must), mistakes);
        return None;
    }
    let mut programs = Vec::new();
    let mut all = true;
    for item in list.value {
        if item.value.is_empty() || item.value.contains('\0') {
            let must = "the name or path of a program, without NUL characters";
            item.wrong(Problem::must(must), mistakes);
            all = false;
        } else {
            programs.push(item.value);
        }
    }
    all.then_some(programs)
}

#[cfg(test)]
mod tests {
    use crate::config::check::check_json;
    use crate::config::tree::Tree;

    use super::*;

    fn check(allow: Option<&str>, any: Option<bool>) -> Result<Allow, Vec<String>> {
        let mut mistakes = Mistakes::default();
        let place = Place::root();
        let list = allow.map_or(Written::Absent, |json| {
            let tree = serde_json::from_str(json).unwrap();
            Placed::tree(place.key("allow"), tree).read(&mut mistakes)
        });
        let any = any.map_or(Written::Absent, |any| {
            Placed::tree(place.key("allow-any"), Tree::Bool(any)).read(&mut mistakes)
        });
        let written = WrittenAllow { list, any, ..WrittenAllow::default() };
        written.check(&place, &mut mistakes).ok_or_else(|| mistakes.lines())
    }

    #[test]
    fn one_of_the_two_is_enough() {
        assert_eq!(
            check(Some(r#"["git", "/usr/bin/jq", "a b"]"#), None),
            Ok(Allow::only(["git", "/usr/bin/jq", "a b"]))
        );
        assert_eq!(check(Some(r#"["git"]"#), Some(false)), Ok(Allow::only(["git"])));
        assert_eq!(check(None, Some(true)), Ok(Allow::Any));
    }

    #[test]
    fn patterns_stand_beside_the_list_or_alone_and_never_beside_everything() {
        let allow = |json: &str| check_json(json).map(|settings| settings.allow().clone());
        let list = |names: &[&str]| {
            Allow::Only(AllowList::new(names).with_patterns(["node.*".parse().unwrap()]))
        };
        assert_eq!(
            allow(r#"{"allow": ["git"], "allow-patterns": ["node.*"]}"#),
            Ok(list(&["git"]))
        );
        assert_eq!(allow(r#"{"allow-patterns": ["node.*"]}"#), Ok(list(&[])));
        let lines =
            allow(r#"{"allow": ["git"], "allow-patterns": ["("], "allow-any": true}"#).unwrap_err();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[1].starts_with("allow-patterns = [\"(\"]: a list and `allow-any` exclude"));
    }

    #[test]
    fn neither_of_them_is_a_mistake() {
        for any in [None, Some(false)] {
            let lines = check(None, any).unwrap_err();
            assert!(lines[0].starts_with("allow: is missing: a list of the programs"));
        }
    }

    #[test]
    fn both_of_them_is_a_mistake_even_with_an_empty_list() {
        for allow in [r#"["git"]"#, "[]"] {
            let lines = check(Some(allow), Some(true)).unwrap_err();
            assert_eq!(lines.len(), 1);
            assert!(lines[0].contains("exclude each other"), "{lines:?}");
        }
    }

    #[test]
    fn an_empty_list_and_entries_that_name_nothing_are_mistakes() {
        assert_eq!(
            check(Some("[]"), None).unwrap_err(),
            ["allow = []: must be a list of at least one program (or `allow-any` instead)"]
        );
        assert_eq!(
            check(Some(r#"["", "git", "a\u0000b"]"#), None).unwrap_err(),
            [
                r#"allow[0] = "": must be the name or path of a program, without NUL characters"#,
                r#"allow[2] = "a\0b": must be the name or path of a program, without NUL characters"#,
            ]
        );
    }

    #[test]
    fn a_mistyped_key_is_not_reported_as_missing_as_well() {
        assert_eq!(
            check(Some("\"git\""), None).unwrap_err(),
            [r#"allow = "git": must be a list of texts"#]
        );
    }
}
