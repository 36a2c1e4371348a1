//! The part of a program that looks at arguments.

use crate::Instruction;
use crate::instruction::{answer, if_equal, load, mask, offset};
use crate::verdict::{Action, Rule};

/// The rules in order, and at the end the answer for whatever meets none.
pub(crate) fn compile(rules: &[Rule], otherwise: Action) -> Vec<Instruction> {
    let mut code: Vec<_> = rules.iter().flat_map(compile_rule).collect();
    code.push(answer(otherwise));
    code
}

fn compile_rule(rule: &Rule) -> Vec<Instruction> {
    let mut code = Vec::new();
    let mut tests = Vec::new();
    for condition in &rule.when {
        code.push(load(offset::argument(condition.arg)));
        if condition.mask != u32::MAX {
            code.push(mask(condition.mask));
        }
        tests.push(code.len());
        code.push(if_equal(condition.value, 0, 0));
    }
    code.push(answer(rule.then));
    // A test that fails goes on behind this rule's answer. With six arguments a rule has 19
    // instructions at most.
    let end = code.len();
    for test in tests {
        code[test].jf = (end - test - 1) as u8;
    }
    code
}
