//! One filter: which lines of which program are progress, which are chatter, and which stay.

use std::sync::{Arc, LazyLock};

use regex::bytes::{RegexSet, RegexSetBuilder};
use serde::Deserialize;

/// A file of filters, as it is written.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct WrittenFilters {
    /// Base names, without a version.
    pub(super) programs: Vec<String>,
    /// Options in front of the subcommand whose value is the next word.
    #[serde(default)]
    pub(super) options_with_value: Vec<String>,
    /// The first that fits is used.
    #[serde(rename = "filter")]
    pub(super) filters: Vec<WrittenFilter>,
}

/// One filter, as it is written.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct WrittenFilter {
    /// Without it: whatever subcommand there is, or none.
    pub(super) subcommands: Option<Vec<String>>,
    /// Whether the output is data, of which nothing is changed.
    #[serde(default)]
    pub(super) exact: bool,
    /// Lines that are dropped always.
    #[serde(default)]
    pub(super) progress: Vec<String>,
    /// Lines that are dropped after a success.
    #[serde(default)]
    pub(super) chatter: Vec<String>,
    /// Lines that stay, whatever the others say.
    #[serde(default)]
    pub(super) keep: Vec<String>,
}

/// The filters of some programs, ready to be used.
#[derive(Debug)]
pub(super) struct Programs {
    pub(super) programs: Vec<String>,
    pub(super) options_with_value: Vec<String>,
    pub(super) filters: Vec<Arc<Filter>>,
}

/// A filter, ready to be used.
#[derive(Debug)]
pub(super) struct Filter {
    pub(super) subcommands: Option<Vec<String>>,
    /// Whether the output is data, of which nothing is changed.
    pub(super) exact: bool,
    progress: RegexSet,
    chatter: RegexSet,
    keep: RegexSet,
}

/// What stays under every filter: signs of trouble, and the marker where a capture was cut.
const ALWAYS: &[&str] = &[
    r"(?i)\b(error|warn|warning|fatal|fail|failed|failure|failing|panic|panicked|exception)(s|ed)?\b",
    r"(?i)\b(traceback|denied|refused|rejected|cannot|conflict|abort|aborted|killed|unresolved)\b",
    r"(?i)\bnot found\b|\btimed out\b|\bno such\b",
    r"^\[\.\.\. .* \.\.\.\]$",
];

static KEEP_ALWAYS: LazyLock<RegexSet> =
    LazyLock::new(|| set(ALWAYS).expect("the embedded patterns are read by a test"));

/// Whether a line stays under every filter.
pub(super) fn is_kept_always(line: &str) -> bool {
    KEEP_ALWAYS.is_match(line.as_bytes())
}

/// A pattern that is no regular expression.
#[derive(Debug)]
pub(super) struct PatternError {
    pub(super) pattern: String,
    pub(super) problem: String,
}

/// Patterns in the ASCII sense of classes: what is matched are lines of programs, not of prose.
fn set(patterns: &[impl AsRef<str>]) -> Result<RegexSet, PatternError> {
    let build = |patterns: &[&str]| RegexSetBuilder::new(patterns).unicode(false).build();
    let patterns: Vec<&str> = patterns.iter().map(AsRef::as_ref).collect();
    build(&patterns).map_err(|error| {
        let wrong = patterns.iter().find(|pattern| build(&[**pattern]).is_err());
        // The parser draws the place over several lines, and ends with what is wrong.
        let text = error.to_string();
        let problem = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
        PatternError {
            pattern: wrong.copied().unwrap_or("all together").to_owned(),
            problem: problem.to_owned(),
        }
    })
}

impl Programs {
    /// Compiles the patterns of a file.
    pub(super) fn compile(written: WrittenFilters) -> Result<Self, PatternError> {
        let filters = written.filters.into_iter().map(Filter::compile).collect::<Result<_, _>>()?;
        Ok(Programs {
            programs: written.programs,
            options_with_value: written.options_with_value,
            filters,
        })
    }
}

impl Filter {
    fn compile(written: WrittenFilter) -> Result<Arc<Self>, PatternError> {
        let filter = Filter {
            subcommands: written.subcommands,
            exact: written.exact,
            progress: set(&written.progress)?,
            chatter: set(&written.chatter)?,
            keep: set(&written.keep)?,
        };
        Ok(filter.into())
    }

    /// Whether this line must stay.
    pub(super) fn keeps(&self, line: &str) -> bool {
        is_kept_always(line) || self.keep.is_match(line.as_bytes())
    }

    /// Whether this line goes, after a success or a failure.
    pub(super) fn drops(&self, line: &str, succeeded: bool) -> bool {
        let is_noise = self.progress.is_match(line.as_bytes())
            || (succeeded && self.chatter.is_match(line.as_bytes()));
        is_noise && !self.keeps(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_trouble_stay_and_names_that_only_hold_one_do_not_count() {
        for line in [
            "error: x",
            "2 warnings emitted",
            "CMake Error at",
            "E   ValueError: boom: error",
            "make: *** [x] Error 1",
            "thread 'main' panicked at",
            "Permission denied",
            "[... 12 bytes / 3 lines dropped ...]",
        ] {
            assert!(is_kept_always(line), "{line}");
        }
        assert!(!is_kept_always("   Compiling thiserror v2.0.1"));
        assert!(!is_kept_always(" 10% done"));
    }
}
