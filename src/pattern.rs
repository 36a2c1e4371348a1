//! Patterns of names: which commands may run, where no list of names would do.

use std::ffi::OsStr;
use std::fmt;
use std::str::FromStr;

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, Look};

/// The longest pattern, in bytes. One that lists programs by name is shorter, and what a pattern
/// holds in memory before its size is known is bounded by this.
pub const LONGEST_PATTERN: usize = 1000;

/// What a compiled pattern may hold, in bytes, and what it may use besides while it matches. The
/// pattern `\w{1,9}` fits; `\w{1,999}`, which would take 50 MiB, does not.
const LARGEST_PATTERN: usize = 1024 * 1024;

/// A regular expression for the whole name of a command, in the language of the crate
/// [`regex`](https://docs.rs/regex/1/regex/#syntax): no look-around, no back-references, and a match
/// takes a time that is linear in the name.
///
/// ```
/// use cofferdam::Pattern;
///
/// let pattern: Pattern = r"python3(\.\d+)?".parse()?;
/// assert!(pattern.matches("python3.11".as_ref()));
/// assert!(!pattern.matches("/usr/bin/python3".as_ref()));
/// assert_eq!(pattern.to_string(), r"/python3(\.\d+)?/");
///
/// let error = "git(".parse::<Pattern>().unwrap_err();
/// assert_eq!(error.to_string(), "at character 4: unclosed group");
/// # Ok::<(), cofferdam::PatternError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Pattern {
    written: String,
    whole: Regex,
}

/// A text that is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// It is empty, and no command has an empty name.
    #[error("it is empty, and no command has an empty name")]
    Empty,
    /// It is too long.
    #[error("it has {length} bytes, and {most} are the most")]
    TooLong {
        /// Its length, in bytes.
        length: usize,
        /// The greatest length, in bytes.
        most: usize,
    },
    /// It breaks the rules of the language.
    #[error("at character {position}: {what}")]
    Syntax {
        /// The character at which the mistake is, from 1.
        position: usize,
        /// What is wrong there.
        what: String,
    },
    /// What it compiles to is too large.
    #[error(
        "it takes more than {most} bytes of memory; repeat less, or write `[a-z0-9]` for `\\w` and \
         `[0-9]` for `\\d`"
    )]
    TooLarge {
        /// The most that is allowed, in bytes.
        most: usize,
    },
}

impl Pattern {
    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Whether the whole of this name fits. A name that is not UTF-8 never does.
    pub fn matches(&self, name: &OsStr) -> bool {
        name.to_str().is_some_and(|name| self.whole.is_match(name))
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(written: &str) -> Result<Pattern, PatternError> {
        if written.is_empty() {
            return Err(PatternError::Empty);
        }
        if written.len() > LONGEST_PATTERN {
            let length = written.len();
            return Err(PatternError::TooLong { length, most: LONGEST_PATTERN });
        }
        let parsed = regex_syntax::parse(written).map_err(|error| syntax(written, &error))?;
        // Put around the meaning and not around the text: there an unbalanced parenthesis or a
        // comment would take part of what is added for its own.
        let whole = Hir::concat(vec![Hir::look(Look::Start), parsed, Hir::look(Look::End)]);
        let whole = RegexBuilder::new(&whole.to_string())
            .size_limit(LARGEST_PATTERN)
            .dfa_size_limit(LARGEST_PATTERN)
            .build()
            .map_err(|_| PatternError::TooLarge { most: LARGEST_PATTERN })?;
        Ok(Pattern { written: written.to_owned(), whole })
    }
}

fn syntax(written: &str, error: &regex_syntax::Error) -> PatternError {
    let (span, what) = match error {
        regex_syntax::Error::Parse(error) => (*error.span(), error.kind().to_string()),
        regex_syntax::Error::Translate(error) => (*error.span(), error.kind().to_string()),
        // There are no others; the enum may grow.
        other => return PatternError::Syntax { position: 1, what: other.to_string() },
    };
    let before = written.get(..span.start.offset).unwrap_or_default();
    PatternError::Syntax { position: before.chars().count() + 1, what }
}

/// As in a list of what is allowed: `/python3(\.\d+)?/`.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("/")?;
        for sign in self.written.chars() {
            match sign.is_control() {
                true => write!(f, "{}", sign.escape_debug())?,
                false => write!(f, "{sign}")?,
            }
        }
        f.write_str("/")
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for Pattern {}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        pattern.parse::<Pattern>().unwrap().matches(name.as_ref())
    }

    #[test]
    fn the_whole_name_must_fit() {
        for name in ["git", "gitk"] {
            assert!(matches("gitk?", name), "{name}");
            assert!(matches("git|gitk", name), "the longer branch counts as well: {name}");
        }
        for name in ["xgit", "git2", "git\n", "\ngit", " git", "/usr/bin/git", "GIT", ""] {
            assert!(!matches("gitk?", name), "{name:?}");
        }
        assert!(matches("^git$", "git"));
        assert!(matches("(?i)git", "GIT"));
        assert!(!matches("git.*", "git\nrm"), "a dot is no line end");
    }

    #[test]
    fn no_pattern_gets_out_of_its_frame() {
        assert!("a)|(?:b".parse::<Pattern>().is_err());
        assert!(matches("(?x) git # ours", "git"));
        assert!(!matches("(?x) git # ours", "gitk"));
        assert!(!matches("(?m)^git$", "git\nrm"));
        assert!(!matches("a|b", "ab"));
    }

    #[test]
    fn a_mistake_is_told_with_its_place_in_characters() {
        for (pattern, message) in [
            ("git(", "at character 4: unclosed group"),
            ("é[", "at character 2: unclosed character class"),
            ("*a", "at character 1: repetition operator missing expression"),
            (
                "a(?=b)",
                "at character 2: look-around, including look-ahead and look-behind, is not supported",
            ),
        ] {
            let error = pattern.parse::<Pattern>().unwrap_err();
            assert_eq!(error.to_string(), message, "{pattern}");
        }
        assert_eq!("".parse::<Pattern>(), Err(PatternError::Empty));
    }

    #[test]
    fn no_pattern_takes_much_memory() {
        for pattern in [r"\w{1,999}", "(?:(?:a{100}){100}){100}", &r"(\w|\d){9}".repeat(90)] {
            let error = pattern.parse::<Pattern>().unwrap_err();
            assert_eq!(error, PatternError::TooLarge { most: LARGEST_PATTERN }, "{pattern}");
        }
        let long = "a".repeat(LONGEST_PATTERN + 1);
        assert!(matches!(long.parse::<Pattern>(), Err(PatternError::TooLong { length: 1001, .. })));
        assert!(matches(r"\w{1,9}", "python3"));
    }

    #[test]
    fn a_name_that_is_not_text_fits_nothing() {
        let pattern: Pattern = "(?s).*".parse().unwrap();
        assert!(!pattern.matches(OsStr::from_bytes(b"caf\xe9")));
    }

    #[test]
    fn a_pattern_is_shown_on_one_line() {
        let pattern: Pattern = "a\n|\\d".parse().unwrap();
        assert_eq!(pattern.to_string().lines().count(), 1);
    }
}
