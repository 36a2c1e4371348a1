//! The last line that a run wrote, for people who wait.

use std::sync::Arc;

use crate::capture::Cursor;
use crate::captured::Captured;

/// What fits on a line of a client's screen.
const MOST_CHARACTERS: usize = 120;

/// Looks at what a run writes, and remembers how far it has looked.
#[derive(Debug)]
pub(super) struct LastLine {
    captured: Arc<Captured>,
    cursor: Cursor,
}

impl LastLine {
    pub(super) fn new(captured: Arc<Captured>) -> Self {
        LastLine { captured, cursor: Cursor::START }
    }

    /// The last line since the last time, if there is one: of standard error, where programs tell
    /// of their progress, or else of standard output.
    pub(super) fn take(&mut self) -> Option<String> {
        let window = self.captured.since(self.cursor).ok()?;
        self.cursor = window.next();
        last(&window.stderr.text).or_else(|| last(&window.stdout.text))
    }
}

/// The last line that shows something. A carriage return begins one: progress bars use it to write
/// over themselves. Control characters are left out, a client may show this on a terminal.
fn last(text: &str) -> Option<String> {
    let lines = text.rsplit(['\n', '\r']).map(|line| {
        line.chars().filter(|sign| !sign.is_control()).take(MOST_CHARACTERS).collect::<String>()
    });
    lines.map(|line| line.trim().to_owned()).find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Caps;
    use crate::captured::Channel;

    #[test]
    fn a_progress_bar_is_its_last_state_without_what_would_move_a_cursor() {
        assert_eq!(last("\r12%\r\u{1b}13%\r\n").as_deref(), Some("13%"));
        assert_eq!(last("one\ntwo\n\n  \n").as_deref(), Some("two"));
        assert_eq!(last("\n\r\n"), None);
        assert_eq!(last(&"é".repeat(1000)).unwrap().chars().count(), MOST_CHARACTERS);
    }

    #[test]
    fn a_line_is_told_once() {
        let captured = Arc::new(Captured::new(Caps::default()));
        let mut lines = LastLine::new(captured.clone());
        assert_eq!(lines.take(), None);
        captured.push(Channel::Stdout, b"built\n");
        captured.push(Channel::Stderr, b"warning\n");
        assert_eq!(lines.take().as_deref(), Some("warning"));
        assert_eq!(lines.take(), None);
        captured.push(Channel::Stdout, b"done\n");
        assert_eq!(lines.take().as_deref(), Some("done"));
    }
}
