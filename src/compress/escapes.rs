//! Terminal escapes: colours, cursor movements, titles. A model reads none of them.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';
/// The one-character form of `ESC [`.
const CSI: char = '\u{9b}';

/// The text without escape sequences. Of one that is cut off or malformed the escape character goes
/// and the rest stays, so no escape character is ever left.
pub(crate) fn strip(text: &str) -> Cow<'_, str> {
    if !text.contains([ESCAPE, CSI]) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find([ESCAPE, CSI]) {
        plain.push_str(&rest[..at]);
        rest = after_sequence(&rest[at..]);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// What follows the sequence that this text begins with.
fn after_sequence(text: &str) -> &str {
    let mut signs = text.chars();
    if signs.next() == Some(CSI) {
        return after_control(signs.as_str()).unwrap_or(signs.as_str());
    }
    let behind = signs.as_str();
    match signs.next() {
        Some('[') => after_control(signs.as_str()).unwrap_or(behind),
        Some(']' | 'P' | '_' | '^' | 'X') => after_string(signs.as_str()).unwrap_or(behind),
        // Two characters with one between: the choice of a character set.
        Some('(' | ')' | '*' | '+' | '#' | '%') => match signs.next() {
            Some(sign) if sign.is_ascii_alphanumeric() => signs.as_str(),
            _ => behind,
        },
        Some('7' | '8' | '=' | '>' | 'A'..='Z' | 'a'..='z') => signs.as_str(),
        _ => behind,
    }
}

/// Behind the parameters and the last byte of a control sequence.
fn after_control(text: &str) -> Option<&str> {
    let end = text.find(|sign: char| !matches!(sign, ' '..='?'))?;
    matches!(text.as_bytes()[end], b'@'..=b'~').then(|| &text[end + 1..])
}

/// The longest title or link that is taken for one. A bound, so that texts full of beginnings without
/// an end cost no more than their length.
const LONGEST_STRING: usize = 4096;

/// Behind a string that ends with BEL or `ESC \`, on the same line.
fn after_string(text: &str) -> Option<&str> {
    for (place, sign) in text.char_indices().take_while(|(place, _)| *place < LONGEST_STRING) {
        match sign {
            '\u{7}' => return Some(&text[place + 1..]),
            ESCAPE => return text[place + 1..].strip_prefix('\\'),
            '\n' => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_go_and_the_text_between_them_stays() {
        for (text, plain) in [
            ("\u{1b}[1;31mred\u{1b}[0m on", "red on"),
            ("\u{1b}[2K\u{1b}[1Gx", "x"),
            ("\u{9b}31mred", "red"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;http://a\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}(Bx\u{1b}7y\u{1b}Mz", "xyz"),
            ("plain [0m", "plain [0m"),
        ] {
            assert_eq!(strip(text), plain, "{text:?}");
        }
    }

    #[test]
    fn a_text_full_of_beginnings_is_done_with_like_any_other() {
        let text = "\u{1b}]title ".repeat(1 << 18);
        assert_eq!(strip(&text).len(), text.len() - (1 << 18));
    }

    #[test]
    fn what_is_cut_off_loses_its_escape_character_and_no_text() {
        for (text, plain) in [
            ("a\u{1b}", "a"),
            ("a\u{1b}[31", "a[31"),
            ("a\u{1b}]0;no end\nb", "a]0;no end\nb"),
            ("a\u{1b}[\nb", "a[\nb"),
            ("\u{1b}\u{1b}[0m[0mx", "[0mx"),
        ] {
            let once = strip(text);
            assert_eq!(once, plain, "{text:?}");
            assert_eq!(strip(&once), plain);
        }
    }
}
