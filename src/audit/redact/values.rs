//! What values look like: which are plain words, which look made by a machine, and where one ends.

use super::REDACTED;

/// Words that stand in place of a value, or say of which type it is.
const PLAIN: &[&str] = &[
    "&str",
    "any",
    "bool",
    "boolean",
    "bytes",
    "false",
    "int",
    "integer",
    "nil",
    "no",
    "none",
    "null",
    "number",
    "object",
    "off",
    "on",
    "str",
    "string",
    "true",
    "undefined",
    "yes",
];

/// Whether a value is no secret, whatever its name is.
pub(super) fn is_plain(value: &str) -> bool {
    let is_switch = matches!(value, "" | "0" | "1" | REDACTED);
    let value = without_punctuation(value);
    is_switch || PLAIN.iter().any(|plain| value.eq_ignore_ascii_case(plain))
}

/// A value without what the text around it has put behind it.
pub(super) fn without_punctuation(value: &str) -> &str {
    value.trim_end_matches(['.', ',', ';', ')', '\\'])
}

/// Whether a value looks like the path of a file.
pub(super) fn is_path(value: &str) -> bool {
    /// Base64 has slashes as well, and more between them.
    const LONGEST: usize = 20;
    ["./", "../", "~/"].iter().any(|start| value.starts_with(start))
        || (value.starts_with('/') && value.split('/').all(|part| part.len() < LONGEST))
}

/// Whether a word of at least so many signs has letters and digits and little else, as what machines
/// make; versions and dates are none.
pub(super) fn is_opaque(word: &str, least: usize) -> bool {
    let may_hold = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-!#$%&*".contains(&byte);
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_version = word.trim_start_matches('v').starts_with(|sign: char| sign.is_ascii_digit())
        && word.len() < 12;
    word.len() >= least && word.bytes().all(may_hold) && digits > 0 && letters > 0 && !is_version
}

/// Whether a text goes on like a sentence: with two words of letters alone.
pub(super) fn is_prose(text: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_end_matches(['.', ',', ':', ';', '!', '?']);
        !word.is_empty() && word.chars().all(|sign| sign.is_alphabetic() || "'’-".contains(sign))
    };
    let mut words = text.split_whitespace();
    words.next().is_some_and(is_word) && words.next().is_some_and(is_word)
}

/// A quote with the backslashes in front of it, with which a text begins: `\"` within a string.
pub(super) fn opening_quote(text: &str) -> Option<&str> {
    let slashes = text.len() - text.trim_start_matches('\\').len();
    text[slashes..].starts_with(['"', '\'', '`']).then(|| &text[..=slashes])
}

/// Where the text ends that stands behind this opening quote: at the same one, or at the end of a text
/// that was cut off.
pub(super) fn closing_quote(text: &str, quote: &str) -> usize {
    let (depth, sign) = (quote.len() - 1, &quote[quote.len() - 1..]);
    let mut slashes = 0;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'\\' => slashes += 1,
            _ if byte == sign.as_bytes()[0] && (slashes <= depth || is_even(slashes, depth)) => {
                return place - slashes.min(depth);
            }
            _ => slashes = 0,
        }
    }
    text.len()
}

/// Outside of every other string, two backslashes are one sign of the text.
fn is_even(slashes: usize, depth: usize) -> bool {
    depth == 0 && slashes.is_multiple_of(2)
}

/// At most so much of the beginning of a text.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_ends_at_a_quote_like_its_first_one() {
        for (text, ends) in [
            (r#""a b" c"#, r#""a b"#),
            (r#""a \" b" c"#, r#""a \" b"#),
            (r#""a\\" c"#, r#""a\\"#),
            (r#"\"a b\" c"#, r#"\"a b"#),
            (r#"\"a \\\" b\" c"#, r#"\"a \\\" b"#),
            (r#"\"a b" c"#, r#"\"a b"#),
            ("'a b", "'a b"),
        ] {
            let quote = opening_quote(text).unwrap();
            let end = quote.len() + closing_quote(&text[quote.len()..], quote);
            assert_eq!(&text[..end], ends, "{text}");
        }
        assert_eq!(opening_quote("a\"b"), None);
    }

    #[test]
    fn what_machines_make_has_letters_and_digits() {
        for word in ["hunter2", "Ym9iOmh1bnRlcjI=", "deadbeef0"] {
            assert!(is_opaque(word, 4), "{word}");
        }
        for word in ["swordfish", "12345", "v1.2", "v2", "1.2.3-rc1", "e2e", "read/write"] {
            assert!(!is_opaque(word, 4), "{word}");
        }
    }

    #[test]
    fn a_sentence_has_two_words() {
        for text in ["fix the check", "allow same-site, and more", "hash it"] {
            assert!(is_prose(text), "{text}");
        }
        for text in ["hunter2", "swordfish", "swordfish | cat", "hunter2 is bad", ""] {
            assert!(!is_prose(text), "{text}");
        }
    }
}
