//! The README's tables name what the code has, and its example is a profile.

use cofferdam_profiles::{Promise, shipped};

use crate::support::Machine;

const README: &str = include_str!("../../README.md");

#[test]
fn the_readme_lists_every_shipped_profile_with_its_place() {
    for profile in shipped() {
        assert!(README.contains(&format!("| `{}` |", profile.name)), "{}", profile.name);
    }
}

#[test]
fn the_readme_lists_every_promise() {
    for promise in Promise::ALL {
        assert!(README.contains(&format!("`{promise}`")), "{promise}");
    }
}

#[test]
fn the_readme_lists_every_key_and_variable_that_a_mistake_names() {
    let machine = Machine::new();
    machine.profile("x", "x = 1\n[filesystem]\nx = 1\n[network]\nx = 1\n[environment]\nx = 1\n[syscalls]\nx = 1\n[limits]\nx = 1\n");
    machine.profile("y", "filesystem.read = [\"${x}\"]\n");
    for (name, tables) in [("x", 6), ("y", 1)] {
        let error = machine.resolve(name).unwrap_err();
        assert_eq!(error.mistakes().len(), tables);
        for mistake in error.mistakes() {
            let table = mistake.key.strip_suffix('x').unwrap_or_default();
            let text = mistake.to_string();
            let valid = text.split("valid").last().unwrap();
            for word in valid.split('`').skip(1).step_by(2) {
                let in_readme = match name {
                    // A table of the file is named with its keys.
                    "x" => README.contains(&format!("`{table}{word}")),
                    _ => README.contains(&format!("`${{{word}}}`")),
                };
                assert!(in_readme, "{table}{word}");
            }
        }
    }
}

#[test]
fn the_example_of_the_readme_is_a_profile() {
    let machine = Machine::new();
    let example = README.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    machine.profile("site", example);
    let policy = machine.resolve("site").unwrap();
    assert_eq!(policy.limits.memory, Some(2 << 30));
    assert!(policy.filesystem.scratch);
}
