//! The part of the output that is looked at.

use crate::captured::Captured;

/// How much is read of standard error from the beginning: the first error is often the cause of all
/// others.
const FIRST: usize = 4 * 1024;
/// From the end: what made the program give up.
const LAST: usize = 8 * 1024;
/// From the end of standard output, where tools with output of their own tell what others said.
const LAST_OUT: usize = 4 * 1024;
/// So much of a line, in characters. An error of the system's has a path, and the longest has 4096
/// bytes; one like that is not for people.
const MOST_OF_A_LINE: usize = 1024;

/// What a command has written, within bounds.
#[derive(Debug)]
pub(crate) struct Written {
    stdout: Vec<u8>,
    stderr: [Vec<u8>; 2],
}

impl Written {
    pub(crate) fn of(captured: &Captured) -> Self {
        let buffers = captured.lock();
        let (whole, last) = buffers.stdout.edges(0, LAST_OUT);
        let stdout = if last.is_empty() { whole } else { last };
        let (first, last) = buffers.stderr.edges(FIRST, LAST);
        Written { stdout, stderr: [first, last] }
    }

    pub(super) fn stderr(&self) -> Vec<String> {
        let [first, last] = &self.stderr;
        let mut lines = lines(first, Cut { front: false, back: !last.is_empty() });
        lines.extend(self::lines(last, Cut { front: true, back: false }));
        lines
    }

    pub(super) fn stdout(&self) -> Vec<String> {
        lines(&self.stdout, Cut { front: self.stdout.len() >= LAST_OUT, back: false })
    }
}

/// Where a text may have been cut within a line: half a line could name another path than was written.
#[derive(Clone, Copy)]
struct Cut {
    front: bool,
    back: bool,
}

/// The whole lines, without terminal escapes.
fn lines(bytes: &[u8], cut: Cut) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let text = crate::compress::without_escapes(&text);
    let mut lines: Vec<&str> = text.split(['\n', '\r']).collect();
    if cut.back {
        lines.pop();
    }
    let rest = lines.iter().skip(usize::from(cut.front)).filter(|line| !line.trim().is_empty());
    rest.map(|line| line.chars().take(MOST_OF_A_LINE).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_is_no_line() {
        let cut = |front, back| lines(b"/half\nwhole\r\nhalf/", Cut { front, back });
        assert_eq!(cut(true, true), ["whole"]);
        assert_eq!(cut(false, false), ["/half", "whole", "half/"]);
    }

    #[test]
    fn escapes_are_taken_out_before_anything_is_read() {
        let text = b"\x1b[31mtouch: \x1b[1m/etc/x\x1b[0m: Permission denied\x1b[0m\n";
        let cut = Cut { front: false, back: false };
        assert_eq!(lines(text, cut), ["touch: /etc/x: Permission denied"]);
    }
}
