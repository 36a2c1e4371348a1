//! How text looks on a terminal: colours and width. Anywhere else it has neither.

use std::env;
use std::io::stdout;

use rustix::termios::{isatty, tcgetwinsize};

use super::table::WIDTH;

/// How standard output takes text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    has_colours: bool,
    /// Characters in a line.
    pub(super) width: usize,
}

/// A colour, as what it says.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tone {
    Good,
    Bad,
}

impl Style {
    /// Of standard output as it is. `NO_COLOR` with any value turns colours off (no-color.org), and so
    /// does a terminal that has none.
    pub(super) fn of_stdout() -> Self {
        let is_terminal = isatty(stdout());
        let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = env::var_os("TERM").is_none_or(|term| term == "dumb");
        let columns = tcgetwinsize(stdout()).map_or(0, |size| usize::from(size.ws_col));
        let width = if is_terminal && columns > 0 { columns.clamp(40, WIDTH) } else { WIDTH };
        Style { has_colours: is_terminal && !is_set("NO_COLOR") && !is_dumb, width }
    }

    /// A word in a colour.
    pub(super) fn tinted(self, word: &str, tone: Tone) -> String {
        let code = match tone {
            Tone::Good => 32,
            Tone::Bad => 31,
        };
        match self.has_colours {
            true => format!("\u{1b}[1;{code}m{word}\u{1b}[0m"),
            false => word.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colours_a_word_stays_a_word() {
        let style = Style { has_colours: false, width: WIDTH };
        assert_eq!(style.tinted("refused", Tone::Bad), "refused");
        let style = Style { has_colours: true, ..style };
        assert_eq!(style.tinted("allowed", Tone::Good), "\u{1b}[1;32mallowed\u{1b}[0m");
    }
}
