//! What would allow something, and what else that opens.

use std::path::Path;

use crate::{Access, Origin, Policy, Rule, Shipped, shipped};

/// A change that would allow what was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// On the command line: `--write /srv/data`. `None` where no option does it.
    pub option: Option<String>,
    /// In a profile, as a line of TOML with the key in full: `filesystem.write = ["/srv/data"]`.
    pub profile: Option<String>,
    /// What it opens, as a part of a sentence.
    pub opens: String,
}

/// What a run that may read can do with it.
const READS: &str = "can read it and tell it to whoever sees the output";

impl Change {
    /// Opens a path for reading.
    pub(super) fn read(path: &Path) -> Change {
        Change {
            option: Some(format!("--read {}", shell_word(path))),
            profile: Some(format!("filesystem.read = [{}]", quoted(path))),
            opens: format!("a run, and every program that it starts, {READS}"),
        }
    }

    /// Opens a path for writing.
    pub(super) fn write(path: &Path) -> Change {
        Change {
            option: Some(format!("--write {}", shell_word(path))),
            profile: Some(format!("filesystem.write = [{}]", quoted(path))),
            opens: "a run can read, change and remove what is there, for good; programs outside \
                    that use it then use what the run has left"
                .to_owned(),
        }
    }

    /// Takes everything back that hides or protects a rule's path.
    pub(super) fn without(policy: &Policy, rule: &Rule) -> Change {
        let is_same = |other: &&Rule| other.path == rule.path && other.access == rule.access;
        let all: Vec<&Rule> =
            [rule].into_iter().chain(policy.filesystem.repeated.iter().filter(is_same)).collect();
        let entries: Vec<_> = all
            .iter()
            .filter_map(|rule| rule.origin.text.as_ref())
            .map(|text| format!("!{text}"))
            .collect();
        let options: Vec<_> = all
            .iter()
            .filter(|rule| rule.origin.text.is_none())
            .map(|rule| format!("leave out {} {}", rule.origin, shell_word(&rule.written)))
            .collect();
        let key = rule.access.as_str();
        let opens = match rule.access {
            Access::Protect => {
                "what a run leaves there can start programs later, outside of the sandbox"
            }
            _ => "what is hidden there can be read, and told to whoever sees the output",
        };
        Change {
            option: (!options.is_empty()).then(|| options.join(" and ")),
            profile: (!entries.is_empty()).then(|| format!("filesystem.{key} = {entries:?}")),
            opens: opens.to_owned(),
        }
    }

    /// Adds the shipped fragment that takes this entry back, where there is one.
    pub(super) fn fragment_without(policy: &Policy, origin: &Origin) -> Option<Change> {
        let removal = format!("{:?}", format!("!{}", origin.text.as_deref()?));
        // Removals stand on lines of their own in what is shipped.
        let fragment = shipped().find(|shipped| {
            shipped.text.lines().any(|line| line.trim().trim_end_matches(',') == removal)
        })?;
        Some(Change::fragment(policy, fragment))
    }

    /// Adds a shipped fragment to the profile in use.
    pub fn fragment(policy: &Policy, fragment: Shipped) -> Change {
        let all: Vec<_> = policy.name.split('+').chain([fragment.name]).collect();
        let options: Vec<_> = all.iter().map(|name| format!("--profile {name}")).collect();
        Change {
            option: Some(options.join(" ")),
            profile: Some(format!("extends = {all:?}")),
            opens: lower_first(fragment.description.trim_end_matches('.')),
        }
    }

    /// Switches the network on.
    pub(super) fn network() -> Change {
        Change {
            option: Some("--net".to_owned()),
            profile: Some("network.mode = \"on\"".to_owned()),
            opens: "a run can reach whatever this machine reaches, and send away whatever it can \
                    read"
                .to_owned(),
        }
    }

    /// Opens a Unix socket.
    pub(super) fn socket(path: &Path) -> Change {
        Change {
            option: Some(format!("--socket {}", shell_word(path))),
            profile: Some(format!("network.unix-sockets = [{}]", quoted(path))),
            opens: "a run can ask of whatever listens there all that it does for this user"
                .to_owned(),
        }
    }

    /// Passes a variable on.
    pub(super) fn variable(name: &str) -> Change {
        Change {
            option: Some(format!("--env {name}")),
            profile: Some(format!("environment.pass = [{name:?}]")),
            opens: "a run, and every program that it starts, knows its value".to_owned(),
        }
    }
}

/// A path as a shell takes it.
fn shell_word(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |sign: char| sign.is_alphanumeric() || "/._-+@%,:=~".contains(sign);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.into_owned(),
        false if text.chars().any(char::is_control) => format!("{text:?}"),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

fn quoted(path: &Path) -> String {
    format!("{:?}", path.to_string_lossy())
}

fn lower_first(text: &str) -> String {
    let mut signs = text.chars();
    signs
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().collect::<String>() + signs.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_word_for_a_shell() {
        assert_eq!(shell_word("/a/b-c.d".as_ref()), "/a/b-c.d");
        assert_eq!(shell_word("/a b/it's".as_ref()), r"'/a b/it'\''s'");
        assert_eq!(shell_word("/a\n\u{1b}[31m".as_ref()), r#""/a\n\u{1b}[31m""#);
    }
}
