//! The names in a line: what an error may be about.

/// So many names of a line are looked at: programs name one or two.
const MOST: usize = 6;
/// What opens and closes a quotation.
const QUOTES: &[(char, &[char])] =
    &[('\'', &['\'']), ('"', &['"']), ('`', &['`', '\'']), ('‘', &['’']), ('“', &['”'])];

/// A name that stands in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    /// Whether it can only be a name: quoted, or with a slash. A bare word may be anything.
    pub(super) is_sure: bool,
}

/// The names of a line. Those in quotes, where there are some; else the parts between colons, and words
/// with a slash.
pub(super) fn of(line: &str) -> Vec<Name> {
    let mut names = quoted(line);
    if names.is_empty() {
        names = plain(line);
    }
    names.retain(|name| is_path(&name.text));
    let mut known: Vec<Name> = Vec::new();
    for name in names {
        if known.len() < MOST && !known.iter().any(|other| other.text == name.text) {
            known.push(name);
        }
    }
    known
}

/// What stands in quotes. An apostrophe within a word opens nothing.
fn quoted(line: &str) -> Vec<Name> {
    let mut names = Vec::new();
    let mut rest = line;
    let mut before = ' ';
    while let Some(sign) = rest.chars().next() {
        let behind = &rest[sign.len_utf8()..];
        let closing = QUOTES.iter().find(|(open, _)| *open == sign && !before.is_alphanumeric());
        let end = closing.and_then(|(_, close)| behind.find(*close).map(|end| (end, close)));
        if let Some((end, _)) = end
            && end > 0
        {
            names.push(Name { text: behind[..end].to_owned(), is_sure: true });
            rest = &behind[end..];
            before = '"';
            rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
            continue;
        }
        before = sign;
        rest = behind;
    }
    names
}

/// The parts between colons, and the words with a slash within those that are sentences.
fn plain(line: &str) -> Vec<Name> {
    let mut names = Vec::new();
    for part in line.split(": ").map(|part| part.trim().trim_end_matches(':')) {
        let is_sentence = part.contains(char::is_whitespace);
        if part.starts_with('/') || !is_sentence {
            // With a space in it, it may be a name or begin a sentence.
            names.push(Name { is_sure: part.contains('/') && !is_sentence, text: part.to_owned() });
        }
        if is_sentence {
            let words = part.split_whitespace().map(trimmed);
            let paths = words.filter(|word| word.contains('/'));
            names.extend(paths.map(|word| Name { text: word.to_owned(), is_sure: true }));
        }
    }
    names
}

/// A word without what writers put around it: brackets, a comma, `key=`.
fn trimmed(word: &str) -> &str {
    let word = word.trim_matches(|sign| "()[]{}<>,;\"'`".contains(sign));
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    match word.split_once('=') {
        Some((_, value)) if value.starts_with('/') => value,
        _ => word,
    }
}

/// Whether a name can be one of a file.
fn is_path(text: &str) -> bool {
    let text = text.strip_prefix("unix://").unwrap_or(text);
    !text.is_empty()
        && text != "/"
        && !text.contains("://")
        && !text.contains('\0')
        && text.len() <= 4096
}

impl Name {
    /// The path, without the scheme of a socket.
    pub(super) fn path(&self) -> &str {
        self.text.strip_prefix("unix://").unwrap_or(&self.text)
    }

    /// Whether it is written as the address of a socket.
    pub(super) fn is_socket(&self) -> bool {
        self.text.starts_with("unix://") || self.text.ends_with(".sock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_programs_write_them() {
        for (line, expected) in [
            ("touch: cannot touch '/etc/x': Permission denied", &["/etc/x"][..]),
            ("mkdir: cannot create directory ‘/a b’: x", &["/a b"]),
            ("mv: cannot move 'a' to '/etc/a': x", &["a", "/etc/a"]),
            ("cat: /etc/x: Permission denied", &["/etc/x"]),
            ("error: could not lock config file .git/config: x", &[".git/config"]),
            ("sh: 1: cannot create /etc/x: x", &["/etc/x"]),
            ("Error: EACCES: permission denied, open '/x/y'", &["/x/y"]),
            ("PermissionError: [Errno 13] Permission denied: '/x'", &["/x"]),
            ("can't open file \"/x\" (it's /y)", &["/x"]),
            ("E: lock file /var/lib/x - open (13: y)", &["/var/lib/x"]),
            ("GET https://example.org/a - Not found", &[]),
            ("at unix:///run/docker.sock. Is it up?", &["unix:///run/docker.sock"]),
            ("cp --target=/srv/x, y", &["/srv/x"]),
        ] {
            let sure = of(line).into_iter().filter(|name| name.is_sure);
            let names: Vec<_> = sure.map(|name| name.text).collect();
            assert_eq!(names, expected, "{line}");
        }
        let bare = |line| of(line).into_iter().map(|name| name.text).collect::<Vec<_>>();
        assert_eq!(bare("cat: f: Permission denied"), ["cat", "f"]);
    }

    #[test]
    fn a_line_full_of_quotes_is_read_once() {
        let line = "'".repeat(1024) + &"'a".repeat(512);
        assert!(of(&line).len() <= MOST);
    }
}
