//! Text in columns, for people. Only who asks for another width gets one: a pipe gets the same
//! everywhere.

/// Within this many characters a line can be read without scrolling.
pub(super) const WIDTH: usize = 100;

/// Rows of a name and what is said about it. Long texts go on below their own column.
pub(super) fn two_columns(rows: &[(String, String)]) -> String {
    two_columns_within(rows, WIDTH)
}

/// The same within a number of characters.
pub(super) fn two_columns_within(rows: &[(String, String)], width: usize) -> String {
    let first = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default() + 2;
    let mut text = String::new();
    for (name, about) in rows {
        let mut name = name.as_str();
        for line in about.lines().flat_map(|line| wrap(line, width.saturating_sub(first))) {
            text.push_str(format!("{name:first$}{line}").trim_end());
            text.push('\n');
            name = "";
        }
        if about.is_empty() {
            text.push_str(&format!("{name}\n"));
        }
    }
    text
}

/// Breaks a line between words. A word that is too long stays whole: it may be a path to copy.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut current = String::new();
    for word in line.split(' ') {
        let with_word = current.chars().count() + 1 + word.chars().count();
        if !current.is_empty() && with_word > width {
            lines.push(std::mem::take(&mut current));
        } else if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(word);
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_a_column_and_texts_in_another() {
        let rows = [("a", "one"), ("long", "two\nthree"), ("b", "")];
        let rows = rows.map(|(name, about)| (name.to_owned(), about.to_owned()));
        assert_eq!(two_columns(&rows), "a     one\nlong  two\n      three\nb\n");
    }

    #[test]
    fn a_long_text_is_broken_between_words_within_the_width() {
        let rows = [("name".to_owned(), "word ".repeat(50).trim_end().to_owned())];
        let text = two_columns(&rows);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(text.matches("word").count(), 50);
        assert!(text.lines().skip(1).all(|line| line.starts_with("      word")));
    }

    #[test]
    fn a_word_that_is_too_long_stays_whole() {
        assert_eq!(wrap("ab abcdefgh cd", 4), ["ab", "abcdefgh", "cd"]);
    }
}
