//! From where to where the text behind a name is its value.

use super::names::Secret;
use super::values;

/// So long is no value that is plain, in bytes.
pub(super) const LONGEST: usize = 400;

/// How many blanks a line goes on with.
pub(super) fn spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// All of a text but the quotes around it.
pub(super) fn unquoted(text: &str) -> (usize, usize) {
    let quote = text.chars().next().filter(|sign| matches!(sign, '"' | '\''));
    match quote.filter(|quote| text.len() > 1 && text.ends_with(*quote)) {
        Some(_) => (1, text.len() - 1),
        None => (0, text.len()),
    }
}

/// What stands between the quotes with which a text begins.
pub(super) fn quoted(text: &str) -> Option<(usize, usize)> {
    let quote = values::opening_quote(text)?;
    let start = quote.len();
    Some((start, start + values::closing_quote(&text[start..], quote)))
}

/// Where a word ends for a shell, and a field of a form.
pub(super) fn end_of_word(text: &str) -> usize {
    let ends = |sign: char| sign.is_whitespace() || "&;\"'`|<>()".contains(sign);
    text.find(ends).unwrap_or(text.len())
}

/// A number, a word or a list behind a name of JSON.
pub(super) fn in_json(text: &str) -> Option<(usize, usize)> {
    if let Some(list) = text.strip_prefix('[') {
        return Some((1, 1 + list.find(']').unwrap_or(list.len())));
    }
    if text.starts_with('{') {
        return None;
    }
    let ends = |sign: char| sign.is_whitespace() || ",}]\"'\\".contains(sign);
    Some((0, text.find(ends).unwrap_or(text.len())))
}

/// The rest of a line behind a name that is certain, and otherwise a word that is no part of a sentence.
pub(super) fn in_header(secret: &Secret, text: &str, is_spaced: bool) -> Option<(usize, usize)> {
    // So much is looked at to see what it is: as much as any secret has that people type.
    let shown = values::beginning(text, LONGEST);
    let shown = &shown[..end_of_line(shown)];
    let word = &shown[..shown.find(char::is_whitespace).unwrap_or(shown.len())];
    if secret.is_cookie() {
        return word.contains('=').then(|| (0, end_of_line(text)));
    }
    if secret.is_certain() {
        return Some((0, end_of_line(text)));
    }
    let is_secret = if word.len() > LONGEST / 2 {
        true
    } else if is_spaced && !secret.is_often_prose() {
        !values::is_prose(shown)
    } else {
        values::is_opaque(word, if secret.is_password() && !is_spaced { 4 } else { 16 })
    };
    let ends = |sign: char| sign.is_whitespace() || matches!(sign, '"' | '\'');
    is_secret.then(|| (0, text.find(ends).unwrap_or(text.len())))
}

/// Where a line ends, or the string in which it stands.
fn end_of_line(text: &str) -> usize {
    text.find(['"', '\'', '\n', '\r']).unwrap_or(text.len())
}
