//! Whether awk text does more than compute and print.

/// Whether any argument that holds program text may run a program, read one's output or write a file.
///
/// Functions that do so have names, and a call by a name in a variable has an at-sign; redirections
/// need `print`, and outside of it `>` compares and `|` stands in a pattern or, doubled, for "or". A
/// backslash before a newline is no text at all, so names are looked for without it.
pub(super) fn does_more(text: &str) -> bool {
    let text = text.replace("\\\r\n", "").replace("\\\n", "");
    if ["system", "getline", "@"].iter().any(|word| text.contains(word)) {
        return true;
    }
    text.contains("print") && text.replace("||", "").contains(['|', '>'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_computes_and_prints_is_fine() {
        for text in [
            "{print $1}",
            "$1 > 5",
            "/a|b/ { n++ } END { exit n }",
            "$1 == 1 || $2 == 2 { print }",
            "BEGIN { FS = \",\" } { s += $3 } END { printf \"%d\\n\", s }",
        ] {
            assert!(!does_more(text), "{text}");
        }
    }

    #[test]
    fn text_that_may_do_more_is_not() {
        for text in [
            "BEGIN{system(\"x\")}",
            "BEGIN{sys\\\ntem(\"x\")}",
            "{system\n(\"x\")}",
            "BEGIN{@f(\"x\")}",
            "@load \"x\"",
            "BEGIN{\"x\" | getline}",
            "{print > \"out\"}",
            "{print | \"sh\"}",
            "BEGIN{printf \"x\" |& \"sh\"}",
        ] {
            assert!(does_more(text), "{text}");
        }
    }
}
