//! A list of launchers: wrapping programs, outermost first, and what they wrap.

use std::path::Path;

use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Placed;
use crate::config::tree::Tree;

use super::command::{read_command, wrapping};
use super::read::{meant, read};
use super::{CommandOptions, LauncherChoice};

/// The whole list. One launcher alone in a list is that launcher.
pub(super) fn read_list(
    list: Placed<Vec<Tree>>,
    base: &Path,
    mistakes: &mut Mistakes,
) -> Option<LauncherChoice> {
    let Placed { place, shown, value } = list;
    let mut items: Vec<_> =
        (0..).zip(value).map(|(index, item)| Placed::tree(place.index(index), item)).collect();
    let Some(last) = items.pop() else {
        let must = "a list of at least one launcher (leave it out to have none)";
        mistakes.add(place, shown, Problem::must(must));
        return None;
    };
    let outer: Vec<_> = items.into_iter().map(|item| read_outer(item, base, mistakes)).collect();
    let inner = read_inner(last, !outer.is_empty(), base, mistakes);
    let outer = outer.into_iter().collect::<Option<Vec<_>>>()?;
    let inner = inner?;
    Some(match outer.is_empty() {
        true => inner,
        false => LauncherChoice::Inside { outer, inner: Box::new(inner) },
    })
}

/// An item before the last one: a wrapping program, or only its name.
fn read_outer(tree: Placed<Tree>, base: &Path, mistakes: &mut Mistakes) -> Option<CommandOptions> {
    match &tree.value {
        Tree::Table(_) if tree.value.get("name").is_none() => read_command(tree, base, mistakes),
        // A word that is like a launcher's name is a slip, not a program.
        Tree::String(name) if meant(name).is_none() => match wrapping(&[name], base) {
            Ok(command) => Some(CommandOptions { command, sandboxed: false }),
            Err(problem) => {
                tree.wrong(problem, mistakes);
                None
            }
        },
        _ => {
            let must = "a wrapping program, such as {\"command\": [\"nice\"]}: only the last of a \
                        list can be another launcher";
            tree.wrong(Problem::must(must), mistakes);
            None
        }
    }
}

/// The last item.
fn read_inner(
    tree: Placed<Tree>,
    is_wrapped: bool,
    base: &Path,
    mistakes: &mut Mistakes,
) -> Option<LauncherChoice> {
    if matches!(tree.value, Tree::List(_)) {
        tree.wrong(Problem::must("a launcher, not a list of them"), mistakes);
        return None;
    }
    let (place, shown) = (tree.place.clone(), tree.shown.clone());
    let inner = read(tree, base, mistakes)?;
    if is_wrapped && matches!(inner, LauncherChoice::Landlock(_)) {
        mistakes.add(place, shown, stands_alone());
        return None;
    }
    Some(inner)
}

fn stands_alone() -> Problem {
    Problem::conflict(
        "landlock cannot stand inside a wrapping program: it confines what is exec'd first, so it \
         would confine the wrapper; use `bubblewrap` there",
    )
}

#[cfg(test)]
mod tests {
    use crate::config::elements::launcher::command::wrapper;
    use crate::config::elements::launcher::read::read_json as check;

    use super::*;

    #[test]
    fn a_list_is_read_from_the_outside_inwards() {
        let inside = Ok(LauncherChoice::Inside {
            outer: vec![wrapper(&["slurm-wrapper"], false), wrapper(&["nice", "-n", "5"], false)],
            inner: Box::new(LauncherChoice::named("bubblewrap").unwrap()),
        });
        let list = r#"["slurm-wrapper", {"command": ["nice", "-n", "5"]}, "bubblewrap"]"#;
        assert_eq!(check(list), inside);
        assert_eq!(check(r#"["auto"]"#), Ok(LauncherChoice::Auto));
    }

    #[test]
    fn only_the_last_of_a_list_is_another_launcher_and_landlock_stands_alone() {
        for (json, place, reason) in [
            ("[]", "launcher = []", "at least one launcher"),
            (r#"["bubblewrap", "auto"]"#, "launcher[0]", "only the last of a list"),
            (r#"["bublewrap", "auto"]"#, "launcher[0]", "only the last of a list"),
            (r#"["bwrap", "auto"]"#, "launcher[0]", "only the last of a list"),
            (r#"[{"name": "auto"}, {"command": ["nice"]}]"#, "launcher[0]", "only the last"),
            (r#"["nice", ["auto"]]"#, "launcher[1]", "not a list of them"),
            (r#"["nice", "landlock"]"#, "launcher[1]", "would confine the wrapper"),
            (r#"["nice", "srun"]"#, "launcher[1]", "no such launcher"),
            ("[1, 2]", "launcher[0]", "wrapping program"),
        ] {
            let lines = check(json).unwrap_err();
            assert!(lines[0].starts_with(place), "{lines:?}");
            assert!(lines[0].contains(reason), "{lines:?}");
        }
    }
}
