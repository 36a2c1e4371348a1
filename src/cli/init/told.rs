//! What the person is told.

use std::path::PathBuf;

use super::registration::Registration;
use super::trial::{COMMAND, Held};
use crate::cli::table::two_columns;

/// What became of the client's file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// It was not asked for.
    Shown,
    /// The entry was there.
    Already,
    /// It was written; the old text, if there was one, is kept there.
    Written(Option<PathBuf>),
    /// It was not asked for, and an entry of that name says something else.
    Differs,
}

/// Everything besides the entry itself.
pub(super) fn told(registration: &Registration, held: &Held, done: &Done) -> String {
    let Registration { client, scope, open, .. } = registration;
    let (title, open) = (client.title(), open.display());
    let mut rows = vec![
        ("tried", format!("started as {title} does, in {open}: `{COMMAND}` ran confined")),
        ("held by", held.by.clone()),
        ("missing", missing(held)),
        ("workspace", client.workspace().to_owned()),
        (
            "note",
            format!(
                "{title} keeps its own way to run commands: only what goes through this server is \
                 confined"
            ),
        ),
    ];
    if let Some(project) = &registration.exposed {
        let project = project.display();
        rows.push((
            "warning",
            format!(
                "the program lies in {project}: with that folder open, a command could replace it. \
                 Better install it elsewhere, and do this again"
            ),
        ));
    }
    match done {
        Done::Shown => rows.push(("written", "nothing; `--write` puts it there".to_owned())),
        Done::Differs => rows.push((
            "written",
            "nothing; `--write --force` replaces the entry that is there".to_owned(),
        )),
        Done::Already => rows.push(("written", "nothing: it is already set up".to_owned())),
        Done::Written(backup) => {
            rows.push(("written", written(backup)));
            rows.push(("next", client.next(*scope).to_owned()));
        }
    }
    let rows: Vec<_> = rows.into_iter().map(|(name, about)| (name.to_owned(), about)).collect();
    two_columns(&rows)
}

fn missing(held: &Held) -> String {
    match held.missing.is_empty() {
        true => "nothing: everything in the profile is enforced".to_owned(),
        false => format!(
            "{}: not enforced here, which the profile allows; `cofferdam check` tells why",
            held.missing.join(", ")
        ),
    }
}

fn written(backup: &Option<PathBuf>) -> String {
    match backup {
        Some(path) => format!("yes; the file as it was is {}", path.display()),
        None => "yes; the file is new".to_owned(),
    }
}
