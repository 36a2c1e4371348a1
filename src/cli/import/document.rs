//! A configuration in TOML, with comments.

use std::fmt;

/// The widest line of a comment, in characters.
const WIDTH: usize = 96;

/// A configuration with one tool instance, line by line.
#[derive(Debug)]
pub(super) struct Document {
    text: String,
}

impl Document {
    /// The beginning: what this is, and what the server is called.
    pub(super) fn new(name: &str, about: &str) -> Self {
        let mut document = Document { text: String::new() };
        document.comment(about);
        document.line(&format!("name = {}", text(name)));
        document.line("");
        document.line("[tools.Shell]");
        document
    }

    /// Says something about what follows.
    pub(super) fn comment(&mut self, words: &str) {
        let mut line = "#".to_owned();
        for word in words.split_whitespace() {
            if line.chars().count() + 1 + word.chars().count() > WIDTH && line != "#" {
                self.line(&line);
                line = "#".to_owned();
            }
            line.push(' ');
            line.extend(word.chars().filter(|sign| !sign.is_control()));
        }
        self.line(&line);
    }

    /// A key and its value.
    pub(super) fn set(&mut self, key: &str, value: impl Into<toml::Value>) {
        self.line(&format!("{key} = {}", value.into()));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn text(value: &str) -> toml::Value {
    toml::Value::from(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_value_or_a_comment_breaks_out_of_its_place() {
        let mut document = Document::new("a\"\nb", "Ours.");
        document.comment("one\ntwo = 3 \u{7f}\u{1b}[2J");
        document.set("allow", vec!["a\"b", "c\nd", "\u{7f}", "\\"]);
        document.set("cwd", "é'''\"\"\"");
        let read: toml::Table = document.to_string().parse().unwrap();
        assert_eq!(read["name"].as_str(), Some("a\"\nb"));
        let shell = read["tools"]["Shell"].as_table().unwrap();
        assert_eq!(shell.keys().collect::<Vec<_>>(), ["allow", "cwd"]);
        let entry = |index: usize| shell["allow"][index].as_str().unwrap();
        assert_eq!([entry(0), entry(1), entry(2), entry(3)], ["a\"b", "c\nd", "\u{7f}", "\\"]);
        assert_eq!(shell["cwd"].as_str(), Some("é'''\"\"\""));
    }

    #[test]
    fn a_comment_is_wrapped() {
        let mut document = Document::new("x", "x");
        document.comment(&"word ".repeat(60));
        assert!(document.to_string().lines().all(|line| line.chars().count() <= WIDTH));
    }
}
