//! Numbers of `[limits]`.

use crate::mistake::Cause;
use crate::tree::{Node, Tree};

/// Reads a limit of at least `least`; where `is_size`, a string like `512M` will do as well.
pub(super) fn limit(node: &Node, is_size: bool, least: u64) -> Result<u64, Cause> {
    let number = match &node.value {
        Tree::Integer(number) => u64::try_from(*number).ok(),
        Tree::Text(text) if is_size => size(text),
        _ if is_size => {
            let expected = "a number of bytes, or a string like `\"512M\"`";
            return Err(Cause::WrongType { found: node.kind(), expected });
        }
        _ => return Err(Cause::WrongType { found: node.kind(), expected: "an integer" }),
    };
    number.filter(|number| *number >= least).ok_or(Cause::Invalid {
        what: "out of range",
        remedy: match (is_size, least) {
            (true, 0) => "valid: bytes from 0, or a number with K, M, G or T (\"512M\")",
            (true, _) => "valid: bytes from 1, or a number with K, M, G or T (\"512M\")",
            (false, _) => "valid: an integer from 1",
        },
    })
}

/// Bytes, from a whole number with an optional unit of a power of 1024.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['K', 'M', 'G', 'T']);
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None; // a sign
    }
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024() {
        assert_eq!(size("1"), Some(1));
        assert_eq!(size("512M"), Some(512 << 20));
        assert_eq!(size("2G"), Some(2 << 30));
        assert_eq!(size("16777215T"), Some(16777215 << 40));
    }

    #[test]
    fn anything_else_is_no_size() {
        for text in ["", "M", "-1", "+1", "1.5G", "1 G", "1MM", "1GM", "1m", "16777216T", "0x10"] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
