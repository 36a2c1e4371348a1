//! What each launcher promises, as README.md tells it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::{CLASSES, Class, Unpromised};

/// A launcher, and what it does not promise.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// The name at the head of the column.
    pub name: &'static str,
    /// Promises, or whole classes.
    pub unpromised: &'static [Unpromised],
}

/// The table, a row for each class, and after it what each launcher leaves out and why.
pub fn render(columns: &[Column]) -> String {
    let mut text = String::from("| promises about |");
    for column in columns {
        let _ = write!(text, " {} |", column.name);
    }
    text.push_str("\n| --- |");
    text.push_str(&" --- |".repeat(columns.len()));
    text.push('\n');
    for class in CLASSES {
        let _ = write!(text, "| **{}**: {} |", class.name, class.about);
        for column in columns {
            let _ = write!(text, " {} |", cell(class, column.unpromised));
        }
        text.push('\n');
    }
    for column in columns {
        text.push_str(&left_out(column));
    }
    text
}

/// How many of a class are promised.
fn cell(class: &Class, unpromised: &[Unpromised]) -> String {
    let all = class.promises.len();
    let left_out = class
        .promises
        .iter()
        .filter(|promise| unpromised.iter().any(|entry| entry.covers(class, promise)))
        .count();
    match left_out {
        0 => format!("all {all}"),
        count if count == all => "none".to_owned(),
        count => format!("{} of {all}", all - count),
    }
}

/// The reasons of one launcher, each with how many promises it is for.
fn left_out(column: &Column) -> String {
    let mut reasons: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for class in CLASSES {
        for promise in class.promises {
            if let Some(entry) = column.unpromised.iter().find(|entry| entry.covers(class, promise))
            {
                *reasons.entry((entry.because, entry.instead)).or_default() += 1;
            }
        }
    }
    let mut text = String::new();
    if !reasons.is_empty() {
        let _ = write!(text, "\nNot promised by {}:\n\n", column.name);
    }
    for ((because, instead), count) in reasons {
        let _ = writeln!(text, "- {count}, since {because}; promised by {instead}");
    }
    text
}

/// What the two lines around the table are in a README.
pub const BEGIN: &str = "<!-- promises: made by tests/battery, checked by its test `readme` -->\n";
/// The line after it.
pub const END: &str = "<!-- end of promises -->\n";

/// The part of a README between the two lines.
pub fn section(readme: &str) -> Option<&str> {
    let (_, after) = readme.split_once(BEGIN)?;
    Some(after.split_once(END)?.0)
}
