//! The valid word that a mistyped one was probably meant to be.

/// How much of two words must agree before one is suggested for the other, from 0 to 1. `timeut` and
/// `timeout` have 0.86 in common, `time` and `timeout` 0.57; `nice` and `none` have 0.5, and they are
/// two words.
const ALIKE: f64 = 0.55;

/// The word of `valid` that is most like `written`, or `None` when none is like it.
pub(crate) fn nearest(written: &str, valid: &[&'static str]) -> Option<&'static str> {
    /// Twice as long as any word; to compare takes as long as both words multiplied.
    const LONGEST: usize = 64;
    if written.len() > LONGEST {
        return None;
    }
    // People write `max_jobs`, `maxJobs` and `Timeout`: the same letters, another style.
    let letters = letters(written);
    valid
        .iter()
        .map(|word| {
            let alike = strsim::normalized_damerau_levenshtein(&letters, &self::letters(word));
            (alike, *word)
        })
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(_, word)| word)
}

fn letters(word: &str) -> String {
    word.chars()
        .filter(|letter| !matches!(letter, '-' | '_'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 5] = ["timeout", "max-timeout", "max-jobs", "cwd", "allow-any"];

    #[test]
    fn slips_of_the_finger_and_other_styles_find_their_word() {
        for (written, meant) in [
            ("timeut", "timeout"),
            ("Timeout", "timeout"),
            ("max_jobs", "max-jobs"),
            ("maxJobs", "max-jobs"),
            ("alow-any", "allow-any"),
            ("max-time-out", "max-timeout"),
            ("time", "timeout"),
        ] {
            assert_eq!(nearest(written, &WORDS), Some(meant), "{written}");
        }
    }

    #[test]
    fn words_that_are_like_nothing_get_no_suggestion() {
        assert_eq!(nearest(&"timeout".repeat(1024 * 1024), &WORDS), None);
        for written in ["", "color", "x", "instructions", "jobs-max"] {
            assert_eq!(nearest(written, &WORDS), None, "{written}");
        }
    }
}
