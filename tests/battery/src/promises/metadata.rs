//! What files outside are like is neither changed nor looked at.

use std::fs;
use std::path::PathBuf;

use crate::promise::{Class, Promise, forbidden, rule};
use crate::scene::Scene;
use crate::verdict::{At, Judged};
use crate::witness::Snapshot;

pub(super) const CLASS: Class = Class {
    name: "metadata",
    about: "mode, owner, times, attributes and names of files outside are out of reach",
    rules: &[],
    promises: PROMISES,
};

const METADATA: &[&str] = &["metadata"];
const READ_ONLY: &[&str] = &["metadata", rule::PROFILE];

const PROMISES: &[Promise] = &[
    forbidden("the_mode_of_a_file_outside_is_not_changed", |scene| change(scene, "change-mode"))
        .by(METADATA),
    forbidden("the_mode_is_not_changed_through_an_o_path_descriptor", |scene| {
        change(scene, "change-mode-by-path-descriptor")
    })
    .by(METADATA),
    forbidden("the_times_of_a_file_outside_are_not_changed", |scene| change(scene, "change-times"))
        .by(METADATA),
    forbidden("the_attributes_of_a_file_outside_are_not_changed", |scene| {
        change(scene, "change-attribute")
    })
    .by(METADATA),
    forbidden("the_owner_of_a_file_outside_is_not_changed", |scene| owner(scene, scene.secret()))
        .by(METADATA),
    forbidden("the_mode_of_a_readable_file_is_not_changed", |scene| {
        change_readable(scene, "change-mode-by-descriptor")
    })
    .by(READ_ONLY),
    forbidden("the_times_of_a_readable_file_are_not_changed", |scene| {
        change_readable(scene, "change-times-by-descriptor")
    })
    .by(READ_ONLY),
    forbidden("the_attributes_of_a_readable_file_are_not_changed", |scene| {
        change_readable(scene, "change-attribute-by-descriptor")
    })
    .by(READ_ONLY),
    forbidden("the_flags_of_a_readable_file_are_not_changed", |scene| {
        change_readable(scene, "change-flags")
    })
    .by(READ_ONLY),
    forbidden("a_file_outside_is_not_looked_at", |scene| look(scene, "look-at")).by(METADATA),
    forbidden("a_file_outside_is_not_looked_at_by_statx", |scene| look(scene, "look-by-statx"))
        .by(METADATA),
    forbidden("it_is_not_told_whether_a_file_outside_is_there", |scene| look(scene, "ask-access"))
        .by(METADATA),
    forbidden("a_link_outside_is_not_looked_at", |scene| {
        let link = scene.outside("link");
        std::os::unix::fs::symlink(scene.canary(), &link).at("make a link")?;
        scene.probe("look-at-link").arg(link).run()?.hides(scene.canary())
    })
    .by(METADATA),
    forbidden("a_folder_outside_is_not_entered", |scene| {
        scene.probe("enter").arg(scene.outside("")).run()?.refused()
    })
    .by(METADATA),
    forbidden("a_file_outside_is_not_watched", |scene| look(scene, "watch")).by(METADATA),
    forbidden("a_file_outside_is_not_locked", |scene| look(scene, "lock")),
];

fn change(scene: &Scene<'_>, word: &str) -> Judged {
    let secret = scene.secret();
    let before = Snapshot::of(&secret);
    let report = scene.probe(word).arg(&secret).run()?;
    report.without(before.changed(), "the file was changed")
}

/// By a descriptor that was opened for reading, which is all that the rule allows.
fn change_readable(scene: &Scene<'_>, word: &str) -> Judged {
    let file = scene.outside("readable");
    fs::write(&file, "text").at("write a file")?;
    let before = Snapshot::of(&file);
    let report = scene.probe(word).arg(&file).rule("--read", &file).run()?;
    // The flags are not part of what can be seen from outside by the ordinary calls, but the time
    // of their change is.
    report.without(before.changed(), "the file was changed")
}

/// To the owner that it has: what counts is whether the call is let through.
fn owner(scene: &Scene<'_>, path: PathBuf) -> Judged {
    let before = Snapshot::of(&path);
    let own = rustix::process::getuid().as_raw().to_string();
    let report = scene.probe("change-owner").arg(&path).arg(own).run()?;
    report.without(before.changed(), "the file was changed")
}

fn look(scene: &Scene<'_>, word: &str) -> Judged {
    scene.probe(word).arg(scene.secret()).run()?.refused()
}
