//! The profiles that are shipped, as text: one whole, the others by the lines that only they have or
//! lack. Paths stand where the text has parameters.
//!
//! The files of the machine that builds this are not in it: of the rules that a profile makes there,
//! those for the home and the workspace stay, and `/System` and `/usr` stand for the rest.

use std::fs;
use std::path::{Path, PathBuf};

use cofferdam_launcher::Scratch;
use cofferdam_profiles::{Access, Grants, Rule, Source, resolve};

use super::sample::{context, rule};
use crate::places::Places;
use crate::profile::Profile;

const HOME: &str = "/Users/ann";

/// The profile of this name for `/Users/ann/work/app`, and its paths.
fn shown(name: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    for dir in ["work/app/.git/hooks", ".ssh", ".cargo/bin", ".rustup"] {
        fs::create_dir_all(top.join(dir)).unwrap();
    }
    fs::write(top.join("work/app/.git/config"), "").unwrap();
    fs::write(top.join(".cargo/credentials.toml"), "").unwrap();
    let mut policy = resolve(&Source::parse(name), &Grants::default(), &context(&top)).unwrap();
    let mut rules: Vec<Rule> = policy
        .filesystem
        .rules
        .into_iter()
        .filter(|rule| rule.path.starts_with(&top) && rule.links.is_empty())
        .map(|rule| Rule { path: at_home(&rule.path, &top), ..rule })
        .collect();
    rules.extend(["/System", "/usr"].map(|path| self::rule(Access::Read, path)));
    policy.filesystem.rules = rules;
    policy.filesystem.devices.clear();
    let scratch =
        Scratch { tmp: "/var/folders/run/tmp".into(), home: "/var/folders/run/home".into() };
    let files = &policy.filesystem;
    let profile =
        Profile::of(&policy, &Places::of(files, &policy.network, Some(&scratch), &|_| false));
    let mut text = profile.text().to_owned();
    // For whoever reads it, the paths where they count.
    for definition in profile.definitions() {
        let (name, path) = definition.to_str().unwrap().split_once('=').unwrap();
        text = text.replace(&format!("(param \"{name}\")"), &format!("(param {path})"));
    }
    text
}

fn at_home(path: &Path, top: &Path) -> PathBuf {
    Path::new(HOME).join(path.strip_prefix(top).unwrap())
}

/// The lines that only one of the two has, in the order of each.
fn differences(from: &str, to: &str) -> String {
    let only = |mark, these: &str, those: &str| -> String {
        let those: Vec<_> = those.lines().collect();
        let these = these.lines().filter(|line| !those.contains(line));
        these.map(|line| format!("{mark} {line}\n")).collect()
    };
    only('-', from, to) + &only('+', to, from)
}

/// Compares with the text that is kept; with `COFFERDAM_KEEP=1` it is kept anew.
fn kept(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests/kept").join(name);
    if std::env::var_os("COFFERDAM_KEEP").is_some() {
        fs::write(&path, text).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap();
    assert_eq!(text, kept, "{} differs; COFFERDAM_KEEP=1 keeps the new one", path.display());
}

#[test]
fn the_profile_workspace_is_as_it_was_reviewed() {
    kept("workspace.sb", &shown("workspace"));
}

#[test]
fn the_other_shipped_profiles_differ_from_workspace_as_reviewed() {
    let workspace = shown("workspace");
    for name in ["read-only", "build", "online", "strict"] {
        kept(&format!("{name}.diff"), &differences(&workspace, &shown(name)));
    }
}
