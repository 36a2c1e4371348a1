//! Long strings that look like chance: keys and passwords that a machine has made.
//!
//! A measure of letters alone cannot tell them from words. But in what chance makes small letters,
//! capitals and digits take turns all the time, and in names, paths and sentences they do not.

use super::REDACTED;

/// Shorter ones are more often the base64 of a word, or a name with a number.
const LEAST: usize = 28;
/// With a slash in it a string is more likely a path.
const LEAST_WITH_SLASH: usize = 36;

/// A word in which every such string is hidden.
pub(super) fn without_chance(word: &str) -> String {
    // Checksums of packages are public, as are those in hexadecimal, which have two kinds of signs.
    if ["sha256-", "sha384-", "sha512-"].iter().any(|known| word.contains(known)) {
        return word.to_owned();
    }
    let mut clean = String::with_capacity(word.len());
    let mut rest = word;
    while !rest.is_empty() {
        let run = rest.find(|sign| !may_hold(sign)).unwrap_or(rest.len());
        if run == 0 {
            let next = rest.find(may_hold).unwrap_or(rest.len());
            clean += &rest[..next];
            rest = &rest[next..];
        } else {
            clean += &run_without_chance(&rest[..run]);
            rest = &rest[run..];
        }
    }
    clean
}

fn run_without_chance(run: &str) -> String {
    let is_path = run.starts_with('/') || !run.contains('/');
    if !is_path && run.len() >= LEAST_WITH_SLASH && looks_like_chance(run) {
        return REDACTED.to_owned();
    }
    let parts = run.split('/').map(|part| match part.len() >= LEAST && looks_like_chance(part) {
        true => REDACTED,
        false => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

fn may_hold(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '+' | '/' | '_' | '-')
}

/// Whether kinds of signs change at two places of five, and all three kinds are there more than once.
fn looks_like_chance(text: &str) -> bool {
    let kinds: Vec<_> = text.bytes().map(kind).collect();
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let count = |wanted| kinds.iter().filter(|kind| **kind == wanted).count();
    let mixed = [Kind::Small, Kind::Capital, Kind::Digit].into_iter().all(|kind| count(kind) >= 2);
    mixed && changes * 5 >= kinds.len() * 2
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Small,
    Capital,
    Digit,
    Other,
}

fn kind(byte: u8) -> Kind {
    match byte {
        b'a'..=b'z' => Kind::Small,
        b'A'..=b'Z' => Kind::Capital,
        b'0'..=b'9' => Kind::Digit,
        _ => Kind::Other,
    }
}
