//! Programs that fail: what the sandbox refused is told, and nothing else is.
//!
//! The programs are real, so their words are those of what is installed here.

#[path = "denials/hostile.rs"]
mod hostile;
#[path = "denials/table.rs"]
mod table;

use std::cell::{Cell, RefCell};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::support::{Launcher, PATH, Setup, ignored, under, users};
use table::{CASES, Case, Expected};

/// A workspace with a repository, a file that nobody may read, and one that is no program; outside of
/// it a file and a folder that exist.
fn furnish(setup: &Setup) {
    let place = &setup.place;
    place.file("work/f", "text\n");
    place.file("work/sub/f", "text\n");
    place.file("work/Makefile", "owned:\n\ttouch /usr/cofferdam-owned\nfails:\n\tfalse\n");
    let locked = place.file("work/locked", "text\n");
    fs::set_permissions(locked, fs::Permissions::from_mode(0o000)).unwrap();
    place.file("work/.git/HEAD", "ref: refs/heads/main\n");
    place.file("work/.git/config", "[core]\n\trepositoryformatversion = 0\n");
    for folder in ["work/.git/objects", "work/.git/refs", "work/.git/hooks", "outside/folder"] {
        place.folder(folder);
    }
    place.file("outside/secret", "text\n");
}

fn is_installed(name: &str) -> bool {
    PATH.split(':').any(|folder| Path::new(folder).join(name).exists())
}

/// The payload of a script that runs in the workspace.
fn payload(setup: &Setup, script: &str) -> Value {
    let script = script.replace("OUTSIDE", &setup.place.text("outside"));
    setup.payload(&[], ["sh", "-c", &script])
}

/// Whether what a payload tells is what a case expects.
fn fits(setup: &Setup, case: &Case, payload: &Value) -> Result<(), &'static str> {
    let expected = match setup.launcher {
        Launcher::LandlockInPlace => &case.in_place,
        _ => &case.in_view,
    };
    let sandbox = &payload["sandbox"];
    let denied = sandbox["denied"].as_array().map_or(&[][..], Vec::as_slice);
    let verdict = sandbox["verdict"].as_str();
    match expected {
        Expected::Succeeds if payload["exit"] != 0 => Err("it should succeed"),
        Expected::Succeeds if verdict.is_some() || !denied.is_empty() => {
            Err("a success is not looked at")
        }
        Expected::Succeeds => Ok(()),
        _ if payload["exit"] == 0 => Err("it should fail"),
        Expected::Not if verdict == Some("not") && denied.is_empty() => Ok(()),
        Expected::Not => Err("the sandbox has no part in it"),
        Expected::Denied(..) if verdict == Some("unknown") => Err("unknown"),
        Expected::Denied(what, target) => {
            let target = target.replace("OUTSIDE", &setup.place.text("outside"));
            let is_it = |denial: &Value| {
                let named = denial["target"].as_str().unwrap_or_default();
                denial["what"] == *what && (named == target || named.contains(&target))
            };
            match denied.iter().any(is_it) {
                true => Ok(()),
                false => Err("it is not told"),
            }
        }
    }
}

/// Runs the whole table under a launcher, as every user.
fn try_all(launcher: Launcher) {
    let (denials, unknown) = (Cell::new(0), Cell::new(0));
    let wrong = RefCell::new(Vec::new());
    under(&[launcher], &users(), |setup| {
        furnish(setup);
        for case in CASES {
            if let Some(missing) = case.programs.iter().find(|name| !is_installed(name)) {
                ignored(format!("{missing} is not installed: {}", case.script));
                continue;
            }
            let payload = payload(setup, case.script);
            let is_denial = matches!(case.in_view, Expected::Denied(..));
            denials.set(denials.get() + usize::from(is_denial));
            match fits(setup, case, &payload) {
                Ok(()) => {}
                Err("unknown") => {
                    println!("unknown: {}\n  {payload}", case.script);
                    unknown.set(unknown.get() + 1);
                }
                Err(why) => wrong
                    .borrow_mut()
                    .push(format!("{why} (as {}): {}\n  {payload}", setup.user, case.script)),
            }
        }
    });
    let wrong = wrong.into_inner();
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    let (denials, unknown) = (denials.get(), unknown.get());
    assert!(unknown * 10 <= denials, "{unknown} of {denials} denials are not known as such");
}

#[test]
fn what_landlock_refuses_is_told_and_nothing_else_is() {
    try_all(Launcher::Landlock);
}

#[test]
fn what_landlock_refuses_without_namespaces_is_told_and_nothing_else_is() {
    try_all(Launcher::LandlockInPlace);
}

#[test]
fn what_bubblewrap_refuses_is_told_and_nothing_else_is() {
    try_all(Launcher::Bubblewrap);
}

#[test]
fn the_table_has_as_many_failures_of_each_kind() {
    let denied = CASES.iter().filter(|case| matches!(case.in_view, Expected::Denied(..))).count();
    let not = CASES.iter().filter(|case| matches!(case.in_view, Expected::Not)).count();
    assert!(denied >= 20 && not >= 20, "{denied} and {not}");
}
