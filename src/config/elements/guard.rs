//! `guard` and `guard-except`: a look at the arguments. A gate of intent, and no boundary.

use crate::Guard;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::{Place, Placed, Written};
use crate::config::table::Readable;
use crate::config::tree::Tree;

/// The words that `guard` may be.
pub(crate) const GUARDS: &[&str] = &["leaf-tools", "off"];

/// The guard that was written, with its exceptions; `None` inside where there is none.
pub(crate) fn guard(
    written: Written<String>,
    except: Written<Tree>,
    mistakes: &mut Mistakes,
) -> Option<Option<Guard>> {
    let is_readable = written != Written::Unreadable;
    let guard = written.check(
        || None,
        mistakes,
        |name| match name.as_str() {
            "leaf-tools" => Ok(Some(Guard::leaf_tools())),
            "off" => Ok(None),
            _ => Err(Problem::unknown("guard", name, GUARDS)),
        },
    );
    match (except, guard) {
        (Written::Absent, guard) => guard,
        (Written::Unreadable, _) | (_, None) => None,
        (Written::Given(except), Some(None)) => {
            if is_readable {
                let why =
                    "has no effect without a guard; add `guard` = \"leaf-tools\", or leave it out";
                mistakes.add_at(except.place, Problem::conflict(why));
            }
            None
        }
        (Written::Given(except), Some(Some(guard))) => excepting(guard, except, mistakes).map(Some),
    }
}

/// Adds exceptions: a table of programs and the rules that do not hold for them.
fn excepting(guard: Guard, except: Placed<Tree>, mistakes: &mut Mistakes) -> Option<Guard> {
    let Placed { place, shown, value } = except;
    let Tree::Table(programs) = value else {
        let must = "a table of programs and their rules, such as {\"git\": [\"config\"]}";
        mistakes.add(place, shown, Problem::must(must));
        return None;
    };
    programs.into_iter().try_fold(guard, |guard, (program, rules)| {
        let place: Place = place.key(&program);
        let rules = Vec::<Placed<String>>::read(Placed::tree(place, rules), mistakes)?;
        rules.value.into_iter().try_fold(guard, |guard, rule| {
            guard
                .except(&program, &rule.value)
                .map_err(|error| rule.wrong(Problem::conflict(error.to_string()), mistakes))
                .ok()
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::Guard;
    use crate::config::check::check_json;

    fn check(keys: &str) -> Result<Option<Guard>, Vec<String>> {
        let settings = check_json(&format!(r#"{{"allow": ["git"]{keys}}}"#))?;
        Ok(settings.guard().cloned())
    }

    #[test]
    fn there_is_none_unless_it_is_named() {
        assert_eq!(check(""), Ok(None));
        assert_eq!(check(r#", "guard": "off""#), Ok(None));
        assert_eq!(check(r#", "guard": "leaf-tools""#), Ok(Some(Guard::leaf_tools())));
        let lines = check(r#", "guard": "leaf""#).unwrap_err();
        assert!(lines[0].contains("there is no such guard; "), "{lines:?}");
    }

    #[test]
    fn exceptions_are_rules_that_there_are() {
        let except =
            |table: &str| check(&format!(r#", "guard": "leaf-tools", "guard-except": {table}"#));
        let guard = Guard::leaf_tools().except("git", "config").unwrap();
        assert_eq!(except(r#"{"git": ["config"]}"#), Ok(Some(guard)));
        for (table, words) in [
            (
                r#"{"git": ["confg"]}"#,
                "guard-except.git[0] = \"confg\": the guard has no rule `confg`",
            ),
            (r#"{"gti": ["config"]}"#, "no rule about a program `gti`"),
            (r#"{"git": "config"}"#, "guard-except.git = \"config\": must be a list of texts"),
            (r#"["git"]"#, "must be a table of programs and their rules"),
        ] {
            let lines = except(table).unwrap_err();
            assert!(lines.len() == 1 && lines[0].contains(words), "{lines:?}");
        }
    }

    #[test]
    fn an_exception_without_a_guard_is_a_mistake() {
        let lines = check(r#", "guard-except": {"git": ["config"]}"#).unwrap_err();
        assert!(lines[0].starts_with("guard-except: has no effect without a guard"), "{lines:?}");
    }
}
