//! Which of the arguments are options. Where that cannot be told, an argument counts as both.

use super::table::{Program, Rule};
use crate::wrapped::has;

/// An argument and its place.
pub(super) type Word<'a> = (usize, &'a str);

/// The arguments of a program, sorted out.
#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    /// Every argument that may be one option or a cluster, dashes included.
    pub(super) options: Vec<Word<'a>>,
    /// Every argument that may be a word of its own.
    pub(super) operands: Vec<Word<'a>>,
}

/// Whether the next argument is the value of the option before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    No,
    Perhaps,
    Yes,
}

impl<'a> Words<'a> {
    /// Sorts the arguments, of which the first stands at `first` in the call.
    pub(super) fn sort(args: &[&'a str], first: usize, program: &Program) -> Self {
        let mut words = Words::default();
        let (mut ended, mut value) = (false, Value::No);
        for (place, arg) in (first..).zip(args.iter().copied()) {
            if !ended && arg == "--" {
                // As the value of an option it ends nothing.
                ended = value == Value::No;
                value = Value::No;
            } else if !ended && arg.len() > 1 && arg.starts_with('-') {
                // Even where it is a value: an option in that place has no business there.
                words.options.push((place, arg));
                value = program.value_of(arg);
            } else {
                if value != Value::Yes || ended {
                    words.operands.push((place, arg));
                }
                value = Value::No;
            }
        }
        words
    }
}

impl Program {
    fn value_of(&self, option: &str) -> Value {
        if let Some(long) = option.strip_prefix("--") {
            return match long {
                _ if long.contains('=') || has(&self.long_flags, long) => Value::No,
                _ if has(&self.long_values, long) => Value::Yes,
                _ => Value::Perhaps,
            };
        }
        let mut unknown = false;
        for (place, letter) in option[1..].char_indices() {
            if self.values.contains(letter) {
                let is_last = place + letter.len_utf8() == option.len() - 1;
                return match (is_last, unknown) {
                    (false, false) => Value::No,
                    (true, false) => Value::Yes,
                    (_, true) => Value::Perhaps,
                };
            }
            unknown |= !self.flags.contains(letter);
        }
        if unknown { Value::Perhaps } else { Value::No }
    }

    /// Whether a long option of this name may be one that the rule refuses: by its whole name, or as an
    /// abbreviation that is no other option's whole name.
    pub(super) fn is_refused_long(&self, rule: &Rule, name: &str) -> bool {
        if name.is_empty() || has(&rule.long, name) {
            return !name.is_empty();
        }
        let is_abbreviation = rule.long.iter().any(|refused| refused.starts_with(name));
        is_abbreviation && !has(&self.long_flags, name) && !has(&self.long_values, name)
    }

    /// Whether one of the letters of a cluster is one that the rule refuses. Behind an option with a
    /// value the letters are that value.
    pub(super) fn is_refused_cluster(&self, rule: &Rule, letters: &str) -> bool {
        let values = rule.values.as_ref().unwrap_or(&self.values);
        for letter in letters.chars() {
            if rule.short.contains(letter) {
                return true;
            }
            if values.contains(letter) {
                return false;
            }
        }
        false
    }
}
