//! `allow` and `allow-any`: what may run.

use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::{Place, Placed, Written};

/// Which programs may run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Allow {
    /// Those that are called by exactly one of these strings. Settings hold at least one, and none
    /// is empty or has a NUL.
    Only(Vec<String>),
    /// All of them. Sane only where somebody else decides, such as a person who is asked.
    Any,
}

impl Allow {
    /// Exactly these programs.
    pub fn only<S: Into<String>>(programs: impl IntoIterator<Item = S>) -> Self {
        Allow::Only(programs.into_iter().map(Into::into).collect())
    }

    /// Checks the two keys; `place` is that of their table.
    pub(crate) fn check(
        place: &Place,
        allow: Written<Vec<Placed<String>>>,
        allow_any: Written<bool>,
        mistakes: &mut Mistakes,
    ) -> Option<Allow> {
        let any = match &allow_any {
            Written::Absent => false,
            Written::Unreadable => return None,
            Written::Given(any) => any.value,
        };
        match allow {
            Written::Unreadable => None,
            Written::Absent if any => Some(Allow::Any),
            Written::Absent => {
                let what = "a list of the programs that may run, such as [\"git\", \"rg\"]; or, \
                            where somebody else asks a person, `allow-any`";
                mistakes.add_at(place.key("allow"), Problem::Missing { what });
                None
            }
            Written::Given(list) if any => {
                let why = "`allow` and `allow-any` exclude each other: one lists what may run, the \
                           other allows everything; leave one of them out";
                list.wrong(Problem::conflict(why), mistakes);
                None
            }
            Written::Given(list) => check_list(list, mistakes).map(Allow::Only),
        }
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
    use crate::config::tree::Tree;

    use super::*;

    fn check(allow: Option<&str>, any: Option<bool>) -> Result<Allow, Vec<String>> {
        let mut mistakes = Mistakes::default();
        let place = Place::root();
        let allow = allow.map_or(Written::Absent, |json| {
            let tree = serde_json::from_str(json).unwrap();
            Placed::tree(place.key("allow"), tree).read(&mut mistakes)
        });
        let any = any.map_or(Written::Absent, |any| {
            Placed::tree(place.key("allow-any"), Tree::Bool(any)).read(&mut mistakes)
        });
        Allow::check(&place, allow, any, &mut mistakes).ok_or_else(|| mistakes.lines())
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
