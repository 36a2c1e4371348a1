//! A whole number within a range: `max-output-bytes`, `max-jobs` and their kind.

use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Written;

/// The range of a setting that is a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limit {
    /// The value where none is written.
    pub default: usize,
    /// The floor: what is below is a mistake.
    pub least: usize,
    /// The ceiling: what is above is a mistake.
    pub most: usize,
    /// What the number counts, for messages.
    pub what: &'static str,
}

impl Limit {
    /// The number that was written, if it lies within the range.
    pub(crate) fn check(&self, written: Written<i128>, mistakes: &mut Mistakes) -> Option<usize> {
        written.check(
            || self.default,
            mistakes,
            |number| match usize::try_from(*number) {
                Ok(number) if (self.least..=self.most).contains(&number) => Ok(number),
                _ => Err(Problem::must(format!(
                    "{} from {} to {}",
                    self.what, self.least, self.most
                ))),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::config::defaults::{MAX_JOBS, MAX_OUTPUT_BYTES};
    use crate::config::place::{Place, Placed};

    use super::*;

    fn check(limit: Limit, number: i128) -> Result<usize, Vec<String>> {
        let mut mistakes = Mistakes::default();
        let placed = Placed::value(Place::root().key("n"), number);
        limit.check(Written::Given(placed), &mut mistakes).ok_or(mistakes.lines())
    }

    #[test]
    fn both_ends_of_the_range_are_inside() {
        assert_eq!(check(MAX_OUTPUT_BYTES, 1024), Ok(1024));
        assert_eq!(check(MAX_OUTPUT_BYTES, 67_108_864), Ok(67_108_864));
        assert_eq!(check(MAX_JOBS, 1), Ok(1));
    }

    #[test]
    fn what_is_outside_is_refused_with_the_range() {
        for number in [i128::MIN, -1, 0, 1023, 67_108_865, i128::MAX] {
            assert_eq!(
                check(MAX_OUTPUT_BYTES, number),
                Err(vec![format!(
                    "n = {number}: must be a whole number of bytes from 1024 to 67108864"
                )])
            );
        }
    }

    #[test]
    fn nothing_written_is_the_default() {
        let mut mistakes = Mistakes::default();
        assert_eq!(MAX_JOBS.check(Written::Absent, &mut mistakes), Some(8));
        assert_eq!(MAX_JOBS.check(Written::Unreadable, &mut mistakes), None, "noted before");
    }
}
