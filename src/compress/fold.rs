//! Identical lines in a row become one and a count; blank lines in a row become one.

use std::fmt::Write;

/// How many identical lines it takes. Two may be meant.
const LEAST: usize = 3;

/// Joins lines, identical ones in a row as the first of them and a count wherever that is shorter.
pub(super) fn repeats<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    let mut lines = lines.peekable();
    while let Some(line) = lines.next() {
        let mut more = 0;
        while lines.next_if(|next| *next == line).is_some() {
            more += 1;
        }
        text.push_str(line);
        let marker = marker(more);
        // A blank line, or one without an end, is no line to count.
        if more + 1 >= LEAST && line.ends_with('\n') && marker.len() < more * line.len() {
            text.push_str(&marker);
        } else {
            (0..more).for_each(|_| text.push_str(line));
        }
    }
    text
}

const BEGIN: &str = "[... the line above ";
const END: &str = " more times ...]";

fn marker(more: usize) -> String {
    let mut marker = String::new();
    let _ = writeln!(marker, "{BEGIN}{more}{END}");
    marker
}

/// Whether this is the count of the line above it, which means nothing without that.
pub(super) fn is_marker(line: &str) -> bool {
    let count = line.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
    count.is_some_and(|count| count.parse::<usize>().is_ok())
}

/// Lines without the blank ones that follow another blank one.
pub(super) fn blanks<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    let mut after_blank = false;
    lines.filter(move |line| {
        let is_blank = matches!(*line, "\n" | "\r\n");
        !std::mem::replace(&mut after_blank, is_blank) || !is_blank
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        repeats(text.split_inclusive('\n'))
    }

    #[test]
    fn many_lines_become_one_and_a_count_and_few_stay() {
        let line = "a line that is long enough\n";
        let many = format!("x\n{}y\n", line.repeat(40));
        let short = format!("x\n{line}[... the line above 39 more times ...]\ny\n");
        assert_eq!(folded(&many), short);
        assert_eq!(folded(&short), short);
        assert_eq!(folded(&line.repeat(2)), line.repeat(2));
        assert_eq!(folded("}\n}\n}\n"), "}\n}\n}\n");
    }

    #[test]
    fn a_line_without_an_end_is_another_one() {
        let text = format!("{0}\n{0}\n{0}\n{0}", "a line that is long enough");
        assert!(folded(&text).ends_with("2 more times ...]\na line that is long enough"));
    }

    #[test]
    fn one_of_several_blank_lines_stays() {
        let text = "a\n\n\n\nb\n\n \n\nc";
        assert_eq!(blanks(text.split_inclusive('\n')).collect::<String>(), "a\n\nb\n\n \n\nc");
    }
}
