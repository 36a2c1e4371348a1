//! `allow-patterns`: what may run, by regular expressions.

use crate::Pattern;
use crate::config::mistake::{Mistakes, Problem};
use crate::config::place::Placed;

/// How many patterns there may be. Each may take [2 MiB](crate::Pattern) once it has been used.
const MOST: usize = 64;

/// Compiles every pattern of a list.
pub(crate) fn patterns(
    list: Placed<Vec<Placed<String>>>,
    mistakes: &mut Mistakes,
) -> Option<Vec<Pattern>> {
    if list.value.is_empty() || list.value.len() > MOST {
        let must = format!("a list of 1 to {MOST} regular expressions");
        list.wrong(Problem::must(must), mistakes);
        return None;
    }
    let compiled: Vec<_> = list
        .value
        .into_iter()
        .map(|item| match item.value.parse() {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                item.wrong(Problem::Pattern(error), mistakes);
                None
            }
        })
        .collect();
    compiled.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use crate::config::check::check_json;

    #[test]
    fn every_mistake_is_told_with_its_key_its_value_and_its_place() {
        let lines = check_json(r#"{"allow-patterns": ["git(", "rg", "", "a{2,1}"]}"#).unwrap_err();
        assert_eq!(
            lines,
            [
                r#"allow-patterns[0] = "git(": is no usable regular expression: at character 4: unclosed group"#,
                r#"allow-patterns[2] = "": is no usable regular expression: it is empty, and no command has an empty name"#,
                r#"allow-patterns[3] = "a{2,1}": is no usable regular expression: at character 2: invalid repetition count range, the start must be <= the end"#,
            ]
        );
    }

    #[test]
    fn no_pattern_and_too_many_are_mistakes() {
        let many = vec!["a"; super::MOST + 1];
        for list in [serde_json::json!([]), serde_json::json!(many)] {
            let lines =
                check_json(&serde_json::json!({ "allow-patterns": list }).to_string()).unwrap_err();
            assert!(lines[0].ends_with("must be a list of 1 to 64 regular expressions"));
        }
    }
}
