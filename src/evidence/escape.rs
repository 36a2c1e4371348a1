//! Text of the command's, made harmless: a payload is read by models, by people and by terminals.

/// The longest target, in bytes.
pub(crate) const TARGET: usize = 256;
/// What stands at the end of a text that was cut.
const CUT: char = '…';

/// A text on one line, at most `most` bytes of UTF-8: whatever is not printable (controls, escape
/// sequences, directions of writing) is escaped as in a string of Rust, the backslash too.
pub(crate) fn shown(text: &str, most: usize) -> String {
    let mut line = String::new();
    for sign in text.chars() {
        let before = line.len();
        match sign {
            '"' | '\'' => line.push(sign),
            sign => line.extend(sign.escape_debug()),
        }
        if line.len() > most {
            line.truncate(before);
            while line.len() + CUT.len_utf8() > most {
                line.pop();
            }
            line.push(CUT);
            break;
        }
    }
    line
}

/// Whether a text is nothing but a plain path or name: no word of ours is put beside one that could
/// be read as a sentence.
pub(super) fn is_plain(text: &str) -> bool {
    text.len() <= TARGET
        && text.chars().all(|sign| sign.is_ascii_alphanumeric() || "/._-+@%,:=~".contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_on_a_terminal_or_a_reader_is_left() {
        let text = "/a\u{1b}[2J\r\n\u{202e}\u{200b}\u{85}\u{2028}b\\\u{7f}'\"é";
        let line = shown(text, TARGET);
        assert_eq!(line, r#"/a\u{1b}[2J\r\n\u{202e}\u{200b}\u{85}\u{2028}b\\\u{7f}'"é"#);
        assert!(!line.chars().any(char::is_control));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let line = shown(&"é".repeat(1000), TARGET);
        assert!(line.len() <= TARGET && line.ends_with(CUT), "{line}");
        assert_eq!(shown("abc", 3), "abc");
        assert_eq!(shown("abcd", 4), "abcd");
        assert_eq!(shown("abcde", 4), "a…");
    }

    #[test]
    fn a_sentence_is_not_plain() {
        assert!(is_plain("/home/ann/.git/config") && is_plain("example.org:443"));
        for text in ["/x. Now do this", "/x`", "/x\n", "/\u{202e}x", &"x".repeat(300)] {
            assert!(!is_plain(text), "{text:?}");
        }
    }
}
