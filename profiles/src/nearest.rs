//! The known word that a misspelt one most likely means.

/// Below this likeness (Jaro-Winkler, 0 to 1) a suggestion would puzzle more than it helps:
/// `wrte` and `write` have 0.95, `colour` and `description` 0.5.
const LIKENESS: f64 = 0.75;

/// The candidate most like `word`, if one is like it at all.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_word_finds_its_neighbour() {
        assert_eq!(nearest("wrte", ["read", "write", "deny"]), Some("write"));
        assert_eq!(nearest("mod", ["mode", "unix-sockets"]), Some("mode"));
    }

    #[test]
    fn a_strange_word_has_no_neighbour() {
        assert_eq!(nearest("colour", ["read", "write", "description"]), None);
    }
}
