//! The ways in which a launcher is written: a name, a table with options, a wrapping program, or a
//! list.

use std::path::{Path, PathBuf};

use crate::config::error::unless_mistaken;
use crate::config::keys;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::nearest::nearest;
use crate::config::place::{Place, Placed, Written};
use crate::config::syntax::{Format, parse};
use crate::config::table::Table;
use crate::config::tree::Tree;
use crate::config::{Origin, SettingsError};

use super::command::read_command;
use super::list::read_list;
use super::{BubblewrapOptions, LandlockOptions, LauncherChoice, Namespaces};

/// What people call a launcher after the program that it uses.
const PROGRAMS: [(&str, &str); 3] =
    [("bwrap", "bubblewrap"), ("sandbox-exec", "seatbelt"), ("off", "none")];

impl LauncherChoice {
    /// Reads what an option says: a launcher's name, or the JSON that a configuration file has for
    /// `launcher`, which begins with `{` or `[`. Relative paths start at the current directory.
    ///
    /// ```
    /// use cofferdam::config::LauncherChoice;
    ///
    /// assert_eq!(LauncherChoice::from_option("auto")?, LauncherChoice::Auto);
    /// let nice = LauncherChoice::from_option(r#"{"command": ["nice", "-n", "19"]}"#)?;
    /// assert!(!nice.sandboxes());
    /// assert!(LauncherChoice::from_option("bwrap").is_err());
    /// # Ok::<(), cofferdam::config::SettingsError>(())
    /// ```
    ///
    /// # Errors
    /// [`SettingsError::Mistakes`] for anything else.
    pub fn from_option(text: &str) -> Result<LauncherChoice, SettingsError> {
        let mut mistakes = Mistakes::default();
        let base = std::env::current_dir().unwrap_or_default();
        let written =
            LauncherChoice::written(Place::options().key("launcher"), text, &mut mistakes);
        let choice = LauncherChoice::check(written, &base, &mut mistakes);
        unless_mistaken(choice, Origin::CommandLine, mistakes)
    }

    /// What an option says, before it is judged.
    pub(crate) fn written(place: Place, text: &str, mistakes: &mut Mistakes) -> Written<Tree> {
        if !text.trim_start().starts_with(['{', '[']) {
            return Written::Given(Placed::tree(place, Tree::String(text.to_owned())));
        }
        match parse(text, Format::Json) {
            Ok(tree) => Written::Given(Placed::tree(place, tree)),
            Err(error) => {
                mistakes.add_at(place, Problem::Syntax(error));
                Written::Unreadable
            }
        }
    }

    /// Checks what was written; paths are relative to `base`.
    pub(crate) fn check(
        written: Written<Tree>,
        base: &Path,
        mistakes: &mut Mistakes,
    ) -> Option<LauncherChoice> {
        match written {
            Written::Absent => Some(LauncherChoice::None),
            Written::Unreadable => None,
            Written::Given(tree) => read(tree, base, mistakes),
        }
    }
}

/// One launcher, in any of the ways.
pub(super) fn read(
    tree: Placed<Tree>,
    base: &Path,
    mistakes: &mut Mistakes,
) -> Option<LauncherChoice> {
    match &tree.value {
        Tree::String(name) => {
            let choice = LauncherChoice::named(name);
            if choice.is_none() {
                tree.wrong(unknown(name), mistakes);
            }
            choice
        }
        Tree::Table(_) if tree.value.get("name").is_some() => read_named(tree, base, mistakes),
        Tree::Table(_) if tree.value.get("command").is_some() => {
            read_command(tree, base, mistakes).map(LauncherChoice::Command)
        }
        Tree::Table(_) => {
            let what = "a table names a launcher with `name`, or a wrapping program with `command`";
            mistakes.add_at(tree.place, Problem::Missing { what });
            None
        }
        Tree::List(items) => {
            let items = items.clone();
            read_list(Placed { place: tree.place, shown: tree.shown, value: items }, base, mistakes)
        }
        _ => {
            let must = "a launcher's name, a table, or a list of these";
            tree.wrong(Problem::must(must), mistakes);
            None
        }
    }
}

/// The launcher that a word was probably meant to name.
pub(super) fn meant(word: &str) -> Option<&'static str> {
    PROGRAMS
        .iter()
        .find_map(|(program, launcher)| (*program == word).then_some(*launcher))
        .or_else(|| nearest(word, LauncherChoice::NAMES))
}

fn unknown(name: &str) -> Problem {
    Problem::UnknownName { noun: "launcher", nearest: meant(name), valid: LauncherChoice::NAMES }
}

/// A table with a launcher's name and the options that this launcher has.
fn read_named(tree: Placed<Tree>, base: &Path, mistakes: &mut Mistakes) -> Option<LauncherChoice> {
    let written = Placed::tree(tree.place.key("name"), tree.value.get("name")?.clone());
    let Written::Given(name) = written.read::<String>(mistakes) else {
        return None;
    };
    let Some(choice) = LauncherChoice::named(&name.value) else {
        name.wrong(unknown(&name.value), mistakes);
        return None;
    };
    let mut table = Table::open(tree, keys::launcher(&name.value), mistakes)?;
    Some(match choice {
        LauncherChoice::Landlock(_) => LauncherChoice::Landlock(LandlockOptions {
            namespaces: read_namespaces(table.take("namespaces", mistakes), mistakes)?,
        }),
        LauncherChoice::Bubblewrap(_) => LauncherChoice::Bubblewrap(BubblewrapOptions {
            program: read_program(table.take("program", mistakes), base, mistakes)?,
        }),
        choice => choice,
    })
}

fn read_namespaces(written: Written<String>, mistakes: &mut Mistakes) -> Option<Namespaces> {
    written.check(Namespaces::default, mistakes, |name| match name.as_str() {
        "auto" => Ok(Namespaces::Auto),
        "off" => Ok(Namespaces::Off),
        _ => Err(Problem::unknown("choice", name, &["auto", "off"])),
    })
}

/// The path of a program. A bare name is refused: it would be looked for in `PATH`, where a
/// directory that commands can write may stand first.
fn read_program(
    written: Written<String>,
    base: &Path,
    mistakes: &mut Mistakes,
) -> Option<Option<PathBuf>> {
    written.check(
        || None,
        mistakes,
        |path| match path.contains('/') && !path.contains('\0') {
            true => Ok(Some(base.join(path))),
            false => Err(Problem::must("a path with a `/` in it")),
        },
    )
}

/// Reads a launcher, for tests.
#[cfg(test)]
pub(super) fn read_json(json: &str) -> Result<LauncherChoice, Vec<String>> {
    let mut mistakes = Mistakes::default();
    let tree = serde_json::from_str(json).unwrap();
    let placed = Placed::tree(crate::config::place::Place::root().key("launcher"), tree);
    let choice =
        LauncherChoice::check(Written::Given(placed), Path::new("/srv/app"), &mut mistakes);
    match mistakes.lines() {
        lines if lines.is_empty() => Ok(choice.unwrap()),
        lines => Err(lines),
    }
}

#[cfg(test)]
mod tests {
    use super::read_json as check;
    use super::*;

    #[test]
    fn nothing_written_is_no_launcher() {
        let mut mistakes = Mistakes::default();
        let choice = LauncherChoice::check(Written::Absent, Path::new("/"), &mut mistakes);
        assert_eq!(choice, Some(LauncherChoice::None));
    }

    #[test]
    fn a_name_and_a_table_with_only_the_name_mean_the_same() {
        for name in LauncherChoice::NAMES {
            let choice = LauncherChoice::named(name).unwrap();
            assert_eq!(check(&format!("{name:?}")), Ok(choice.clone()));
            assert_eq!(check(&format!(r#"{{"name": {name:?}}}"#)), Ok(choice));
        }
    }

    #[test]
    fn a_launcher_has_its_own_options_and_no_others() {
        assert_eq!(
            check(r#"{"name": "landlock", "namespaces": "off"}"#),
            Ok(LauncherChoice::Landlock(LandlockOptions { namespaces: Namespaces::Off }))
        );
        assert_eq!(
            check(r#"{"name": "bubblewrap", "program": "bin/bwrap"}"#),
            Ok(LauncherChoice::Bubblewrap(BubblewrapOptions {
                program: Some("/srv/app/bin/bwrap".into())
            }))
        );
        for (json, line) in [
            (
                r#"{"name": "landlock", "namespace": "off"}"#,
                r#"launcher.namespace = "off": unknown key; did you mean `namespaces`? valid here: `name`, `namespaces`"#,
            ),
            (
                r#"{"name": "auto", "program": "/bin/bwrap"}"#,
                r#"launcher.program = "/bin/bwrap": unknown key; valid here: `name`"#,
            ),
            (
                r#"{"name": "landlock", "namespaces": "no"}"#,
                r#"launcher.namespaces = "no": there is no such choice; valid here: `auto`, `off`"#,
            ),
            (
                r#"{"name": "bubblewrap", "program": "bwrap"}"#,
                r#"launcher.program = "bwrap": must be a path with a `/` in it"#,
            ),
            (
                r#"{"name": "auto", "command": ["nice"]}"#,
                r#"launcher.command = ["nice"]: unknown key; valid here: `name`"#,
            ),
        ] {
            assert_eq!(check(json).unwrap_err(), [line]);
        }
    }

    #[test]
    fn a_program_is_not_the_name_of_its_launcher() {
        let valid = "valid here: `none`, `auto`, `landlock`, `bubblewrap`, `seatbelt`";
        for (name, nearest) in [
            ("bwrap", "bubblewrap"),
            ("sandbox-exec", "seatbelt"),
            ("landlok", "landlock"),
            ("Auto", "auto"),
        ] {
            assert_eq!(
                check(&format!("{name:?}")).unwrap_err(),
                [format!(
                    "launcher = {name:?}: there is no such launcher; did you mean `{nearest}`? \
                     {valid}"
                )]
            );
        }
    }
}
