//! Colour, where a person sees it.

use std::io::{IsTerminal, stdout};

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paint {
    colours: bool,
}

impl Paint {
    /// No colour.
    #[cfg(test)]
    pub(super) const PLAIN: Paint = Paint { colours: false };

    /// Colour if standard output is a terminal and nobody objects (<https://no-color.org>).
    pub(super) fn of_stdout() -> Self {
        let objected = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Paint { colours: stdout().is_terminal() && !objected }
    }

    pub(super) fn red(self, text: &str) -> String {
        self.coloured("31", text)
    }

    pub(super) fn green(self, text: &str) -> String {
        self.coloured("32", text)
    }

    fn coloured(self, code: &str, text: &str) -> String {
        match self.colours {
            true => format!("\u{1b}[{code}m{text}\u{1b}[m"),
            false => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_ends_where_the_text_does() {
        assert_eq!(Paint { colours: true }.red("x"), "\u{1b}[31mx\u{1b}[m");
        assert_eq!(Paint::PLAIN.red("x"), "x");
    }
}
