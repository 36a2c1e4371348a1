//! All denials of a run, from every source.

use std::collections::HashMap;

use super::Denial;

/// So many are told; of the others the number.
const MOST: usize = 16;

/// Collects what several sources know, in any order.
#[derive(Debug, Default)]
pub(super) struct Denials {
    found: Vec<Denial>,
    /// Where the denial of a thing stands in `found`.
    places: HashMap<(&'static str, String), usize>,
}

impl Denials {
    /// Adds what a source has found. Of several that are about one thing the surest stays, with
    /// whatever hint there is.
    pub(super) fn add(&mut self, denials: impl IntoIterator<Item = Denial>) {
        for denial in denials {
            let thing = (denial.what, denial.target.clone());
            match self.places.get(&thing) {
                None => {
                    self.places.insert(thing, self.found.len());
                    self.found.push(denial);
                }
                Some(&place) => {
                    let known = &mut self.found[place];
                    let (surer, other) = match denial.sure < known.sure {
                        true => (denial, known.clone()),
                        false => (known.clone(), denial),
                    };
                    *known = Denial { hint: surer.hint.clone().or(other.hint), ..surer };
                }
            }
        }
    }

    /// Those that are told, the surest first and otherwise as they came, and the number of the rest.
    /// A hint stands with the first of those that it helps with.
    pub(super) fn into_parts(mut self) -> (Vec<Denial>, usize) {
        self.found.sort_by_key(|denial| denial.sure);
        let more = self.found.len().saturating_sub(MOST);
        self.found.truncate(MOST);
        let mut said: Vec<String> = Vec::new();
        for denial in &mut self.found {
            denial.hint = denial.hint.take().filter(|hint| !said.contains(hint));
            said.extend(denial.hint.clone());
        }
        (self.found, more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Sure;

    fn denial(target: &str, sure: Sure) -> Denial {
        Denial::new("write", target, "filesystem.write", sure)
    }

    #[test]
    fn the_surest_come_first_and_one_thing_is_told_once() {
        let mut denials = Denials::default();
        denials.add([denial("/a", Sure::Text).hinted("h".to_owned()), denial("/b", Sure::Policy)]);
        denials.add([denial("/c", Sure::Syscall), denial("/a", Sure::Kernel)]);
        let (told, more) = denials.into_parts();
        let told: Vec<_> = told.iter().map(|d| (&*d.target, d.sure, d.hint.as_deref())).collect();
        let expected = [
            ("/a", Sure::Kernel, Some("h")),
            ("/c", Sure::Syscall, None),
            ("/b", Sure::Policy, None),
        ];
        assert_eq!((told, more), (expected.to_vec(), 0));
    }

    #[test]
    fn beyond_sixteen_only_the_number_is_told() {
        let mut denials = Denials::default();
        for number in 0..1000 {
            denials.add([denial(&format!("/{number}"), Sure::Text).hinted("same".to_owned())]);
        }
        let (told, more) = denials.into_parts();
        assert_eq!((told.len(), more), (16, 984));
        assert_eq!(told.iter().filter(|denial| denial.hint.is_some()).count(), 1);
    }
}
