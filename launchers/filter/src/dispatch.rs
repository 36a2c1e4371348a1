//! Makes a program of the table: the architecture, then a binary search by number, then, for some
//! calls, the arguments.
//!
//! The search is for the start of every run: the kernel translates the program to machine code and
//! walks it once for every number, and a list of some 400 comparisons took it five times as long.
//! Afterwards only the calls that depend on arguments run it at all (since Linux 5.11).

use std::collections::BTreeMap;

use crate::instruction::{KILL, answer, if_at_least, if_equal, load, offset, skip};
use crate::numbers::Machine;
use crate::table::{Line, UNKNOWN};
use crate::verdict::Verdict;
use crate::{FilterError, Instruction, comparison};

/// A run of numbers with one verdict: from `first` to the next run's first.
struct Run<'a> {
    first: u32,
    verdict: &'a Verdict,
}

/// A decision of the search: numbers from `first` on go one way, smaller ones the other.
struct Node<'a> {
    first: u32,
    low: Edge<'a>,
    high: Edge<'a>,
}

/// Where a decision leads.
enum Edge<'a> {
    /// To the node with this index.
    Node(usize),
    Verdict(&'a Verdict),
}

/// Compiles the table for one architecture. Lines whose call it does not have are left out.
///
/// Layout: the nodes, one answer for each distinct verdict, and what those look at further.
pub(crate) fn compile(lines: &[Line], machine: Machine) -> Result<Vec<Instruction>, FilterError> {
    let runs = runs(lines, machine);
    let mut verdicts: Vec<&Verdict> = Vec::new();
    for run in &runs {
        if !verdicts.contains(&run.verdict) {
            verdicts.push(run.verdict);
        }
    }
    let mut nodes = Vec::with_capacity(runs.len());
    search(&runs, &mut nodes);

    let mut program = vec![
        load(offset::ARCHITECTURE),
        // Another architecture has other numbers, so nothing below would mean what it says.
        if_equal(machine.audit_value(), 1, 0),
        KILL,
        load(offset::NUMBER),
    ];
    for (at, node) in nodes.iter().enumerate() {
        let distance = |edge: &Edge<'_>| {
            let target = match edge {
                Edge::Node(index) => Some(*index),
                Edge::Verdict(verdict) => {
                    let position = verdicts.iter().position(|known| known == verdict);
                    position.map(|position| nodes.len() + position)
                }
            };
            let distance = target.and_then(|target| u8::try_from(target - at - 1).ok());
            distance.ok_or(FilterError::TooManyRuns(runs.len()))
        };
        program.push(if_at_least(node.first, distance(&node.high)?, distance(&node.low)?));
    }
    program.extend(answers(&verdicts));
    Ok(program)
}

/// The numbers from 0 to the largest 32-bit one as runs of equal verdicts. Gaps, the numbers beyond
/// the table, and with them x86's x32 numbers (from 0x4000_0000) are [`UNKNOWN`].
fn runs<'a>(lines: &'a [Line], machine: Machine) -> Vec<Run<'a>> {
    const NOT_THERE: &Verdict = &Verdict::Always(UNKNOWN);
    let by_name: BTreeMap<&str, &Verdict> =
        lines.iter().map(|line| (line.name, &line.verdict)).collect();
    let mut runs: Vec<Run<'a>> = Vec::new();
    let mut push = |first, verdict: &'a Verdict| {
        if runs.last().is_none_or(|run| run.verdict != verdict) {
            runs.push(Run { first, verdict });
        }
    };
    let mut next = 0;
    for (name, number) in machine.numbers() {
        if *number > next {
            push(next, NOT_THERE);
        }
        push(*number, by_name.get(name).copied().unwrap_or(NOT_THERE));
        next = number + 1;
    }
    push(next, NOT_THERE);
    runs
}

/// Adds the nodes that tell these runs apart, each before those that it leads to, since a program
/// jumps forward only.
fn search<'a>(runs: &[Run<'a>], nodes: &mut Vec<Node<'a>>) -> Edge<'a> {
    if let [run] = runs {
        return Edge::Verdict(run.verdict);
    }
    let (low, high) = runs.split_at(runs.len() / 2);
    let (at, first) = (nodes.len(), high[0].first);
    nodes.push(Node { first, low: Edge::Node(at), high: Edge::Node(at) });
    nodes[at].low = search(low, nodes);
    nodes[at].high = search(high, nodes);
    Edge::Node(at)
}

/// One instruction for each verdict; those that depend on arguments lead to what compares them.
fn answers(verdicts: &[&Verdict]) -> Vec<Instruction> {
    let mut code = Vec::new();
    let mut comparisons = Vec::new();
    for (at, verdict) in verdicts.iter().enumerate() {
        match verdict {
            Verdict::Always(action) => code.push(answer(*action)),
            Verdict::ByArguments { rules, otherwise } => {
                let remaining = verdicts.len() - at - 1;
                code.push(skip((remaining + comparisons.len()) as u32));
                comparisons.extend(comparison::compile(rules, *otherwise));
            }
        }
    }
    code.extend(comparisons);
    code
}
