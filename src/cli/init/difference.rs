//! What would change in a file: the lines that go, and those that come.

use super::paint::Paint;

/// The changed lines, one a line, with `-` or `+` in front. One entry is what changes, so the lines
/// before and after it are left out.
pub(super) fn difference(old: &str, new: &str, paint: Paint) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
        pairs.take_while(|(before, after)| before == after).count()
    };
    let head = same(&mut old.iter().zip(&new));
    let (old, new) = (&old[head..], &new[head..]);
    let tail = same(&mut old.iter().rev().zip(new.iter().rev()));
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let gone = old.iter().map(|line| paint.red(&format!("- {}", visible(line))));
    let come = new.iter().map(|line| paint.green(&format!("+ {}", visible(line))));
    gone.chain(come).map(|line| line + "\n").collect()
}

/// A line without signs that a terminal would obey: the file may be somebody else's.
fn visible(line: &str) -> String {
    let shown = |sign: char| match sign.is_control() && sign != '\t' {
        true => sign.escape_default().to_string(),
        false => sign.to_string(),
    };
    line.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_change_are_shown() {
        let shown = difference("a\nb\nc\nd\n", "a\nx\ny\nd\n", Paint::PLAIN);
        assert_eq!(shown, "- b\n- c\n+ x\n+ y\n");
        assert_eq!(difference("a\nb\n", "a\nb\nb\n", Paint::PLAIN), "+ b\n");
        assert_eq!(difference("a\n", "a\n", Paint::PLAIN), "");
    }

    #[test]
    fn no_sign_reaches_the_terminal_that_it_would_obey() {
        assert_eq!(difference("\u{1b}[2J\n", "", Paint::PLAIN), "- \\u{1b}[2J\n");
    }
}
