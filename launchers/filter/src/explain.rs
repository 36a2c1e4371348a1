//! The table as text for people.

use std::fmt::Write;

use crate::numbers::Machine;
use crate::table::{Line, UNKNOWN};
use crate::verdict::{Action, Condition, Verdict};

/// One call a line, refused ones first, allowed ones last; by name within each kind.
pub(crate) fn table(lines: &[Line], machine: Machine) -> String {
    let mut lines: Vec<_> = on(lines, machine).collect();
    lines.sort_by_key(|line| (rank(&line.verdict), line.name));
    let mut text = String::new();
    row(&mut text, "any other", UNKNOWN, "unknown, or newer than the table");
    for line in lines {
        match &line.verdict {
            Verdict::Always(action) => row(&mut text, line.name, *action, line.why),
            Verdict::ByArguments { rules, otherwise } => {
                for rule in rules {
                    let call = format!("{}({})", line.name, conditions(&rule.when));
                    row(&mut text, &call, rule.then, rule.why);
                }
                row(&mut text, line.name, *otherwise, line.why);
            }
        }
    }
    text
}

/// How many calls have which verdict.
pub(crate) fn summary(lines: &[Line], machine: Machine, instructions: usize) -> String {
    let count = |wanted| on(lines, machine).filter(|line| rank(&line.verdict) == wanted).count();
    format!(
        "{} calls refused, {} decided by their arguments, {} allowed, all others refused; {} \
         instructions",
        count(0),
        count(1),
        count(2),
        instructions
    )
}

fn on(lines: &[Line], machine: Machine) -> impl Iterator<Item = &Line> {
    let exists = move |name| machine.numbers().iter().any(|known| known.0 == name);
    lines.iter().filter(move |line| exists(line.name))
}

fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Always(Action::Refuse(_) | Action::Tell(_)) => 0,
        Verdict::ByArguments { .. } => 1,
        Verdict::Always(Action::Allow) => 2,
    }
}

fn row(text: &mut String, call: &str, action: Action, why: &str) {
    let action = action.describe();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{call:24} {action:16} {why}");
}

fn conditions(conditions: &[Condition]) -> String {
    let texts: Vec<_> = conditions
        .iter()
        .map(|c| match c.mask {
            u32::MAX => format!("arg{} = {:#x}", c.arg, c.value),
            mask => format!("arg{} & {mask:#x} = {:#x}", c.arg, c.value),
        })
        .collect();
    texts.join(", ")
}
