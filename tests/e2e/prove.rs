//! `cofferdam check --prove`: the battery against a launcher, on this machine.

use serde_json::Value;

use crate::support::{Setup, finish};

#[test]
fn a_launcher_that_confines_nothing_is_found_out() {
    let setup = Setup::plain();
    // More than a thousand runs: none of the limits of other tests is meant for it.
    let output =
        setup.cofferdam(["check", "--prove", "--launcher", "none", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let proof: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&proof["kept"], &proof["claims"]), (&Value::Bool(false), &Value::Bool(false)));
    let class = |name: &str| {
        let classes = proof["classes"].as_array().unwrap();
        classes.iter().find(|class| class["name"] == name).unwrap().clone()
    };
    let broken = class("reading")["broken"].as_array().unwrap().clone();
    let by_path = "a_secret_is_not_read_by_its_path";
    assert!(broken.iter().any(|entry| entry["promise"] == by_path), "{broken:?}");
    // What the runner itself promises needs no launcher.
    for name in ["descriptors", "commands", "system"] {
        assert_eq!(class(name)["broken"], Value::Array(Vec::new()), "{name}");
        assert!(class(name)["held"].as_u64().unwrap() > 0, "{name}");
    }
}

#[test]
fn a_launcher_is_named_only_to_be_proven() {
    let setup = Setup::plain();
    let ran = finish(setup.cofferdam(["check", "--launcher", "none"]).spawn().unwrap());
    ran.exited(2).said(&["--prove"]);
}

#[test]
fn the_battery_has_workspaces_of_its_own() {
    let setup = Setup::plain();
    let ran = finish(setup.cofferdam(["check", "--prove", "--cwd", "."]).spawn().unwrap());
    ran.exited(2).said(&["--cwd"]);
}

#[test]
fn a_profile_is_refused_where_the_launcher_takes_none() {
    let setup = Setup::plain();
    let words = ["check", "--prove", "--launcher", "none", "--profile", "strict"];
    let ran = finish(setup.cofferdam(words).spawn().unwrap());
    ran.exited(1).said(&["`--profile` has no effect with the launcher `none`"]);
}

#[test]
fn a_launcher_that_nobody_knows_is_refused() {
    let setup = Setup::plain();
    let words = ["check", "--prove", "--launcher", "bublewrap"];
    let ran = finish(setup.cofferdam(words).spawn().unwrap());
    ran.exited(1).said(&["bubblewrap"]);
}

#[test]
fn a_probe_without_a_word_that_it_knows_does_nothing() {
    let setup = Setup::plain();
    for words in [vec!["probe"], vec!["probe", "nonsense"], vec!["probe", "--help-me"]] {
        let ran = finish(setup.cofferdam(words).spawn().unwrap());
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
    }
}
