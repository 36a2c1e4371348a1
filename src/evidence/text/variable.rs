//! A variable that a program misses.

use cofferdam_profiles::Question;

use crate::evidence::Scene;

/// A shorter name is more likely a word.
const SHORTEST: usize = 3;

/// The variables in a line that the host has and the policy does not pass on. That the host has one of
/// that name is told; its value is not. One that it does not have would be missed anywhere.
pub(super) fn withheld(line: &str, scene: &Scene) -> Vec<Question> {
    names(line)
        .filter(|name| std::env::var_os(name).is_some())
        .map(|name| Question::Variable(name.to_owned()))
        .filter(|question| scene.refused(question).is_some())
        .collect()
}

/// The words that are written as names of variables are.
fn names(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_';
    let words = line.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
    words.filter(move |word| {
        word.len() >= SHORTEST
            && word.chars().all(is_part)
            && !word.starts_with(|sign: char| sign.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_capitals_make_a_variable() {
        let found: Vec<_> =
            names("KeyError: 'API_KEY' (Not set), see X1 9Z and HTTP2_URL").collect();
        assert_eq!(found, ["API_KEY", "HTTP2_URL"]);
    }
}
