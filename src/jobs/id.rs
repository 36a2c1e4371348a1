//! Job handles: `j<number>-<life>`.
//!
//! The number counts the jobs of a table; the six characters stand for the life of the table, so that
//! a handle from before a restart is told from one of today. Handles, not secrets.

use std::hash::{BuildHasher, RandomState};

/// The part of a handle that all jobs of one table share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Life(String);

/// A handle, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Handle {
    /// Of this table.
    Ours(u64),
    /// Of another life.
    Foreign,
    /// No handle at all.
    Malformed,
}

const LENGTH: usize = 6;
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

impl Life {
    /// A new one. It is as random as the keys of a hash map, which is enough to tell lives apart.
    pub(super) fn new() -> Self {
        let mut number = RandomState::new().hash_one(std::process::id());
        let mut text = String::new();
        for _ in 0..LENGTH {
            text.push(char::from(DIGITS[(number % 36) as usize]));
            number /= 36;
        }
        Life(text)
    }

    pub(super) fn handle(&self, number: u64) -> String {
        format!("j{number}-{}", self.0)
    }

    /// Reads a handle as it was given out; another spelling of the number is none.
    pub(super) fn read(&self, handle: &str) -> Handle {
        let Some((number, life)) = handle.strip_prefix('j').and_then(|rest| rest.split_once('-'))
        else {
            return Handle::Malformed;
        };
        let known_form = life.len() == LENGTH && life.bytes().all(|byte| DIGITS.contains(&byte));
        match number.parse::<u64>() {
            Ok(parsed) if known_form && parsed.to_string() == number => match life == self.0 {
                true => Handle::Ours(parsed),
                false => Handle::Foreign,
            },
            _ => Handle::Malformed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_read_back_and_another_life_is_told_apart() {
        let life = Life("1x9k2w".to_owned());
        assert_eq!(life.handle(3), "j3-1x9k2w");
        assert_eq!(life.read("j3-1x9k2w"), Handle::Ours(3));
        assert_eq!(life.read("j3-zzzzzz"), Handle::Foreign);
    }

    #[test]
    fn whatever_was_not_given_out_is_no_handle() {
        let life = Life("1x9k2w".to_owned());
        for text in
            ["", "j", "j3", "3-1x9k2w", "j03-1x9k2w", "j+3-1x9k2w", "j3-1X9K2W", "j3-1x9k2w "]
        {
            assert_eq!(life.read(text), Handle::Malformed, "{text:?}");
        }
    }

    #[test]
    fn two_lives_differ() {
        assert_ne!(Life::new(), Life::new());
    }
}
