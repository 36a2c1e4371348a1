//! The profiles that are part of the program.

/// A profile that is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Its name.
    pub name: &'static str,
    /// Its `description`.
    pub description: &'static str,
    /// Its whole text, comments too: to read, and to copy.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../shipped/", $name, ".toml")))),*]
    };
}

/// Names and texts: first the profiles, then the fragments.
const SHIPPED: [(&str, &str); 10] = shipped![
    "workspace" "read-only" "build" "online" "strict"
    "base" "net" "ssh-agent" "git-config" "gpu"
];

/// Those that are there to be added.
const FRAGMENTS: [&str; 4] = ["net", "ssh-agent", "git-config", "gpu"];

/// The shipped profiles: first those to run with, then the fragments that others extend.
pub fn shipped() -> impl Iterator<Item = Shipped> {
    SHIPPED.iter().map(|(name, text)| Shipped { name, description: description(text), text })
}

/// The shipped fragments, which are added to a profile and do not serve alone.
pub fn fragments() -> impl Iterator<Item = Shipped> {
    shipped().filter(|profile| FRAGMENTS.contains(&profile.name))
}

/// The text of a shipped profile.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|(shipped, _)| *shipped == name).map(|(_, text)| *text)
}

/// The value of `description`, which every shipped profile has on a line of its own.
fn description(text: &'static str) -> &'static str {
    text.lines()
        .find_map(|line| line.strip_prefix("description = \"")?.strip_suffix('"'))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_profile_has_a_description_and_opens_with_its_schema_and_a_comment() {
        for profile in shipped() {
            let opening = "#:schema ../profile.schema.json\n# For ";
            assert!(!profile.description.is_empty(), "{}", profile.name);
            assert!(!profile.description.contains('\\'), "{}", profile.name);
            assert!(profile.text.starts_with(opening), "{}", profile.name);
            let is_fragment = profile.text.contains("a fragment\n# to add")
                || profile.text.contains("a fragment to add")
                || profile.text.contains("a\n# fragment to add");
            assert_eq!(is_fragment, FRAGMENTS.contains(&profile.name), "{}", profile.name);
        }
    }
}
