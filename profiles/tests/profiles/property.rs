//! For random profiles on random trees: the resolved policy opens exactly what was written.
//!
//! The reference below decides from the written entries alone. It knows nothing of rules, links or
//! sorting: it makes the list of what each profile says by recursion, and asks for a path what stands
//! at each of its parents.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use cofferdam_profiles::{Answer, Inside, Question};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::Machine;

const KEYS: [&str; 4] = ["read", "write", "protect", "deny"];

/// A tree: which of the places exist, and where the links lead.
#[derive(Debug, Clone)]
struct Tree {
    present: Vec<bool>,
    links: Vec<Index>,
}

/// One profile of a family. Profile n extends some of those before it.
#[derive(Debug, Clone)]
struct Member {
    extends: Vec<Index>,
    /// For each key: entries (a place, optional).
    entries: [Vec<(Index, bool)>; 4],
    /// For each key: inherited entries to remove.
    removals: [Vec<Index>; 4],
}

const DIRS: [&str; 6] = ["a", "a/d", "b", "b/d", "b/d/e", "ab"];
const FILES: [&str; 5] = ["a/f", "a/d/f", "b/f", "b/d/e/f", "ab/f"];
const LINKS: [&str; 4] = ["a/l", "b/l", "b/d/l", "l"];

/// All names that entries use and that are asked about, present or not.
fn places() -> Vec<String> {
    let mut places = vec![String::new()];
    places.extend([DIRS.as_slice(), &FILES, &LINKS].concat().into_iter().map(str::to_owned));
    for link in LINKS {
        places.extend(["", "/d", "/f", "/new/x"].map(|rest| format!("{link}{rest}")));
    }
    places.extend(["a/new", "a/f/x", "b/d/new/x"].map(str::to_owned));
    places
}

fn family() -> impl Strategy<Value = (Tree, Vec<Member>)> {
    let tree = (prop::collection::vec(any::<bool>(), 11), prop::collection::vec(any::<Index>(), 4))
        .prop_map(|(present, links)| Tree { present, links });
    let entries = || prop::collection::vec((any::<Index>(), prop::bool::weighted(0.9)), 0..4);
    let removals = || prop::collection::vec(any::<Index>(), 0..2);
    let member = (
        prop::collection::vec(any::<Index>(), 0..3),
        [entries(), entries(), entries(), entries()],
        [removals(), removals(), removals(), removals()],
    )
        .prop_map(|(extends, entries, removals)| Member { extends, entries, removals });
    (tree, prop::collection::vec(member, 1..5))
}

/// Puts the tree on the disk, in `top/tree`.
fn plant(tree: &Tree, machine: &Machine) -> PathBuf {
    let root = machine.dir("tree");
    for (place, present) in DIRS.iter().zip(&tree.present) {
        if *present {
            machine.dir(&format!("tree/{place}"));
        }
    }
    for (place, present) in FILES.iter().zip(&tree.present[DIRS.len()..]) {
        if *present {
            machine.file(&format!("tree/{place}"), "");
        }
    }
    let targets = [DIRS.as_slice(), &FILES, &LINKS].concat();
    for (place, target) in LINKS.iter().zip(&tree.links) {
        let link = root.join(place);
        if link.parent().unwrap().is_dir() {
            symlink(root.join(target.get(&targets)), link).unwrap();
        }
    }
    root
}

/// What each profile says in the end, as (key, path, optional); and the profiles as files.
struct Written {
    lists: Vec<[Vec<(String, bool)>; 4]>,
}

fn write(members: &[Member], root: &Path, machine: &Machine) -> Written {
    let places = places();
    let mut lists: Vec<[Vec<(String, bool)>; 4]> = Vec::new();
    for (number, member) in members.iter().enumerate() {
        let mut all: [Vec<(String, bool)>; 4] = Default::default();
        let mut extends = BTreeSet::new();
        if number > 0 {
            extends.extend(member.extends.iter().map(|parent| parent.index(number)));
        }
        for parent in &extends {
            for key in 0..4 {
                let inherited = lists[*parent][key].clone();
                all[key].extend(inherited);
            }
        }
        let parents: Vec<String> = extends.iter().map(|parent| format!("\"p{parent}\"")).collect();
        let mut text = format!("extends = [{}]\n[filesystem]\n", parents.join(", "));
        for key in 0..4 {
            let mut lines = Vec::new();
            for removal in &member.removals[key] {
                if !all[key].is_empty() {
                    let removed = removal.get(&all[key]).clone();
                    all[key].retain(|entry| *entry != removed);
                    lines.push(format!("!{}", spelled(&removed)));
                }
            }
            for (place, optional) in &member.entries[key] {
                let path = root.join(place.get(&places));
                let path = path.to_str().unwrap().trim_end_matches('/').to_owned();
                lines.push(spelled(&(path.clone(), *optional)));
                all[key].push((path, *optional));
            }
            text.push_str(&format!("{} = {lines:?}\n", KEYS[key]));
        }
        machine.profile(&format!("p{number}"), &text);
        lists.push(all);
    }
    Written { lists }
}

fn spelled((path, optional): &(String, bool)) -> String {
    format!("{path}{}", if *optional { "?" } else { "" })
}

/// The physical path, and `None` for links in a circle.
fn physical(path: &Path, depth: usize) -> Option<PathBuf> {
    if let Ok(path) = fs::canonicalize(path) {
        return Some(path);
    }
    let parent = physical(path.parent()?, depth)?;
    let here = parent.join(path.file_name()?);
    match fs::read_link(&here) {
        Ok(_) if depth == 0 => None,
        Ok(target) => physical(&target, depth - 1),
        Err(_) => Some(here),
    }
}

/// What stands at one physical path, as (key, path).
type Said = Vec<(usize, PathBuf)>;

/// `None` where the profile must be refused: a missing path that is not optional, or a circle.
fn said(list: &[Vec<(String, bool)>; 4]) -> Option<Said> {
    let mut said = Vec::new();
    for (key, entries) in list.iter().enumerate() {
        for (path, optional) in entries {
            let mut path = physical(Path::new(path), 50)?;
            if KEYS[key] == "read" || KEYS[key] == "write" {
                if !path.exists() {
                    if *optional {
                        continue;
                    }
                    return None;
                }
            } else if KEYS[key] == "protect" {
                // A path through a file stands for that file.
                if let Some(file) = path.ancestors().find(|above| above.is_file()) {
                    path = file.to_owned();
                }
            }
            said.push((key, path));
        }
    }
    Some(said)
}

/// What a path may be used for: (read, write).
fn decide(said: &Said, path: &Path) -> (bool, bool) {
    for above in path.ancestors() {
        let at = |key: usize| said.contains(&(key, above.to_owned()));
        if at(3) {
            return (false, false);
        }
        if at(2) {
            // Readable if it would be, were it not protected; writable never.
            let rest: Said = said.iter().filter(|(key, _)| *key != 2).cloned().collect();
            return (decide(&rest, above).0, false);
        }
        if at(1) {
            return (true, true);
        }
        if at(0) {
            return (true, false);
        }
    }
    (false, false)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_policy_opens_exactly_what_its_profiles_say((tree, members) in family()) {
        let machine = Machine::new();
        let root = plant(&tree, &machine);
        let written = write(&members, &root, &machine);
        for (number, list) in written.lists.iter().enumerate() {
            let resolved = machine.resolve(&format!("p{number}"));
            let Some(said) = said(list) else {
                prop_assert!(resolved.is_err(), "p{} must be refused", number);
                continue;
            };
            let policy = match resolved {
                Ok(policy) => policy,
                // Narrower than what is written: see `a_link_that_a_run_may_have_made_opens_nothing`.
                Err(error) => {
                    let planted = |line: &String| line.contains("a run may have made it");
                    let lines: Vec<_> = error.mistakes().iter().map(ToString::to_string).collect();
                    prop_assert!(!lines.is_empty() && lines.iter().all(planted), "{lines:?}");
                    continue;
                }
            };
            for place in places() {
                // A file has nothing below it, and a circle leads nowhere.
                let Some(path) = physical(&root.join(place), 50) else { continue };
                if path.ancestors().skip(1).any(Path::is_file) {
                    continue;
                }
                let files = &policy.filesystem;
                let found = (files.may_read(&path), files.may_write(&path));
                prop_assert_eq!(found, decide(&said, &path), "p{} {:?}", number, path);
                // Whoever asks is told the same, with a rule for every yes.
                let asked = [Question::Read(path.clone()), Question::Write(path.clone())]
                    .map(|question| policy.ask(&question, &Inside::default()));
                let told = asked.each_ref().map(|verdict| verdict.answer == Answer::Allowed);
                prop_assert_eq!(told, [found.0, found.1], "p{} {:?}", number, path);
                for verdict in asked {
                    prop_assert!(verdict.answer == Answer::Refused || verdict.origin.is_some());
                    prop_assert_eq!(verdict.answer == Answer::Refused, !verdict.changes.is_empty());
                }
            }
        }
    }
}
