//! Where the profile sets limits, they hold.

use std::fs;
use std::path::PathBuf;

use crate::promise::{Class, Promise, forbidden, rule, works};
use crate::scene::Scene;
use crate::verdict::{At, Judged, Trouble};

pub(super) const CLASS: Class = Class {
    name: "limits",
    about: "the `[limits]` of a profile hold",
    rules: &[],
    promises: PROMISES,
};

const LIMITS: &[&str] = &["limits", rule::PROFILE];

const PROMISES: &[Promise] = &[
    forbidden("no_more_memory_is_taken", |scene| {
        limited(scene, "memory = \"64M\"", "take-memory", "128")
    })
    .by(LIMITS),
    forbidden("no_more_files_are_opened", |scene| {
        limited(scene, "open-files = 64", "take-files", "128")
    })
    .by(LIMITS),
    forbidden("no_larger_file_is_written", |scene| {
        limited(scene, "file-size = \"64K\"", "take-disk", "128")
    })
    .by(LIMITS),
    forbidden("no_more_processor_time_is_taken", |scene| {
        limited(scene, "cpu-seconds = 1", "take-time", "2")
    })
    .by(LIMITS),
    forbidden("no_more_processes_are_started", |scene| {
        if rustix::process::getuid().is_root() {
            return Err(Trouble::unavailable("the kernel does not count root's processes"));
        }
        limited(scene, "processes = 40", "take-processes", "80")
    })
    .by(LIMITS),
    works("what_is_within_the_limits_works", |scene| {
        let profile = profile(scene, "memory = \"1G\"\nopen-files = 256\nfile-size = \"1M\"")?;
        let task = with(scene.probe("take-disk").arg("64"), profile);
        task.run()?.did()
    })
    .by(LIMITS),
];

fn profile(scene: &Scene<'_>, limits: &str) -> Result<PathBuf, Trouble> {
    let path = scene.outside("limits.toml");
    let text = format!("extends = \"workspace\"\n[limits]\n{limits}\n");
    fs::write(&path, text).at("write a profile")?;
    Ok(path)
}

fn with(task: crate::task::Task<'_>, profile: PathBuf) -> crate::task::Task<'_> {
    task.rule("--profile", profile)
}

fn limited(scene: &Scene<'_>, limits: &str, word: &str, amount: &str) -> Judged {
    let profile = profile(scene, limits)?;
    with(scene.probe(word).arg(amount), profile).run()?.refused()
}
