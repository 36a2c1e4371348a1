//! Values of callers in messages: in backquotes, on one line, and no longer than people read.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// So many characters of a value are shown, enough for any path that is one. A caller may send
/// megabytes, and knows the rest.
const MOST: usize = 400;

/// A value in backquotes on one line, whatever it holds; of a long one, the beginning.
pub(crate) fn quoted(value: &OsStr) -> String {
    /// The longest character, in bytes.
    const LONGEST: usize = 4;
    let bytes = value.as_bytes();
    // A character more tells that there is more.
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min((MOST + 1) * LONGEST)]);
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}…` ({} bytes)", text[..end].escape_debug(), bytes.len()),
        None => format!("`{}`", text.escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shown_on_one_line_and_a_long_one_by_its_beginning() {
        assert_eq!(quoted("a\nb".as_ref()), r"`a\nb`");
        assert_eq!(quoted("é".repeat(400).as_ref()), format!("`{}`", "é".repeat(400)));
        let long = quoted("é".repeat(1024 * 1024).as_ref());
        assert_eq!(long, format!("`{}…` (2097152 bytes)", "é".repeat(400)));
        let bytes = [b"\xff".repeat(400), b"x".to_vec()].concat();
        assert!(quoted(OsStr::from_bytes(&bytes)).ends_with("…` (401 bytes)"));
    }
}
