//! The table of README.md says what the lists of the launchers say.
#![cfg(target_os = "linux")]

use cofferdam_battery::table::{BEGIN, Column, END, render, section};
use cofferdam_battery::{CLASSES, Unpromised};

#[path = "../../../launchers/bubblewrap/tests/conformance/unpromised.rs"]
mod bubblewrap;
#[path = "../../../launchers/landlock/tests/conformance/unpromised.rs"]
mod landlock;
#[path = "../../../launchers/core/tests/conformance/unpromised.rs"]
mod plain;

const README: &str = include_str!("../../../README.md");

const COLUMNS: &[Column] = &[
    Column { name: "`landlock`", unpromised: landlock::WITH_NAMESPACES },
    Column { name: "`landlock`, no namespaces", unpromised: landlock::WITHOUT_NAMESPACES },
    Column { name: "`bubblewrap`", unpromised: bubblewrap::ALL },
    Column { name: "`none`", unpromised: plain::ALL },
];

#[test]
fn the_table_of_the_readme_is_what_the_lists_say() {
    let expected = render(COLUMNS);
    let found = section(README).unwrap_or_default();
    assert!(found == expected, "put this into README.md:\n\n{BEGIN}{expected}{END}");
}

#[test]
fn every_entry_of_a_list_names_something() {
    let known = |entry: &Unpromised| {
        CLASSES
            .iter()
            .any(|class| class.promises.iter().any(|promise| entry.covers(class, promise)))
    };
    for column in COLUMNS {
        for entry in column.unpromised {
            assert!(known(entry), "{}: {}", column.name, entry.promise);
        }
    }
}
