//! One rule, held against the arguments of its program.

use super::table::{Check, Program, Rule};
use super::words::{Word, Words};
use super::{awk, remote, sed};
use crate::wrapped::has;

/// The first argument that the rule is about.
pub(super) fn offence<'a>(
    program: &Program,
    rule: &Rule,
    words: &Words<'a>,
    args: &[&'a str],
    first: usize,
) -> Option<Word<'a>> {
    let is_refused_option = |word: &Word<'_>| match word.1.strip_prefix("--") {
        Some(long) => {
            let name = long.split_once('=').map_or(long, |(name, _)| name);
            program.is_refused_long(rule, name)
        }
        None => program.is_refused_cluster(rule, &word.1[1..]),
    };
    let all = || (first..).zip(args.iter().copied());
    words
        .options
        .iter()
        .copied()
        .find(is_refused_option)
        .or_else(|| old_style(program, rule, args, first))
        .or_else(|| all().find(|(_, arg)| has(&rule.words, arg)))
        .or_else(|| all().find(|(_, arg)| begins_so(rule, arg)))
        .or_else(|| all().find(|(_, arg)| rule.contains.iter().any(|part| arg.contains(part))))
        .or_else(|| words.operands.get(rule.operands?).copied())
        .or_else(|| match rule.check? {
            Check::AwkText => all().find(|(_, arg)| awk::does_more(arg)),
            Check::RemoteName => all().find(|(_, arg)| remote::names_host(arg)),
            Check::SedScript => {
                let scripts = sed::scripts(args, &words.operands);
                let script = scripts.into_iter().find(|script| !sed::only_prints(script))?;
                all().find(|(_, arg)| arg.ends_with(script))
            }
        })
}

/// Whether a word, or the value of an option in it, begins as the rule says.
fn begins_so(rule: &Rule, word: &str) -> bool {
    let value = word.split_once('=').filter(|_| word.starts_with('-')).map(|(_, value)| value);
    let mut texts = std::iter::once(word).chain(value);
    texts.any(|text| rule.prefixes.iter().any(|start| text.starts_with(start)))
}

/// The first word as a cluster without a dash, in which no letter is a value.
fn old_style<'a>(
    program: &Program,
    rule: &Rule,
    args: &[&'a str],
    first: usize,
) -> Option<Word<'a>> {
    let word = args.first().filter(|word| program.old_style && !word.starts_with('-'))?;
    word.chars().any(|letter| rule.short.contains(letter)).then_some((first, *word))
}
